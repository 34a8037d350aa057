// A Litestream process as a service: started, confirmed at shutdown, and stopped, whatever it replicates.

import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// A Litestream process, run by this one or by another program.
final class LitestreamDaemon: Sendable {
    let replica: LitestreamReplica
    let mode: LitestreamReplication.Mode
    let shutdownTimeout: Duration
    let logger: Logger
    let state = Mutex(State())

    struct State {
        /// The files of the Litestream that runs, or will run again.
        var file: ConfigurationFile?
        var hasEnded = false
        var starts = 0
        var process: Int32?
    }

    init(replica: LitestreamReplica, mode: LitestreamReplication.Mode, shutdownTimeout: Duration, logger: Logger) {
        self.replica = replica
        self.mode = mode
        self.shutdownTimeout = shutdownTimeout
        self.logger = logger
    }

    /// Runs Litestream until the graceful shutdown of the service group, or until the task is cancelled.
    ///
    /// - Parameters:
    ///   - source: What Litestream replicates.
    ///   - name: The name of the source in errors.
    ///   - prepare: Runs before the first start.
    ///   - watch: Runs next to Litestream until it is cancelled.
    ///   - confirm: At a graceful shutdown, waits until the replica has all changes, and returns what is logged.
    func run(
        _ source: ConfigurationFile.Source, named name: String,
        preparing prepare: @escaping @Sendable () async throws -> Void,
        watching watch: (@Sendable () async throws -> Void)? = nil,
        confirming confirm: @escaping @Sendable (_ timeout: Duration) async throws -> Logger.Metadata
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            if mode == .supervised {
                let file = try start(source, name)
                group.addTask {
                    try await prepare()
                    try await self.supervise(file)
                }
            }
            if let watch { group.addTask(operation: watch) }
            group.addTask { try await gracefulShutdown() }
            defer { didEnd() }
            do {
                try await group.next()
            } catch is CancellationError {
                return try await end(&group)
            }
            logger.info("waiting for the replica to confirm the last changes")
            let result = await Result { try await confirm(self.shutdownTimeout) }
            try await end(&group)
            switch result {
            case .success(let metadata):
                logger.info("the replica has all changes", metadata: metadata)
            case .failure(let error):
                logger.error("the replica may lack the last changes: \(error)")
                throw error
            }
        }
    }

    private func start(_ source: ConfigurationFile.Source, _ name: String) throws -> ConfigurationFile {
        // Before anything starts.
        _ = try replica.program.resolvedPath()
        try source.check()
        let file = try ConfigurationFile(replica: replica, source: source, shutdownTimeout: shutdownTimeout)
        let isFirst = state.withLock { state in
            guard state.file == nil else { return false }
            state = State(file: file)
            return true
        }
        guard isFirst else {
            file.remove()
            throw LitestreamError(.invalidSetting, "run() already replicates \(name): call it once at a time")
        }
        return file
    }

    private func end(_ group: inout ThrowingTaskGroup<Void, any Error>) async throws {
        group.cancelAll()
        while let result = await group.nextResult() {
            if case .failure(let error) = result, !(error is CancellationError) { throw error }
        }
    }

    private func didEnd() {
        let file = state.withLock { state in
            defer { state = State(hasEnded: true) }
            return state.file
        }
        file?.remove()
    }
}

extension Result where Failure == any Error {
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
