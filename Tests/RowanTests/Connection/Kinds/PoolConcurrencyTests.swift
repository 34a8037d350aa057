// A pool: readers run concurrently with the writer, each with its own state of the database.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)))
struct PoolConcurrencyTests {
    /// Reads run while the write is in the middle of its transaction.
    @Test(arguments: ConnectionKind.concurrent)
    func readersDoNotWaitForTheWriter(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let wrote = Gate()
            let mayCommit = Gate()
            async let write: Void = onThread {
                try writer.write { db in
                    try db.insert(3)
                    wrote.open()
                    mayCommit.wait()
                }
            }
            await wrote.opened()
            try await #expect(writer.values() == [1, 2])
            let values = try await onThread { try writer.values() }
            #expect(values == [1, 2])
            mayCommit.open()
            try await write
            try await #expect(writer.values() == [1, 2, 3])
        }
    }

    /// Writes run while the read is in the middle of its transaction, which doesn't see them.
    @Test(arguments: ConnectionKind.concurrent)
    func aReadSeesOneState(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let hasRead = Gate()
            let mayReadAgain = Gate()
            async let read = onThread {
                try writer.read { db in
                    let before = try db.values()
                    hasRead.open()
                    mayReadAgain.wait()
                    return [before, try db.values()]
                }
            }
            await hasRead.opened()
            try await writer.write { try $0.insert(3) }
            mayReadAgain.open()
            let states = try await read
            #expect(states == [[1, 2], [1, 2]])
        }
    }

    @Test(arguments: ConnectionKind.concurrent)
    func readersRunTogether(_ kind: ConnectionKind) async throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 3
        try await withTable(kind, configuration) { writer in
            // Each waits for the other two.
            let gates = [Gate(), Gate(), Gate()]
            try await onThreads(3) { index in
                try writer.read { db in
                    gates[index].open()
                    for gate in gates { gate.wait() }
                    _ = try db.values()
                }
            }
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func aSpawnedReadSeesTheLastCommit(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let wrote = Gate()
            let values: Result<[Int], any Error> = await withCheckedContinuation { continuation in
                writer.asyncWriteWithoutTransaction { db in
                    #expect(throws: Never.self) { try db.insert(3) }
                    writer.spawnConcurrentRead { result in
                        if kind.isConcurrent { wrote.wait() }
                        continuation.resume(
                            returning: Result {
                                expectError(.SQLITE_READONLY) { try result.get().insert(5) }
                                return try result.get().values()
                            })
                    }
                    #expect(throws: Never.self) { try db.insert(4) }
                    wrote.open()
                }
            }
            try #expect(values.get() == [1, 2, 3])
            try await #expect(writer.values() == [1, 2, 3, 4])
        }
    }

    /// A barrier that waits for the writer must not hold the reader that the writer waits for.
    @Test(arguments: ConnectionKind.concurrent)
    func barriersAndSpawnedReads(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let counts = Log<Int>()
            try await onThreads(3) { index in
                for _ in 0..<30 {
                    switch index {
                    case 0: try writer.barrierWriteWithoutTransaction { try $0.insert(0) }
                    case 1:
                        writer.writeWithoutTransaction { _ in
                            writer.spawnConcurrentRead { result in
                                counts.append((try? result.get().values().count) ?? -1)
                            }
                        }
                    default: _ = try writer.values()
                    }
                }
            }
            try await writer.barrierWriteWithoutTransaction { _ in }
            #expect(counts.elements.count == 30)
            #expect(counts.elements == counts.elements.sorted())
            #expect(!counts.elements.contains(-1))
        }
    }

    @Test(arguments: ConnectionKind.concurrent)
    func aSpawnedReadInABarrierFails(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let errors = Log<ResultCode?>()
            try writer.barrierWriteWithoutTransaction { _ in
                writer.spawnConcurrentRead { result in
                    if case .failure(let error) = result { errors.append((error as? DatabaseError)?.resultCode) }
                }
            }
            #expect(errors.elements == [.SQLITE_MISUSE])
        }
    }

    @Test(arguments: ConnectionKind.concurrent)
    func aBarrierWaitsForReaders(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let log = Log<String>()
            let isReading = Gate()
            let mayEnd = Gate()
            async let read: Void = onThread {
                try writer.read { _ in
                    isReading.open()
                    mayEnd.wait()
                    log.append("read ends")
                }
            }
            await isReading.opened()
            async let barrier: Void = onThread {
                try writer.barrierWriteWithoutTransaction { _ in log.append("barrier") }
            }
            await eventually { writer.isExclusive(\.read) }
            mayEnd.open()
            try await read
            try await barrier
            #expect(log.elements == ["read ends", "barrier"])
        }
    }

    /// Asynchronous accesses of a connection run in the order of their calls.
    @Test(arguments: ConnectionKind.allCases)
    func firstComeFirstServed(_ kind: ConnectionKind) async throws {
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
            for index in 0..<20 {
                writer.asyncWriteWithoutTransaction { db in
                    #expect(throws: Never.self) { try db.insert(index) }
                }
            }
            mayEnd.open()
            try await first
            let values = try await writer.writeWithoutTransaction { try $0.values() }
            #expect(values == [1, 2] + Array(0..<20))
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func manyTasksAndThreads(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<40 {
                    group.addTask {
                        switch index % 4 {
                        case 0: try await writer.write { try $0.insert(index) }
                        case 1: _ = try await writer.values()
                        case 2: try await onThread { try writer.write { try $0.insert(index) } }
                        default: _ = try await onThread { try writer.values() }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let values = try await writer.values()
            #expect(Set(values) == Set([1, 2] + (0..<40).filter { $0.isMultiple(of: 2) }))
            #expect(values.count == 22)
            try writer.close()
        }
    }

    /// A reader detects schema changes made by the writer.
    @Test(arguments: ConnectionKind.allCases)
    func readersSeeTheSchemaOfTheWriter(_ kind: ConnectionKind) throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        try withTable(kind, configuration) { writer in
            func columns() throws -> [String] { try writer.read { try $0.columns(in: "t").map(\.name) } }
            func row() throws -> Row? { try writer.read { try Row.fetchOne($0, sql: "SELECT * FROM t") } }
            try #expect(columns() == ["x"])
            try #expect(row() == ["x": 1])
            try writer.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN y DEFAULT 5") }
            try #expect(columns() == ["x", "y"])
            try #expect(row() == ["x": 1, "y": 5])
            try writer.write { db in
                try db.execute(sql: "DROP TABLE t")
                try #expect(!db.tableExists("t"))
            }
            let exists = try writer.read { try $0.tableExists("t") }
            #expect(!exists)
            // A rolled back change has no effect.
            try? writer.write { db in
                try db.execute(sql: "CREATE TABLE t(z)")
                try #expect(db.tableExists("t"))
                throw CancellationError()
            }
            let existsAgain = try writer.write { try $0.tableExists("t") }
            #expect(!existsAgain)
        }
    }

    /// A reader also detects schema changes made by another connection to the file.
    @Test(arguments: ConnectionKind.files)
    func connectionsSeeTheSchemaOfOthers(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        let first = try kind.make(path: path)
        try first.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1)") }
        let second = try DatabaseQueue(path: path)
        func columns(_ db: Database) throws -> [String] { try db.columns(in: "t").map(\.name) }
        let before = [try first.read(columns), try first.write(columns), try second.read(columns)]
        #expect(before == [["x"], ["x"], ["x"]])
        try second.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN y") }
        let after = [try first.write(columns), try first.read(columns), try second.read(columns)]
        #expect(after == [["x", "y"], ["x", "y"], ["x", "y"]])
    }

    @Test func memoryIsReleasedWhileReadersWork() async throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.path("db.sqlite"))
        try await pool.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1)") }
        try await onThreads(4) { index in
            for _ in 0..<30 {
                switch index {
                case 0: pool.releaseMemory()
                case 1: pool.invalidateReadOnlyConnections()
                case 2: pool.releaseMemoryEventually()
                default: try #expect(pool.values() == [1])
                }
            }
        }
        try pool.close()
    }

    @Test func aReaderThatFailsToOpenIsAnErrorOfItsAccess() async throws {
        struct NotYet: Error {}
        let folder = try TemporaryFolder()
        let failures = Log<Int>()
        var configuration = Configuration()
        configuration.maximumReaderCount = 2
        configuration.prepareDatabase { db in
            guard db.configuration.readonly, failures.elements.count < 5 else { return }
            failures.append(1)
            throw NotYet()
        }
        let pool = try DatabasePool(path: folder.path("db.sqlite"), configuration: configuration)
        try await pool.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1)") }
        // Threads, tasks and callbacks all get a result, with one failure for each failed opening.
        let failed = Log<Int>()
        try await onThreads(8) { _ in
            do { try #expect(pool.values() == [1]) } catch is NotYet { failed.append(1) }
        }
        for _ in 0..<8 {
            do { try await #expect(pool.values() == [1]) } catch is NotYet { failed.append(1) }
        }
        #expect(failed.elements.count == failures.elements.count)
        try #expect(await pool.values() == [1])
    }
}
