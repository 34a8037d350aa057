// Ending all observations.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)), .tags(.runsOnClusters))
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
            try writer.close()
            #expect(try await last.value)
            withExtendedLifetime(cancellable) {}
            let error = await #expect(throws: DatabaseError.self) { try await writer.endObservations() }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            expectError(.SQLITE_MISUSE) { try writer.endObservations() }
        }
    }

    @Test("An observation whose database closes right after the first value ends", arguments: ConnectionKind.allCases)
    func closesAfterTheFirstValue(kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let ends = Log<String>()
            let cancellable = ValueObservation.tracking { try $0.values() }.start(in: writer, scheduling: Immediate()) {
                ends.append("\($0)")
            } onChange: { values in
                ends.append("\(values)")
                #expect(throws: Never.self) { try writer.close() }
            }
            await eventually { ends.elements.count == 2 }
            #expect(ends.elements == ["[1, 2]", "CancellationError()"])
            withExtendedLifetime(cancellable) {}
        }
    }

    @Test("A fetch that waits for a reader of a closing pool ends the observation")
    func closesBeforeAFetch() async throws {
        try await withTable(.pool) { writer in
            let ends = Log<String>()
            let isSlow = Gate()
            let cancellable = ValueObservation.tracking { try $0.values() }.throttle(for: .nanoseconds(1)).start(
                in: writer, scheduling: .async(onQueue: DispatchQueue(label: "slow"))
            ) {
                ends.append("\($0)")
            } onChange: { values in
                ends.append("\(values)")
                if values == [1, 2, 3] { isSlow.wait() }
            }
            let lane = writer._routes.read.lane
            let fetches = { lane.state.withLock { $0.idle.count < $0.count } }
            await eventually { writer.unsafeReentrantWrite { !$0.observationHub.isEmpty } }
            // One value is being delivered, another one waits for it, and the third isn't fetched yet.
            try await writer.write { try $0.insert(3) }
            await eventually { ends.elements.last == "[1, 2, 3]" }
            try await writer.write { try $0.insert(4) }
            await eventually { !fetches() }
            try await writer.write { try $0.insert(5) }
            let (isReading, isOver) = (Gate(), Gate())
            async let read: Void = onThread {
                try writer.read { _ in
                    isReading.open()
                    isOver.wait()
                }
            }
            await isReading.opened()
            async let close: Void = onThread { try writer.close() }
            await eventually { lane.state.withLock { $0.exclusive != nil } }
            isSlow.open()
            await eventually { lane.state.withLock { !$0.waiters.isEmpty } }
            isOver.open()
            try await read
            try await close
            await eventually { ends.elements.last == "CancellationError()" }
            #expect(ends.elements == ["[1, 2]", "[1, 2, 3]", "[1, 2, 3, 4]", "CancellationError()"])
            withExtendedLifetime(cancellable) {}
        }
    }

    private struct Immediate: ValueObservationScheduler {
        func immediateInitialValue() -> Bool { true }
        func schedule(_ action: @escaping @Sendable () -> Void) { action() }
    }
}
