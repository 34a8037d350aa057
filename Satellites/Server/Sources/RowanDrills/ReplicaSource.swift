// The newest state of a replica, and the same state of the database.
//
// Writes wait for a moment, so that the last commit belongs to a transaction of Litestream and a read of the database
// starts at it. The replica then gets that transaction by itself, and the time that it takes is how far it is behind.

import Foundation
import Rowan
import RowanLitestream
import Synchronization

struct ReplicaSource: DrillSource {
    let replication: LitestreamReplication
    let database: any DatabaseWriter

    /// How long the drill waits for a running write.
    var writeTimeout: Duration
    /// How long writes wait at most.
    var maximumHold = Duration.seconds(10)

    func restore(to path: String, maximumAge: Duration?) async throws -> RestoredState {
        let maximumAge = maximumAge ?? .seconds(300)
        let live = try DatabaseQueue(path: await livePath(), configuration: .ofCopy(of: database.configuration))
        let reading = Mutex<Task<DatabaseDigest, any Error>?>(nil)
        return try await withTaskCancellationHandler {
            defer { reading.withLock { $0?.cancel() } }
            let (transaction, original) = try await retrying(until: .now + maximumAge) {
                try await database.withoutWrites(for: maximumHold, after: writeTimeout) {
                    let original = await read(live)
                    reading.withLock { reading in
                        reading?.cancel()
                        reading = original
                    }
                    return (try await replication.readCommits(), original)
                }
            }
            let age = try await wait(for: transaction, maximumAge)
            let start = ContinuousClock.now
            try await replication.replica.restore(to: path, transaction: transaction)
            let duration = start.duration(to: .now)
            return RestoredState(age: age, duration: duration, digest: try await original.value)
        } onCancel: {
            reading.withLock { $0?.cancel() }
        }
    }

    /// The path of the file that the database writes.
    ///
    /// - Throws: `RestoreDrillError` if the file that is replicated is another one: a symbolic link in its path has moved,
    ///   or another file has replaced it.
    private func livePath() async throws -> String {
        let sql = "SELECT file FROM pragma_database_list WHERE name = 'main'"
        let path = try await database.read { try String.fetchOne($0, sql: sql) } ?? ""
        func identity(_ path: String) -> [NSNumber?] {
            // A file that is missing is no other file's.
            let attributes = try? FileManager.default.attributesOfItem(
                atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
            return [attributes?[.systemNumber] as? NSNumber, attributes?[.systemFileNumber] as? NSNumber]
        }
        guard identity(path) == identity(replication.path) else {
            throw RestoreDrillError(
                .differs,
                "the database writes \(path), and Litestream replicates another file at \(replication.path): start both again"
            )
        }
        return path
    }

    /// Reads the database as it is now.
    ///
    /// - Returns: once the read has begun.
    private func read(_ live: DatabaseQueue) async -> Task<DatabaseDigest, any Error> {
        let (started, didStart) = AsyncStream<Void>.makeStream()
        let reading = Task {
            // Also if the database can't be read.
            defer { didStart.finish() }
            return try await live.read { db in
                do {
                    // The first query begins the read.
                    _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master")
                    didStart.finish()
                    return try DatabaseDigest(db)
                } catch let error as DatabaseError where error.resultCode != .SQLITE_INTERRUPT {
                    throw RestoreDrillError(.unreadable, "the database itself can't be read: \(error)")
                }
            }
        }
        for await _ in started {}
        return reading
    }

    /// Repeats a body that an error of Litestream has ended, until a time: it may be restarting, or the storage be away
    /// for a moment.
    private func retrying<T>(
        until deadline: ContinuousClock.Instant, _ body: () async throws -> T
    ) async throws -> T {
        while true {
            do { return try await body() } catch let error as LitestreamError {
                guard error.kind != .programNotFound, ContinuousClock.now + .seconds(1) < deadline else {
                    throw error
                }
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// Waits until the replica has a transaction.
    ///
    /// - Returns: the time that it took.
    func wait(for transaction: UInt64, _ maximumAge: Duration) async throws -> Duration {
        let start = ContinuousClock.now
        while true {
            let newest = try await retrying(until: start + maximumAge) { try await replication.newestSentTransaction() }
            let age = start.duration(to: .now)
            if newest >= transaction { return age }
            guard age < maximumAge else {
                throw RestoreDrillError(
                    .tooOld,
                    "after \(age), the replica has transaction \(newest), but the database was at \(transaction)")
            }
            try await Task.sleep(for: min(.seconds(1), maximumAge - age))
        }
    }
}

extension DatabaseWriter {
    /// Runs a body while no connection of any process can write.
    ///
    /// - Parameters:
    ///   - duration: how long writes wait at most.
    ///   - timeout: how long to wait for a running write.
    fileprivate func withoutWrites<T: Sendable>(
        for duration: Duration, after timeout: Duration, _ body: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        let release = DispatchSemaphore(value: 0)
        let (held, didHold) = AsyncStream<Void>.makeStream()
        let isHeld = Flag()
        return try await withThrowingTaskGroup(of: Hold<T>.self) { group in
            group.addTask {
                // The body must not wait for a write that never begins.
                defer { didHold.finish() }
                let isInTime = try await self.writeWithoutTransaction { db in
                    var isInTime = false
                    try db.inTransaction(.immediate) {
                        isHeld.set()
                        didHold.yield()
                        isInTime = release.wait(timeout: .now() + duration / .seconds(1)) == .success
                        return .rollback
                    }
                    return isInTime
                }
                guard isInTime else {
                    throw RestoreDrillError(.unreadable, "Litestream has not read the newest commits in \(duration)")
                }
                return .writeEnded
            }
            group.addTask {
                defer { release.signal() }
                for await _ in held { return .body(try await body()) }
                // The write has failed, and its error follows; or the drill is cancelled.
                return .neverHeld
            }
            group.addTask {
                // Only a cancellation ends the sleep early.
                do { try await Task.sleep(for: timeout) } catch { return .timerEnded }
                guard !isHeld.isSet else { return .timerEnded }
                // The cancelled task no longer waits for its turn.
                throw RestoreDrillError(
                    .unreadable,
                    "the drill could not begin, because a write was running for \(timeout): end it, or raise "
                        + "`writeTimeout`")
            }
            var (result, hasEnded) = (T?.none, false)
            while let step = try await group.next() {
                switch step {
                case .body(let value): result = value
                case .writeEnded: hasEnded = true
                case .timerEnded, .neverHeld: break
                }
                if hasEnded, let result {
                    group.cancelAll()
                    return result
                }
            }
            throw CancellationError()
        }
    }
}

/// What has ended while writes are kept out.
private enum Hold<T: Sendable> {
    case body(T)
    case writeEnded
    case timerEnded
    case neverHeld
}

private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() { value.store(true, ordering: .relaxed) }
}
