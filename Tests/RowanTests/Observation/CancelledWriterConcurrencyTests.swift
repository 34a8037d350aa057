// Code that runs after a commit doesn't belong to the committing task: cancelling this task affects neither observers
// nor observations.

import Foundation
import Rowan
import Testing

/// The values read in callbacks.
private final class Results: Sendable {
    private let results = Mutex<[Result<[Int], any Error>]>([])
    func add(_ db: Database) { results.withLock { $0.append(Result { try db.values() }) } }
    func values() throws -> [[Int]] { try results.withLock { $0 }.map { try $0.get() } }
}

/// Cancels the task of each commit, before later observers are notified, and reads the table.
private final class Canceller: TransactionObserver {
    let reads = Results()
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidRollback(_ db: Database) {}
    func databaseDidCommit(_ db: Database) {
        withUnsafeCurrentTask { $0?.cancel() }
        reads.add(db)
    }
}

@Suite(.timeLimit(.minutes(5)))
struct CancelledWriterConcurrencyTests {
    private func write(_ writer: any DatabaseWriter, _ value: Int) async {
        // Its task is cancelled after the commit, so it may throw.
        _ = await Task { try await writer.writeWithoutTransaction { try $0.insert(value) } }.result
    }

    @Test(arguments: ConnectionKind.allCases, [false, true])
    func observationsContinue(_ kind: ConnectionKind, _ requiresWriteAccess: Bool) async throws {
        try await withTable(kind) { writer in
            let canceller = Canceller()
            writer.add(transactionObserver: canceller, extent: .databaseLifetime)
            var observation = ValueObservation.tracking { db -> [Int] in
                try Task.checkCancellation()
                return try db.values()
            }
            observation.requiresWriteAccess = requiresWriteAccess
            let (recorder, loop) = (observation.record(in: writer), Mutex<[[Int]]>([]))
            let shared = observation.shared(in: writer, extent: .observationLifetime)
            let values = Mutex<[[Int]]>([])
            let errors = Mutex(0)
            let cancellable = shared.start { _ in
                errors.withLock { $0 += 1 }
            } onChange: { value in
                values.withLock { $0.append(value) }
            }
            let task = Task { [observation] in
                for try await value in observation.values(in: writer) { loop.withLock { $0.append(value) } }
                return "ended"
            }
            await eventually { recorder.values == [[1, 2]] && loop.withLock { $0 } == [[1, 2]] }
            await eventually { values.withLock { $0 } == [[1, 2]] }
            for value in 3...12 {
                await write(writer, value)
                let expected = Array(1...value)
                await eventually { recorder.values.last == expected }
                await eventually { loop.withLock { $0.last } == expected }
                await eventually { values.withLock { $0.last } == expected }
            }
            #expect(recorder.errors.isEmpty)
            #expect(errors.withLock { $0 } == 0)
            task.cancel()
            recorder.cancel()
            cancellable.cancel()
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func observersRead(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let canceller = Canceller()
            let ends = Results()
            let regions = Results()
            let region = DatabaseRegionObservation(tracking: Table("t")).start(in: writer) { _ in
            } onChange: { db in
                regions.add(db)
            }
            writer.add(transactionObserver: canceller, extent: .databaseLifetime)
            _ = await Task {
                try await writer.write { db in
                    try db.insert(3)
                    db.afterNextTransaction { db in
                        withUnsafeCurrentTask { $0?.cancel() }
                        ends.add(db)
                    }
                }
            }.result
            await write(writer, 4)
            let (reads, lastReads) = (try canceller.reads.values(), try ends.values())
            let regionReads = try regions.values()
            #expect(reads == [[1, 2, 3], [1, 2, 3, 4]])
            #expect(lastReads == [[1, 2, 3]])
            #expect(regionReads == [[1, 2, 3], [1, 2, 3, 4]])
            // The next access is not cancelled.
            #expect(try await writer.values() == [1, 2, 3, 4])
            region.cancel()
        }
    }

    /// The rest of the access is cancelled.
    @Test(arguments: ConnectionKind.allCases)
    func theAccessStops(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            writer.add(transactionObserver: Canceller(), extent: .databaseLifetime)
            let task = Task {
                try await writer.writeWithoutTransaction { db in
                    try db.insert(3)
                    try db.insert(4)
                }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            let values = try await writer.values()
            #expect(values == [1, 2, 3])
        }
    }
}
