// Requests to the running Litestream over its control socket: `litestream sync`, `info`, `list`, `stop` and `start`.

import Foundation
import Synchronization

extension LitestreamDaemon {
    /// Sends everything committed to a database, and waits until the replica has confirmed it.
    func sync(_ path: String, timeout: Duration) async throws -> UInt64 {
        let deadline = ContinuousClock.now + timeout
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            let failure: LitestreamError
            do {
                return try await syncOnce(path, timeout: left)
            } catch let error as LitestreamError where error.kind == .notRunning || error.kind == .notAcknowledged {
                failure = error
            }
            if state.withLock(\.hasEnded) || ContinuousClock.now + .milliseconds(200) >= deadline { throw failure }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    private func syncOnce(_ path: String, timeout: Duration) async throws -> UInt64 {
        let seconds = max(1, (timeout.milliseconds + 999) / 1000)
        let answer: SyncAnswer
        do {
            answer = try await withTimeout(timeout) {
                try await self.ask(SyncAnswer.self, ["sync", "-wait", "-timeout", "\(seconds)"], [path])
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

    /// The databases that the running Litestream has.
    func databases() async throws -> [LitestreamDatabase] {
        try await ask(ListAnswer.self, ["list"], []).databases.map { database in
            LitestreamDatabase(
                path: database.path, isReplicating: database.status == "replicating",
                lastSync: database.last_sync_at.flatMap(Self.date))
        }
    }

    /// The status of all of some databases: the oldest of their times.
    func status(of paths: [String]) async throws -> LitestreamStatus {
        var status = LitestreamStatus()
        status.restarts = state.withLock { max(0, $0.starts - 1) }
        do {
            let info = try await ask(InfoAnswer.self, ["info"], [])
            let known = Dictionary(try await databases().map { ($0.path, $0) }) { $1 }
            let databases = paths.map { known[$0] }
            status.processIdentifier = info.pid
            status.version = info.version
            status.isRunning = databases.allSatisfy { $0?.isReplicating == true }
            let syncs = databases.compactMap { $0?.lastSync }
            status.lastSync = syncs.count == paths.count ? syncs.min() : nil
            return status
        } catch let error as LitestreamError where error.kind == .notRunning {
            return status
        }
    }

    /// Has the running Litestream stop or start the replication of a database.
    func command(_ command: [String], _ path: String) async throws {
        _ = try await request { socket in
            try await replica.program.run(command + ["-socket", socket, path])
        }
    }

    /// Ends the running Litestream, which is then started again.
    func terminate() {
        state.withLock { state in _ = state.process.map { kill($0, SIGTERM) } }
    }

    /// Sends a request to the running Litestream, and reads its response.
    func ask<A: Decodable>(_ type: A.Type, _ command: [String], _ arguments: [String]) async throws -> A {
        try await request { socket in
            try await replica.program.answer(type, command + ["-json", "-socket", socket] + arguments)
        }
    }

    private func request<T>(_ body: (_ socket: String) async throws -> T) async throws -> T {
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
        do { return try await body(socket) } catch let error as LitestreamError
            where error.message.contains("failed to connect to control socket")
        {
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
