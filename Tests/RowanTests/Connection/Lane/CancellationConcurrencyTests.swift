// Cancellation, interruption and closing in each phase of an access.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)))
struct CancellationConcurrencyTests {
    /// A configuration whose connections have a function `started()`, which signals that a statement is running.
    private func configuration(_ started: Gate) -> Configuration {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(
                function: DatabaseFunction("started", argumentCount: 0) { _ in
                    started.open()
                    return 1
                })
        }
        return configuration
    }

    /// An endless statement that calls the function.
    private static let endlessThatTells = """
        WITH RECURSIVE c(x) AS (SELECT started() UNION ALL SELECT x FROM c) SELECT COUNT(*) FROM c
        """

    @Test(arguments: ConnectionKind.allCases)
    func aTaskThatIsCancelledBeforeItStarts(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let ran = Log<String>()
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                await #expect(throws: CancellationError.self) { try await writer.write { _ in ran.append("write") } }
                await #expect(throws: CancellationError.self) { try await writer.read { _ in ran.append("read") } }
                await #expect(throws: CancellationError.self) {
                    try await writer.barrierWriteWithoutTransaction { _ in ran.append("barrier") }
                }
            }
            await task.value
            #expect(ran.elements == [])
            try await #expect(writer.values() == [1, 2])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func aTaskThatIsCancelledWhileItWaits(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let isWriting = Gate()
            let mayEnd = Gate()
            async let first: Void = onThread {
                try writer.write { _ in
                    isWriting.open()
                    mayEnd.wait()
                }
            }
            await isWriting.opened()
            let ran = Log<Int>()
            let tasks = (0..<10).map { index in
                Task { try await writer.write { _ in ran.append(index) } }
            }
            for task in tasks.dropFirst(5) { task.cancel() }
            // A cancelled access does not wait for the writer, which is still in use.
            for task in tasks.dropFirst(5) {
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            mayEnd.open()
            try await first
            for task in tasks.prefix(5) { try await task.value }
            #expect(ran.elements.sorted() == [0, 1, 2, 3, 4])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func aStatementIsInterruptedByTheCancellation(_ kind: ConnectionKind) async throws {
        let started = Gate()
        try await withTable(kind, configuration(started)) { writer in
            let task = Task {
                try await writer.write { db in
                    try db.insert(3)
                    try db.execute(sql: Self.endlessThatTells)
                }
            }
            await started.opened()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            // The transaction was rolled back, and the connection is usable.
            try await #expect(writer.values() == [1, 2])
            try await writer.write { try $0.insert(4) }
            try await #expect(writer.values() == [1, 2, 4])
        }
    }

    /// A cursor on a row would make the rollback fail with the interruption.
    @Test(arguments: ConnectionKind.allCases)
    func aKeptCursorDoesNotPreventTheRollback(_ kind: ConnectionKind) async throws {
        let started = Gate()
        try await withTable(kind, configuration(started)) { writer in
            let kept = Log<UncheckedBox<DatabaseValueCursor<Int>>>()
            let task = Task {
                try await writer.write { db in
                    try db.insert(3)
                    let cursor = try Int.fetchCursor(db, sql: "SELECT x FROM t")
                    _ = try cursor.next()
                    kept.append(UncheckedBox(cursor))
                    try db.execute(sql: Self.endlessThatTells)
                }
            }
            await started.opened()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await #expect(writer.values() == [1, 2])
            try await writer.write { try $0.insert(4) }
            try await #expect(writer.values() == [1, 2, 4])
        }
    }

    /// The closure swallows the interruption's error, but the transaction still does not commit.
    @Test(arguments: ConnectionKind.allCases)
    func aSwallowedCancellationDoesNotCommit(_ kind: ConnectionKind) async throws {
        let started = Gate()
        try await withTable(kind, configuration(started)) { writer in
            let task = Task {
                try await writer.write { db in
                    try db.insert(3)
                    try? db.execute(sql: Self.endlessThatTells)
                    #expect(throws: CancellationError.self) { try db.insert(4) }
                }
            }
            await started.opened()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await #expect(writer.values() == [1, 2])
        }
    }

    /// Cancellations at any time, of all kinds of accesses: each one finishes, and no transaction is partially applied.
    @Test(arguments: ConnectionKind.allCases)
    func cancellationsAtRandom(_ kind: ConnectionKind) async throws {
        var generator = SeededGenerator(5)
        print("seed \(generator.seed)")
        try await withTable(kind) { writer in
            var tasks: [Task<Int, any Error>] = []
            for index in 0..<120 {
                tasks.append(
                    Task {
                        switch index % 3 {
                        case 0:
                            try await writer.write { db in
                                try db.insert(index)
                                try db.insert(index)
                            }
                            return index
                        case 1:
                            _ = try await writer.values()
                        default:
                            try await writer.barrierWriteWithoutTransaction { _ = try $0.values() }
                        }
                        return -1
                    })
                if Bool.random(using: &generator) {
                    tasks[Int.random(in: 0...index, using: &generator)].cancel()
                }
                if index.isMultiple(of: 10) { await Task.yield() }
            }
            var done: [Int] = []
            for task in tasks {
                do { done.append(try await task.value) } catch is CancellationError {}
            }
            let values = try await writer.values()
            let expected = done.filter { $0 >= 0 }.flatMap { [$0, $0] }
            #expect(values.dropFirst(2).sorted() == expected.sorted())
            try writer.close()
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func interruption(_ kind: ConnectionKind) async throws {
        let started = Gate()
        try await withTable(kind, configuration(started)) { writer in
            async let failed = onThread {
                expectError(.SQLITE_INTERRUPT) {
                    try writer.read { try $0.execute(sql: Self.endlessThatTells) }
                }
            }
            await started.opened()
            writer.interrupt()
            let error = try await failed
            #expect(error?.isInterruptionError == true)
            // An interruption without a running statement has no effect.
            writer.interrupt()
            try await #expect(writer.values() == [1, 2])
        }
    }

    /// An interrupted write rolls back its transaction.
    @Test(arguments: ConnectionKind.allCases)
    func aWriteIsInterrupted(_ kind: ConnectionKind) async throws {
        let started = Gate()
        try await withTable(kind, configuration(started)) { writer in
            async let failed = onThread {
                expectError(.SQLITE_INTERRUPT) {
                    try writer.write { db in
                        try db.insert(3)
                        try db.execute(sql: "INSERT INTO t " + Self.endlessThatTells.replacing("COUNT(*)", with: "x"))
                    }
                }
            }
            await started.opened()
            writer.interrupt()
            _ = try await failed
            try await #expect(writer.values() == [1, 2])
        }
    }

    // MARK: Closing

    @Test(arguments: ConnectionKind.allCases)
    func aClosedConnectionRefusesAll(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            try writer.close()
            try writer.close()
            await expectError(.SQLITE_MISUSE, "connection is closed") { try await writer.read { _ in } }
            await expectError(.SQLITE_MISUSE, "connection is closed") { try await writer.write { _ in } }
            await expectError(.SQLITE_MISUSE) { try await writer.unsafeRead { _ in } }
            await expectError(.SQLITE_MISUSE) { try await writer.writeWithoutTransaction { _ in } }
            await expectError(.SQLITE_MISUSE) { try await writer.barrierWriteWithoutTransaction { _ in } }
            try await onThread {
                expectError(.SQLITE_MISUSE, "connection is closed") { try writer.read { _ in } }
                expectError(.SQLITE_MISUSE, "connection is closed") { try writer.write { _ in } }
                expectError(.SQLITE_MISUSE) { try writer.vacuum() }
                expectError(.SQLITE_MISUSE) { try writer.erase() }
                expectError(.SQLITE_MISUSE) { try writer.unsafeReentrantRead { _ in } }
                expectError(.SQLITE_MISUSE) { try writer.barrierWriteWithoutTransaction { _ in } }
            }
            writer.interrupt()
            for read in [writer.asyncRead, writer.asyncUnsafeRead, writer.asyncBarrierWriteWithoutTransaction] {
                let code = await withCheckedContinuation { continuation in
                    read { result in
                        switch result {
                        case .success: continuation.resume(returning: ResultCode?.none)
                        case .failure(let error): continuation.resume(returning: (error as? DatabaseError)?.resultCode)
                        }
                    }
                }
                #expect(code == .SQLITE_MISUSE)
            }
        }
    }

    /// Closing waits for the running access and rejects waiting ones.
    @Test(arguments: ConnectionKind.allCases)
    func closingWhileOthersWait(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let isWriting = Gate()
            let mayEnd = Gate()
            let committed = Log<Int>()
            async let first: Void = onThread {
                try writer.write { db in
                    isWriting.open()
                    mayEnd.wait()
                    committed.append(try db.values().count)
                }
            }
            await isWriting.opened()
            let counts = Log<Int>()
            let waiting = (0..<10).map { index in
                Task {
                    if index.isMultiple(of: 2) {
                        try await writer.write { counts.append(try $0.values().count) }
                    } else {
                        try await onThread { try writer.write { counts.append(try $0.values().count) } }
                    }
                }
            }
            await eventually { writer.waitingCount(\.write) == 10 }
            async let closed: Void = onThread { try writer.close() }
            await eventually { writer.isExclusive(\.write) }
            mayEnd.open()
            try await first
            try await closed
            #expect(committed.elements == [2])
            for task in waiting { await expectError(.SQLITE_MISUSE) { try await task.value } }
            #expect(counts.elements == [])
            await expectError(.SQLITE_MISUSE) { try await writer.read { _ in } }
        }
    }

    /// A statement kept by the program prevents closing, which can be retried.
    @Test(arguments: ConnectionKind.allCases)
    func closingWithAKeptStatement(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            var statement: Statement? = try writer.write { try $0.makeStatement(sql: "SELECT 1") }
            expectError(.SQLITE_BUSY) { try writer.close() }
            withExtendedLifetime(statement) {}
            statement = nil
            try writer.close()
            expectError(.SQLITE_MISUSE) { try writer.write { _ in } }
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func accessesOutliveTheirConnection(_ kind: ConnectionKind) async throws {
        let folder = try TemporaryFolder()
        let mayEnd = Gate()
        let counts = Log<Int>()
        let ended = Gate()
        try {
            let writer = try kind.make(in: folder)
            try writer.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1)") }
            writer.asyncWriteWithoutTransaction { db in
                mayEnd.wait()
                counts.append((try? db.values().count) ?? -1)
                ended.open()
            }
            // The last reference is released here, without waiting for the access.
        }()
        mayEnd.open()
        await ended.opened()
        #expect(counts.elements == [1])
    }
}
