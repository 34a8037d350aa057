// The lifecycle of a server's database, with swift-service-lifecycle: opened and migrated before the first request,
// closed after the last one.

import Dispatch
public import Logging
public import Rowan
public import ServiceLifecycle
import Synchronization

/// A database that a service group closes when the program shuts down.
///
/// ```swift
/// let database = try await DatabaseService.open(path: "/data/app.sqlite", migrator: migrator, logger: logger)
/// let app = Application(router: makeRouter(database.pool), logger: logger)
/// let group = ServiceGroup(
///     services: [database, app], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
/// try await group.run()
/// ```
///
/// A service group shuts its services down in reverse order: list the database before the services that use it. On a
/// graceful shutdown, or if its task is cancelled, the service ends the observations, waits for running accesses,
/// copies the write-ahead log into the file, and closes the pool. Accesses that take too long are interrupted and
/// logged.
public struct DatabaseService: Service {
    /// The options of a service.
    public struct Options: Sendable {
        /// The maximum time to wait for running accesses when closing, and for `beforeClosing`. 10 s by default.
        public var shutdownTimeout = Duration.seconds(10)
        /// The interval at which SQLite checks for missing or outdated statistics, which it also does once when
        /// closing. Nil by default: never. Some hours are usual. <https://sqlite.org/pragma.html#pragma_optimize>
        public var optimizeInterval: Duration?

        /// Creates the default options.
        public init() {}
    }

    /// A step that runs on the database before it opens or closes.
    public typealias Step<Argument> = @Sendable (Argument) async throws -> Void

    /// The database.
    public let pool: DatabasePool
    private let logger: Logger
    private let options: Options
    private let beforeClosing: Step<DatabasePool>?

    /// Creates a service that closes a pool.
    ///
    /// - Parameters:
    ///   - pool: an open pool.
    ///   - logger: the logger of the service.
    ///   - options: the options of the service.
    ///   - beforeClosing: runs after running accesses have finished and the write-ahead log is copied, unless
    ///     Litestream replicates the database: for a last backup. After ``Options/shutdownTimeout``, it is cancelled.
    public init(
        _ pool: DatabasePool, logger: Logger = Logger(label: "Rowan"), options: Options = Options(),
        beforeClosing: Step<DatabasePool>? = nil
    ) {
        (self.pool, self.logger, self.options, self.beforeClosing) = (pool, logger, options, beforeClosing)
    }

    /// Opens a database and migrates it.
    ///
    /// ```swift
    /// let database = try await DatabaseService.open(path: path, migrator: migrator) { path in
    ///     try await replica.restoreIfMissing(to: path)   // RowanLitestream
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - path: the path of the database file.
    ///   - configuration: the configuration of the pool.
    ///   - migrator: the migrations of the program; nil if it has none.
    ///   - logger: the logger of the service.
    ///   - options: the options of the service.
    ///   - beforeOpening: runs first, with the path. It may restore the file.
    ///   - beforeClosing: runs after running accesses have finished and the write-ahead log is copied. After
    ///     ``Options/shutdownTimeout``, it is cancelled.
    /// - Returns: a service whose pool is ready.
    /// - Throws: errors of `beforeOpening`, the pool and the migrations, after closing the pool.
    public static func open(
        path: String, configuration: Configuration = Configuration(), migrator: DatabaseMigrator? = nil,
        logger: Logger = Logger(label: "Rowan"), options: Options = Options(),
        beforeOpening: Step<String>? = nil, beforeClosing: Step<DatabasePool>? = nil
    ) async throws -> DatabaseService {
        try await beforeOpening?(path)
        let pool = try DatabasePool(path: path, configuration: configuration)
        do { if let migrator { try await migrate(pool, migrator) } } catch {
            // The error of the migration takes precedence.
            try? pool.close()
            throw error
        }
        logger.info("the database is ready", metadata: ["db.namespace": "\(configuration.label ?? path)"])
        return DatabaseService(pool, logger: logger, options: options, beforeClosing: beforeClosing)
    }

    /// Migrates without blocking the thread of the task.
    private static func migrate(_ pool: DatabasePool, _ migrator: DatabaseMigrator) async throws {
        try await withCheckedThrowingContinuation { continuation in
            migrator.asyncMigrate(pool) { result in continuation.resume(with: result.map { _ in }) }
        }
    }

    /// Waits for the graceful shutdown and closes the database.
    ///
    /// - Throws: ``DatabaseServiceError`` if accesses don't finish in time; errors of `beforeClosing` and of closing; a
    ///   `CancellationError` if `beforeClosing` does not finish in time.
    public func run() async throws {
        await waitForShutdown()
        // A cancelled task also closes its database.
        let closing = Task { try await close() }
        try await closing.value
    }

