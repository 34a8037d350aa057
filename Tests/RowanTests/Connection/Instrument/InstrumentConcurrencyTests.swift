// Instruments and guarded checkpoints, on many threads and tasks at once.

import Foundation
import Synchronization
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)))
struct InstrumentConcurrencyTests {
    /// Counts events, and checks the order of events in each access.
    private final class Counter: DatabaseInstrument {
        let announced = Atomic(0)
        let ended = Atomic(0)
        let statements = Atomic(0)
        let isWrong = Atomic(false)

        func willAccess(_ access: InstrumentedAccess) -> (any AccessInstrument)? {
            announced.add(1, ordering: .relaxed)
            return Access(self)
        }

        private final class Access: AccessInstrument {
            private enum Phase { case waiting, running, ended }
            private let counter: Counter
            private let phase = Mutex(Phase.waiting)

            init(_ counter: Counter) { self.counter = counter }

            private func move(from expected: [Phase], to next: Phase) {
                phase.withLock { phase in
                    if !expected.contains(phase) { counter.isWrong.store(true, ordering: .relaxed) }
                    phase = next
                }
            }

            func didBegin(after wait: Duration) { move(from: [.waiting], to: .running) }

            func didRun(_ statement: InstrumentedStatement) {
                move(from: [.running], to: .running)
                counter.statements.add(1, ordering: .relaxed)
            }

            func didEndTransaction(_ transaction: InstrumentedTransaction) { move(from: [.running], to: .running) }

            func didEnd(after duration: Duration?, error: (any Error)?) {
                move(from: duration == nil ? [.waiting] : [.running], to: .ended)
                counter.ended.add(1, ordering: .relaxed)
            }
        }
    }

    @Test("Each access ends once, cancelled or not", arguments: [ConnectionKind.walQueue, .pool], [false, true])
    func accesses(kind: ConnectionKind, isGrouped: Bool) async throws {
        let counter = Counter()
        var configuration = Configuration(counter)
        configuration.groupsAsyncWrites = isGrouped
        try await withTable(kind, configuration) { writer in
            let threads = Gate()
            startThread {
                for value in 0..<200 {
                    _ = try? writer.write { try $0.insert(value) }
                    _ = try? writer.unsafeRead { try $0.values().count }
                }
                threads.open()
            }
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let task = Task {
                            if number % 3 == 0 {
                                _ = try await writer.write { try $0.insert(number) }
                            } else if number % 3 == 1 {
                                _ = try await writer.values()
                            } else {
                                try await writer.write { _ in throw Refusal() }
                            }
                        }
                        if number % 4 == 0 { task.cancel() }
                        _ = await task.result
                    }
                }
            }
            await threads.opened()
            await eventually {
                counter.ended.load(ordering: .relaxed) == counter.announced.load(ordering: .relaxed)
            }
            #expect(counter.announced.load(ordering: .relaxed) >= 600)
            #expect(counter.statements.load(ordering: .relaxed) > 600)
            let isWrong = counter.isWrong.load(ordering: .relaxed)
            #expect(!isWrong)
        }
    }

    @Test("Connections that share a file and checkpoint continuously")
    func sharedFile() async throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.busyMode = .timeout(120)
        configuration.journalMode = .wal
        configuration.walSizeLimit = 40_000
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 5") }
        let path = folder.path("db.sqlite")
        let writers: [any DatabaseWriter] = try [
            DatabasePool(path: path, configuration: configuration),
            DatabaseQueue(path: path, configuration: configuration),
            DatabaseQueue(path: path, configuration: configuration),
        ]
        try await writers[0].write { try $0.execute(sql: "CREATE TABLE t(x INTEGER PRIMARY KEY, y)") }
        let shared = UncheckedBox(writers)
        try await onThreads(3) { thread in
            for number in 0..<150 {
                try shared.value[thread].write { db in
                    try db.execute(sql: "INSERT INTO t VALUES (?, zeroblob(3000))", arguments: [number * 3 + thread])
                }
                if number % 20 == 0 {
                    let mode: Database.CheckpointMode = number % 40 == 0 ? .truncate : .full
                    do { try shared.value[thread].writeWithoutTransaction { _ = try $0.checkpoint(mode) } } catch {
                        // SQLite does not wait for another checkpoint.
                        expectError(.SQLITE_BUSY) { throw error }
                    }
                }
            }
        }
        for writer in writers { try writer.close() }
        let queue = try DatabaseQueue(path: path)
        let values = try await queue.read { try Int.fetchAll($0, sql: "SELECT x FROM t ORDER BY x") }
        #expect(values == Array(0..<450))
        #expect(try queue.string("PRAGMA integrity_check") == "ok")
    }
}
