// The accesses of the part `blocked-tasks`: asynchronous ones, and those that block the thread of their task.

import Foundation
import Rowan

/// A task that makes one access after another.
struct CrossingWalker: Sendable {
    let crossing: Crossing
    let databases: [CrossedDatabase]
    let number: Int
    private var random: SplitMix64
    /// The largest number of rows that the task has read, by database: later accesses must not read fewer.
    private var seen: [Int]
    /// The steps whose write has returned, by database.
    private(set) var acknowledged: [[CrossingStep]]

    init(crossing: Crossing, databases: [CrossedDatabase], number: Int) {
        (self.crossing, self.databases, self.number) = (crossing, databases, number)
        random = SplitMix64(seed: crossing.seed &+ UInt64(number) &* 0x5851_F42D_4C95_7F2D)
        seen = Array(repeating: 0, count: databases.count)
        acknowledged = Array(repeating: [], count: databases.count)
    }

    mutating func walk(_ step: Int) async {
        let index = Int.random(in: 0..<databases.count, using: &random)
        let work = CrossingWork(
            crossing: crossing, database: databases[index], next: databases[index...].dropFirst().first,
            step: CrossingStep(task: number, number: step), seen: seen[index],
            pause: Int.random(in: 0..<10, using: &random) == 0 ? UInt32.random(in: 0...300, using: &random) : 0,
            patience: Int.random(in: 0...6, using: &random))
        let awaiting = AwaitingAccess.allCases.randomElement(using: &random)!
        let blocking = BlockingAccess.allCases.randomElement(using: &random)!
        let isBlocking = Bool.random(using: &random)
        let name = isBlocking ? "\(blocking), blocking" : "\(awaiting)"
        crossing.begin(number, "\(databases[index].name) \(name)")
        do {
            switch try await isBlocking ? work.run(blocking) : work.run(awaiting) {
            case .saw(let count): seen[index] = max(seen[index], count)
            case .wrote(let count):
                acknowledged[index].append(work.step)
                seen[index] = max(seen[index], count)
                crossing.count("writes")
            case .cancelled: crossing.count("cancelled")
            case .refused: crossing.count("refused deadlocks")
            case .nothing: break
            }
        } catch {
            crossing.fail("\(databases[index].name) \(name): \(error)")
        }
        crossing.endStep(of: number)
    }
}

/// Accesses that suspend their task.
enum AwaitingAccess: CaseIterable {
    case read, unsafeRead, write, plainWrite, barrier
    case callbackRead, callbackUnsafeRead, callbackWrite, callbackPlainWrite, callbackBarrier
    case concurrentRead, snapshot, snapshotPool, memory
    case cancelledRead, cancelledWrite, cancelledPlainWrite, cancelledBarrier
}

/// Accesses that block the thread of their task.
enum BlockingAccess: CaseIterable {
    case read, unsafeRead, reentrantRead, write, plainWrite, barrier, reentrantWrite
    case readInWrite, writeInRead, otherDatabaseInWrite, callback
    case concurrentRead, snapshot, snapshotPool, memory, readOnlyConnections
}

/// The result of an access: the number of rows that it has read.
enum CrossingOutcome: Sendable {
    case saw(Int)
    case wrote(Int)
    case cancelled
    /// The access would have waited forever.
    case refused
    case nothing
}

/// An access, with its checks.
struct CrossingWork: Sendable {
    let crossing: Crossing
    let database: CrossedDatabase
    /// Another database, which may be accessed inside an access to this one, but never vice versa.
    let next: CrossedDatabase?
    let step: CrossingStep
    let seen: Int
    /// The number of microseconds for which the access holds its connection.
    let pause: UInt32
    /// The number of turns of other tasks after which the access is cancelled.
    let patience: Int

    private var writer: any DatabaseWriter { database.writer }
    private var pool: DatabasePool? { writer as? DatabasePool }