    private func waitForShutdown() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // A cancellation is also a shutdown.
                try? await gracefulShutdown()
            }
            if let interval = options.optimizeInterval { group.addTask { await optimize(every: interval) } }
            await group.next()
            group.cancelAll()
        }
    }

    private func optimize(every interval: Duration) async {
        while true {
            // A cancellation ends the task.
            do { try await Task.sleep(for: interval) } catch { return }
            await optimize()
        }
    }

    private func optimize() async {
        do { try await pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA optimize") } } catch {
            if !(error is CancellationError) { logger.warning("PRAGMA optimize has failed: \(error)") }
        }
    }

    // MARK: Closing

    private func close() async throws {
        let pool = pool
        logger.debug("the database is closing")
        // No access is running inside the barrier.
        do {
            try await ending {
                try pool.endObservations()
                try pool.barrierWriteWithoutTransaction { _ in }
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_MISUSE {
            // The program has closed the pool itself.
            return
        }
        if options.optimizeInterval != nil { await optimize() }
        await checkpoint()
        let step = await runBeforeClosing()
        // Accesses that have started in the meantime also finish.
        try await ending { try pool.close() }
        logger.info("the database is closed")
        // Closing loses nothing that is committed.
        if case .failure(let error) = step { throw error }
    }

    private func runBeforeClosing() async -> Result<Void, any Error> {
        guard let beforeClosing else { return .success(()) }
        let (pool, step) = (pool, Outcome())
        let task = Task { step.set(await Result { try await beforeClosing(pool) }) }
        if let result = await step.value(by: .now + options.shutdownTimeout) {
            if case .failure(let error) = result {
                logger.error("the database closes, although what should precede it has failed: \(error)")
            }
            return result
        }
        logger.error(
            "the database closes, although what should precede it has not ended after \(options.shutdownTimeout)")
        task.cancel()
        return .failure(CancellationError())
    }

    /// Runs work that waits for accesses. After the timeout, these are interrupted and logged.
    private func ending(_ work: @escaping @Sendable () throws -> Void) async throws {
        let outcome = Outcome()
        // A serial queue always has a thread. The global ones belong to tasks, which the work would block.
        DispatchQueue(label: "DatabaseService").async { outcome.set(Result { try work() }) }
        if let result = await outcome.value(by: .now + options.shutdownTimeout) { return try result.get() }
        let accesses = runningAccesses
        logger.error(
            "accesses are still running after \(options.shutdownTimeout), and are interrupted",
            metadata: ["accesses": .array(accesses.map { "\($0)" })])
        pool.interrupt()
        guard let result = await outcome.value(by: .now + .seconds(1)) else {
            throw DatabaseServiceError(accesses: accesses)
        }
        try result.get()
    }

    private func checkpoint() async {
        // Litestream empties the log itself once it is replicated.
        guard !pool.configuration.replicatedByLitestream else { return }
        do { try await pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } } catch {
            // Another process reads the log. What it needs stays in the log and is not lost.
            logger.notice("the write-ahead log is not copied yet: \(error)")
        }
    }

    private var runningAccesses: [String] {
        let status = pool.status
        // While the barrier waits for reads, the running write is the barrier itself.
        let write = status.waitingWriteCount > 0 ? status.write : nil
        return ((write.map { [$0] } ?? []) + status.reads).map(\.description)
    }
}

/// The outcome of work that is awaited for a limited time.
private final class Outcome: Sendable {
    private struct State {
        var result: Result<Void, any Error>?
        var waiter: CheckedContinuation<Result<Void, any Error>?, Never>?
    }

    private let state = Mutex(State())

    func set(_ result: Result<Void, any Error>) {
        state.withLock { state in
            state.result = result
            return state.waiter.take()
        }?.resume(returning: result)
    }

    /// - Returns: nil if the work has not finished in time.
    func value(by deadline: ContinuousClock.Instant) async -> Result<Void, any Error>? {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state in
                if state.result == nil { state.waiter = continuation }
                return state.result
            }
            if let known { return continuation.resume(returning: known) }
            // The task is never cancelled. It resumes the waiter, unless that has already happened.
            Task {
                try? await Task.sleep(until: deadline)
                self.state.withLock { $0.waiter.take() }?.resume(returning: nil)
            }
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

/// The error for accesses that did not finish in time, so that the database could not be closed.
public struct DatabaseServiceError: Error, CustomStringConvertible {
    /// The accesses, with their call sites, durations and last statements if known.
    public let accesses: [String]

    /// What happened and what to do.
    public var description: String {
        """
        the database can't be closed, because accesses are still running: \(accesses.joined(separator: "; ")). Make them \
        shorter, or raise DatabaseService.Options.shutdownTimeout
        """
    }
}
