// Requests to the running Litestream over its control socket: `litestream sync`, `info` and `list`.

public import Foundation
import Synchronization

extension LitestreamReplication {
    /// Sends everything committed before this call to the replica, and returns when the replica has confirmed it.
    ///
    /// ```swift
    /// try await pool.write { db in try order.insert(db) }
    /// try await replication.sync()
    /// // The order survives this machine.
    /// ```
    ///
    /// A call costs a process and a request to the storage. If Litestream does not run yet, is being restarted, or
    /// can't reach the storage, the call retries until the timeout.
    ///
    /// - Parameter timeout: The maximum total time to wait.
    /// - Returns: The number of the Litestream transaction up to which the replica has all changes.
    /// - Throws: ``LitestreamError/Kind/notRunning`` if Litestream can't be reached,
    ///   ``LitestreamError/Kind/notAcknowledged`` if the replica has not confirmed the changes in time, and
    ///   `CancellationError`.
    ///
    /// Source: `litestream help sync`
    @discardableResult
    public func sync(timeout: Duration = .seconds(30)) async throws -> UInt64 {
        let deadline = ContinuousClock.now + timeout
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            let failure: LitestreamError
            do {
                return try await syncOnce(timeout: left)
            } catch let error as LitestreamError where error.kind == .notRunning || error.kind == .notAcknowledged {
                failure = error
            }
            if state.withLock(\.hasEnded) || ContinuousClock.now + .milliseconds(200) >= deadline { throw failure }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    /// Makes Litestream read the newest commits, but not send them.
    ///
    /// - Returns: the number of the Litestream transaction that contains the last commit.
    package func readCommits() async throws -> UInt64 {
        struct Answer: Decodable { let txid: UInt64 }
        return try await ask(Answer.self, ["sync"], [path]).txid
    }

    private func syncOnce(timeout: Duration) async throws -> UInt64 {
        let seconds = max(1, (timeout.milliseconds + 999) / 1000)
        let answer: SyncAnswer
        do {
            answer = try await withTimeout(timeout) {
                try await self.ask(SyncAnswer.self, ["sync", "-wait", "-timeout", "\(seconds)"], [self.path])
            }
        } catch let error as LitestreamError where error.kind == .commandFailed {
            throw LitestreamError(.notAcknowledged, "\(path) is not confirmed on the replica: \(error.message)")
        }
        guard answer.replica >= answer.txid else {
            throw LitestreamError(
                .notAcknowledged,
                "the replica has confirmed transaction \(answer.replica) of \(path), which is at \(answer.txid)")
        }
        return answer.replica
    }

    /// Whether Litestream runs, and how far the replica may be behind.
    ///
    /// ```swift
    /// let status = try await replication.status()
    /// guard status.isRunning, status.lag ?? .zero < .seconds(60) else { return .serviceUnavailable }
    /// ```
    ///
    /// - Throws: ``LitestreamError`` if the program is missing or its response can't be read. If Litestream does not
    ///   run, no error is thrown.
    public func status() async throws -> LitestreamStatus {
        var status = LitestreamStatus()
        status.restarts = state.withLock { max(0, $0.starts - 1) }
        do {
            let info = try await ask(InfoAnswer.self, ["info"], [])
            let databases = try await ask(ListAnswer.self, ["list"], []).databases
            let database = databases.first { $0.path == path }
            status.processIdentifier = info.pid
            status.version = info.version
            status.isRunning = database?.status == "replicating"
            status.lastSync = database?.last_sync_at.flatMap(Self.date)
            return status
        } catch let error as LitestreamError where error.kind == .notRunning {
            return status
        }
    }

    /// Sends a request to the running Litestream.
    private func ask<A: Decodable>(_ type: A.Type, _ command: [String], _ arguments: [String]) async throws -> A {
        let socket: String
        switch mode {
        case .external(let path): socket = path
        case .supervised:
            guard let file = state.withLock(\.file) else {
                throw LitestreamError(
                    .notRunning, "run() does not run: add the replication to the services of a ServiceGroup")
            }
            socket = file.socket
        }
        do {
            return try await replica.program.answer(type, command + ["-json", "-socket", socket] + arguments)
        } catch let error as LitestreamError where error.message.contains("failed to connect to control socket") {
            throw LitestreamError(.notRunning, "Litestream does not answer at \(socket): \(error.message)")
        }
    }

    /// Runs a task and cancels it after a time.
    private func withTimeout<T: Sendable>(
        _ timeout: Duration, _ body: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        try await withThrowingTaskGroup(of: T.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw LitestreamError(.notAcknowledged, "the replica has not confirmed the changes in \(timeout)")
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }

    private static func date(_ text: String) -> Date? {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // Go omits a zero fraction.
        return (try? style.parse(text)) ?? (try? Date.ISO8601FormatStyle().parse(text))
    }

    private struct SyncAnswer: Decodable {
        let txid: UInt64
        let replica: UInt64

        private enum CodingKeys: String, CodingKey {
            case txid
            case replica = "replica_txid"
        }
    }

    private struct InfoAnswer: Decodable {
        let version: String
        let pid: Int32
    }

    private struct ListAnswer: Decodable {
        struct Database: Decodable {
            let path: String
            let status: String
            let last_sync_at: String?
        }
        let databases: [Database]
    }
}

/// Litestream's report on the replication of a database.
public struct LitestreamStatus: Sendable, Hashable {
    /// Whether Litestream runs and replicates this database.
    public internal(set) var isRunning = false

    /// The version of the running Litestream.
    public internal(set) var version: String?

    /// The process of the running Litestream.
    public internal(set) var processIdentifier: Int32?

    /// The last time at which the replica had all changes.
    ///
    /// Litestream checks the replica every few seconds, even if nothing was written.
    public internal(set) var lastSync: Date?

    /// The number of times the service has restarted Litestream.
    public internal(set) var restarts = 0

    /// The maximum age of the changes that the replica lacks; nil if it has never had all changes since the start.
    ///
    /// In normal operation, it stays below five seconds and the ``LitestreamReplica/syncInterval``.
    public var lag: Duration? {
        lastSync.map { .milliseconds(Int64(max(0, Date().timeIntervalSince($0)) * 1000)) }
    }
}
