// Ending all observations.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)))
struct EndObservationsConcurrencyTests {
    @Test("Loops finish, closures get an error, and the database closes", arguments: ConnectionKind.allCases)
    func endsAll(kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let observation = ValueObservation.tracking { try $0.values() }
            let seen = Log<[Int]>()
            let loop = Task {
                for try await values in observation.values(in: writer) { seen.append(values) }
                return true
            }
            let errors = Log<String>()
            let cancellable = observation.start(in: writer, scheduling: .task) {
                errors.append("\($0)")
            } onChange: { _ in
            }
            await eventually { seen.elements == [[1, 2]] }
            try await writer.write { try $0.insert(3) }
            await eventually { seen.elements.last == [1, 2, 3] }
            // An observation that is starting may join only afterwards.
            await eventually { writer.unsafeReentrantWrite { !$0.observationHub.isEmpty } }
            while errors.elements.isEmpty { try await writer.endObservations() }
            #expect(try await loop.value)
            #expect(errors.elements == ["CancellationError()"])
            #expect(try writer.unsafeReentrantWrite { try $0.values() } == [1, 2, 3])
            // A new observation starts from scratch.
            for try await values in observation.values(in: writer) {
                #expect(values == [1, 2, 3])
                break
            }
            // An observation that is running when the database closes also ends.
            let last = Task {
                for try await values in observation.values(in: writer) { seen.append(values + [0]) }
                return true
            }
            await eventually { seen.elements.last == [1, 2, 3, 0] }
            await eventually { writer.unsafeReentrantWrite { !$0.observationHub.isEmpty } }
            try writer.close()
            #expect(try await last.value)
            withExtendedLifetime(cancellable) {}
            let error = await #expect(throws: DatabaseError.self) { try await writer.endObservations() }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            expectError(.SQLITE_MISUSE) { try writer.endObservations() }
        }
    }
}