    /// The number of rows.
    @Sendable func look(_ db: Database) throws -> Int {
        if pause > 0 { usleep(pause) }
        let row = try Row.fetchOne(db, sql: "SELECT n, ifnull((SELECT max(id) FROM t), 0) FROM total")!
        let (count, last): (Int, Int) = (row[0], row[1])
        guard count == last else { throw CrossingProblem("\(last) rows, of which \(count) are counted") }
        guard count >= seen else { throw CrossingProblem("\(count) rows, after the task has seen \(seen)") }
        return count
    }

    /// Inserts a row and returns the number of rows. This is the last statement, so after an error there is no new row.
    @Sendable func insert(_ db: Database) throws -> Int {
        let count = try look(db)
        try db.execute(sql: "INSERT INTO t(task, step) VALUES (?, ?)", arguments: [step.task, step.number])
        return count + 1
    }

    private func expectSame(_ counts: [Int]) throws {
        guard Set(counts).count == 1 else { throw CrossingProblem("a snapshot has seen \(counts) rows") }
    }

    // MARK: Awaiting

    func run(_ access: AwaitingAccess) async throws -> CrossingOutcome {
        switch access {
        case .read: return .saw(try await writer.read(look))
        case .unsafeRead: return .saw(try await writer.unsafeRead(look))
        case .write: return .wrote(try await writer.write(insert))
        case .plainWrite: return .wrote(try await writer.writeWithoutTransaction(insert))
        case .barrier: return .wrote(try await writer.barrierWriteWithoutTransaction(insert))
        case .callbackRead:
            return .saw(try await value { resume in writer.asyncRead { db in resume(Result { try look(db.get()) }) } })
        case .callbackUnsafeRead:
            return .saw(
                try await value { resume in writer.asyncUnsafeRead { db in resume(Result { try look(db.get()) }) } })
        case .callbackWrite:
            return .wrote(try await value { resume in writer.asyncWrite(insert) { _, result in resume(result) } })
        case .callbackPlainWrite:
            return .wrote(
                try await value { resume in
                    writer.asyncWriteWithoutTransaction { db in resume(Result { try insert(db) }) }
                })
        case .callbackBarrier:
            return .wrote(
                try await value { resume in
                    writer.asyncBarrierWriteWithoutTransaction { db in resume(Result { try insert(db.get()) }) }
                })
        case .concurrentRead:
            return .wrote(
                try await value { resume in
                    writer.asyncWriteWithoutTransaction { db in
                        do {
                            _ = try insert(db)
                            writer.spawnConcurrentRead { db in resume(Result { try look(db.get()) }) }
                        } catch {
                            resume(.failure(error))
                        }
                    }
                })
        case .snapshot:
            guard let snapshot = try makeSnapshot() else { return .saw(try await writer.read(look)) }
            let before = try await snapshot.read(look)
            let written = try await writer.write(insert)
            try await expectSame([before, snapshot.read(look)])
            return .wrote(written)
        case .snapshotPool:
            guard let snapshot = try makeSnapshotPool() else { return .saw(try await writer.read(look)) }
            async let first = snapshot.read(look)
            let written = try await writer.write(insert)
            async let second = snapshot.read(look)
            async let third = snapshot.unsafeRead(look)
            try await expectSame([first, second, third])
            return .wrote(written)
        case .memory:
            pool?.releaseMemoryEventually()
            return .saw(try await writer.read(look))
        case .cancelledRead: return try await cancelled(CrossingOutcome.saw) { try await writer.read(look) }
        case .cancelledWrite: return try await cancelled(CrossingOutcome.wrote) { try await writer.write(insert) }
        case .cancelledPlainWrite:
            return try await cancelled(CrossingOutcome.wrote) { try await writer.writeWithoutTransaction(insert) }
        case .cancelledBarrier:
            return try await cancelled(CrossingOutcome.wrote) {
                try await writer.barrierWriteWithoutTransaction(insert)
            }
        }
    }

