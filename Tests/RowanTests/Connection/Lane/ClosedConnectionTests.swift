// Closing is all or nothing, and closed connections throw: nothing stops the program.

import Foundation
import Rowan
import Testing

@Suite(.tags(.runsOnClusters))
struct ClosedConnectionTests {
    @Test(arguments: ConnectionKind.allCases)
    func allVerbsThatCanThrowThrow(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            try writer.close()
            try await onThread {
                expectError(.SQLITE_MISUSE, "connection is closed") {
                    try writer.writeWithoutTransaction { try $0.insert(3) }
                }
                expectError(.SQLITE_MISUSE) { try writer.unsafeReentrantWrite { try $0.insert(3) } }
                expectError(.SQLITE_MISUSE) { try writer.unsafeReentrantRead { _ in } }
                if let queue = writer as? DatabaseQueue {
                    expectError(.SQLITE_MISUSE) { try queue.inDatabase { try $0.insert(3) } }
                    expectError(.SQLITE_MISUSE) { try queue.inTransaction { _ in .commit } }
                }
                if let pool = writer as? DatabasePool {
                    expectError(.SQLITE_MISUSE) { try pool.writeInTransaction { _ in .commit } }
                }
            }
        }
    }

    /// A closure that doesn't throw gets a database that rejects everything.
    @Test(arguments: ConnectionKind.allCases)
    func closuresThatThrowNothing(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            try writer.close()
            let isRefused = writer.writeWithoutTransaction { db in
                expectError(.SQLITE_MISUSE, "connection is closed") { try db.insert(3) } != nil
            }
            #expect(isRefused)
            let isRefusedAgain = writer.unsafeReentrantWrite { db in
                expectError(.SQLITE_MISUSE) { try db.beginTransaction() } != nil && !db.isInsideTransaction
            }
            #expect(isRefusedAgain)
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func callbacksGetTheirFailure(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            try writer.close()
            let error = await withCheckedContinuation { continuation in
                writer.asyncWrite {
                    try $0.insert(3)
                } completion: { _, result in
                    continuation.resume(returning: result.error as? DatabaseError)
                }
            }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            let other = await withCheckedContinuation { continuation in
                writer.asyncWriteWithoutTransaction { db in
                    continuation.resume(returning: Result { try db.insert(3) }.error as? DatabaseError)
                }
            }
            #expect(other?.resultCode == .SQLITE_MISUSE)
        }
    }

    /// A statement of a reader or the writer prevents closing: the connections continue as before.
    @Test(arguments: ConnectionKind.allCases, [false, true])
    func aClosingThatFailsClosesNothing(_ kind: ConnectionKind, _ isRead: Bool) throws {
        try withTable(kind) { writer in
            func make() throws -> Statement {
                let sql = "SELECT x, 'kept' FROM t"
                return try isRead
                    ? writer.read { try $0.makeStatement(sql: sql) } : writer.write { try $0.makeStatement(sql: sql) }
            }
            var kept: Statement? = try make()
            let error = expectError(.SQLITE_BUSY) { try writer.close() }
            #expect(error?.sql == "SELECT x, 'kept' FROM t")
            #expect(error?.message?.contains("holds a statement or a cursor: release it and") == true)
            try writer.write { try $0.insert(3) }
            try #expect(writer.values() == [1, 2, 3])
            withExtendedLifetime(kept) {}
            kept = nil
            try writer.close()
            expectError(.SQLITE_MISUSE) { try writer.write { _ in } }
        }
    }

    /// A thread that reads and then writes, while a closing or a barrier waits for its read.
    @Test(.timeLimit(.minutes(5)), arguments: ConnectionKind.concurrent, [false, true])
    func aWriteInAReadDoesNotDeadlock(_ kind: ConnectionKind, _ isClosing: Bool) async throws {
        try await withTable(kind) { writer in
            let isReading = Gate()
            let mayWrite = Gate()
            async let read = onThread {
                try writer.unsafeRead { _ in
                    isReading.open()
                    mayWrite.wait()
                    return Result { try writer.write { try $0.insert(3) } }.error as? DatabaseError
                }
            }
            await isReading.opened()
            let isWriting = Gate()
            async let exclusive: Void = onThread {
                if isClosing {
                    isWriting.open()
                    try writer.close()
                } else {
                    try writer.write { _ in isWriting.open() }
                    try writer.barrierWriteWithoutTransaction { try $0.insert(4) }
                }
            }
            await isWriting.opened()
            mayWrite.open()
            let error = try await read
            try await exclusive
            // In either order, the write is completed or rejected, without an endless wait.
            if let error { #expect(error.resultCode == .SQLITE_MISUSE, "\(error)") }
            if !isClosing {
                try await #expect(writer.values().contains(3) == (error == nil))
                try await #expect(writer.values().contains(4))
            }
        }
    }

    /// The only reader is used by the writing thread.
    @Test(arguments: ConnectionKind.pools)
    func aConcurrentReadWithoutReader(_ kind: ConnectionKind) throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        try withTable(kind, configuration) { writer in
            let errors = Log<DatabaseError?>()
            try writer.unsafeRead { _ in
                try writer.writeWithoutTransaction { db in
                    try db.insert(3)
                    writer.spawnConcurrentRead { errors.append($0.error as? DatabaseError) }
                }
            }
            #expect(errors.elements.map { $0?.resultCode } == [.SQLITE_MISUSE])
        }
    }

    /// A pool that is read while it opens a reader.
    @Test func aReadInTheOpeningOfAReader() throws {
        let folder = try TemporaryFolder()
        let pool = Mutex<DatabasePool?>(nil)
        let errors = Log<DatabaseError?>()
        var configuration = Configuration()
        configuration.prepareDatabase { _ in
            guard let pool = pool.withLock({ $0 }) else { return }
            errors.append(Result { try pool.read { _ in } }.error as? DatabaseError)
        }
        let opened = try DatabasePool(path: folder.path("db.sqlite"), configuration: configuration)
        pool.withLock { $0 = opened }
        defer { pool.withLock { $0 = nil } }
        try opened.read { _ in }
        #expect(errors.elements.map { $0?.resultCode } == [.SQLITE_MISUSE])
    }

    /// Readers are also closed inside a barrier and reopened, for example with another passphrase.
    @Test func readersAreInvalidatedInABarrier() throws {
        let folder = try TemporaryFolder()
        let openings = Log<Int>()
        var configuration = Configuration()
        configuration.prepareDatabase { _ in openings.append(1) }
        let pool = try DatabasePool(path: folder.path("db.sqlite"), configuration: configuration)
        try pool.read { _ in }
        #expect(openings.elements.count == 2)
        try pool.barrierWriteWithoutTransaction { _ in pool.invalidateReadOnlyConnections() }
        try pool.read { _ in }
        #expect(openings.elements.count == 3)
    }

    /// A read inside a write uses the write's connection, and so sees its changes.
    @Test(arguments: ConnectionKind.allCases)
    func aReentrantReadInAWrite(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            try writer.write { db in
                try db.insert(3)
                let values = try writer.unsafeReentrantRead { try $0.values() }
                #expect(values == [1, 2, 3])
                expectError(.SQLITE_READONLY) { try writer.unsafeReentrantRead { try $0.insert(4) } }
                try writer.unsafeReentrantWrite { try $0.insert(5) }
            }
            try #expect(writer.values() == [1, 2, 3, 5])
        }
    }

    /// An open pool has created its log, so a read-only connection can open the file.
    @Test func aPoolMakesItsLog() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        let pool = try DatabasePool(path: path)
        for suffix in ["-wal", "-shm"] { #expect(FileManager.default.fileExists(atPath: path + suffix), "\(suffix)") }
        withExtendedLifetime(pool) {}
    }

    /// Eight threads open the same file repeatedly.
    @Test(.timeLimit(.minutes(5)), arguments: ConnectionKind.files)
    func manyOpenings(_ kind: ConnectionKind) async throws {
        let folder = try TemporaryFolder()
        for round in 0..<5 {
            let path = folder.path("\(round).sqlite")
            try await onThreads(8) { _ in
                let writer = try kind.make(path: path)
                _ = try writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM sqlite_master") }
            }
        }
    }

    @Test func aPathWithNULIsRefused() throws {
        expectError(.SQLITE_CANTOPEN) { try DatabaseQueue(path: "/tmp/rowan\0.sqlite") }
    }
}

extension Result {
    fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