    /// The value passed to a callback.
    private func value(
        _ body: (@escaping @Sendable (Result<Int, any Error>) -> Void) -> Void
    ) async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in body { continuation.resume(with: $0) } }
    }

    private func cancelled(
        _ outcome: (Int) -> CrossingOutcome, _ body: @escaping @Sendable () async throws -> Int
    ) async throws -> CrossingOutcome {
        let task = Task(operation: body)
        for _ in 0..<patience { await Task.yield() }
        task.cancel()
        do { return outcome(try await task.value) } catch is CancellationError { return .cancelled }
    }

    // MARK: Blocking

    func run(_ access: BlockingAccess) throws -> CrossingOutcome {
        try crossing.blocking {
            switch access {
            case .read: .saw(try writer.read(look))
            case .unsafeRead: .saw(try writer.unsafeRead(look))
            case .reentrantRead:
                .saw(try writer.unsafeReentrantRead { _ in try writer.unsafeReentrantRead(look) })
            case .write: .wrote(try writer.write(insert))
            case .plainWrite: .wrote(try writer.writeWithoutTransaction(insert))
            case .barrier: .wrote(try writer.barrierWriteWithoutTransaction(insert))
            case .reentrantWrite:
                .wrote(
                    try writer.unsafeReentrantWrite { db in
                        _ = try insert(db)
                        return try writer.unsafeReentrantRead(look)
                    })
            case .readInWrite:
                .wrote(
                    try writer.write { db in
                        if let pool { _ = try pool.read(look) }
                        return try insert(db)
                    })
            case .writeInRead: try writeInRead()
            case .otherDatabaseInWrite:
                .wrote(
                    try writer.write { db in
                        try next?.writer.read { _ = try $0.int("SELECT n FROM total") }
                        return try insert(db)
                    })
            case .callback:
                .saw(try wait { resume in writer.asyncRead { db in resume(Result { try look(db.get()) }) } })
            case .concurrentRead:
                .wrote(
                    try wait { resume in
                        try writer.writeWithoutTransaction { db in
                            _ = try insert(db)
                            writer.spawnConcurrentRead { db in resume(Result { try look(db.get()) }) }
                        }
                    })
            case .snapshot: try readSnapshot(makeSnapshot())
            case .snapshotPool: try readSnapshot(makeSnapshotPool())
            case .memory: releaseMemory()
            case .readOnlyConnections: invalidateReadOnlyConnections()
            }
        }
    }

    /// A write inside a read of a pool. It is rejected if the writer waits for the end of the read.
    private func writeInRead() throws -> CrossingOutcome {
        guard let pool else { return .wrote(try writer.write(insert)) }
        do {
            return .wrote(try pool.read { _ in try pool.write(insert) })
        } catch let error as DatabaseError where error.resultCode == .SQLITE_MISUSE {
            return .refused
        }
    }

    private func makeSnapshot() throws -> DatabaseSnapshot? { try pool?.makeSnapshot() }

    private func makeSnapshotPool() throws -> DatabaseSnapshotPool? { try pool?.makeSnapshotPool() }

    private func readSnapshot(_ snapshot: (any DatabaseSnapshotReader)?) throws -> CrossingOutcome {
        guard let snapshot else { return .saw(try writer.read(look)) }
        let before = try snapshot.read(look)
        let written = try writer.write(insert)
        try expectSame([before, snapshot.reentrantRead(look)])
        return .wrote(written)
    }

    private func releaseMemory() -> CrossingOutcome {
        if let pool { pool.releaseMemory() } else { (writer as? DatabaseQueue)?.releaseMemory() }
        return .nothing
    }

    private func invalidateReadOnlyConnections() -> CrossingOutcome {
        pool?.invalidateReadOnlyConnections()
        return .nothing
    }

    /// The value passed to a callback, for which the thread waits.
    private func wait(
        _ body: (@escaping @Sendable (Result<Int, any Error>) -> Void) throws -> Void
    ) throws -> Int {
        let value = Locked<Result<Int, any Error>?>(nil)
        let hasValue = DispatchSemaphore(value: 0)
        try body { result in
            value.with { $0 = result }
            hasValue.signal()
        }
        hasValue.wait()
        return try value.current!.get()
    }
}
