// Runs jobs while a server runs, with swift-service-lifecycle.

public import Logging
public import Metrics
public import Rowan
public import ServiceLifecycle
import Synchronization

/// Runs the jobs of a database.
///
/// ```swift
/// let database = try await DatabaseService.open(path: path, configuration: configuration, migrator: migrator)
/// let workers = JobService(jobs, database: database.pool, logger: logger)
/// let group = ServiceGroup(
///     services: [database, workers, app], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
/// try await group.run()
/// ```
///
/// List the service after the database, which closes later. Several processes may run the jobs of one database. They
/// notice each other's jobs if `Configuration.observesOtherProcesses` is true, otherwise within five seconds.
///
/// | Metric | Type | What it measures |
/// | --- | --- | --- |
/// | `rowan.job.duration` | timer | an attempt of a job; the labels are `kind`, `queue` and `outcome` |
/// | `rowan.jobs.waiting` | gauge | the jobs of a `queue` that wait |
/// | `rowan.jobs.oldest_age` | gauge | how long the oldest ready job of a `queue` has been ready, in seconds |
///
/// The gauges are set at most every 15 seconds. Each attempt has a span below that of the task that enqueued the job.
///
/// Article: <doc:BackgroundJobs>.
public struct JobService: Service {
    /// The options of a service.
    public struct Options: Sendable {
        /// The queues whose jobs this process runs; nil for all queues of the ``Jobs``.
        public var queues: Set<String>?
        /// How long a graceful shutdown waits for running jobs. The others are then cancelled, and wait for the next
        /// worker. 10 s by default.
        public var shutdownTimeout = Duration.seconds(10)
        /// How often a worker that runs jobs shows the others that it is alive. 5 s by default.
        public var heartbeat = Duration.seconds(5)
        /// After which time without a heartbeat others run the jobs of a worker. 30 s by default.
        public var lease = Duration.seconds(30)
        /// The destination of the metrics; nil for the metrics system of the process.
        public var metricsFactory: (any MetricsFactory)?

        /// Creates the default options.
        public init() {}
    }

    private let jobs: Jobs
    private let database: any DatabaseWriter
    private let options: Options
    private let logger: Logger

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - jobs: the jobs of the program.
    ///   - database: a pool, a queue, or a cluster.
    ///   - options: the options of the service.
    ///   - logger: the logger of the service and its jobs.
    public init(
        _ jobs: Jobs, database: any DatabaseWriter, options: Options = Options(),
        logger: Logger = Logger(label: "jobs")
    ) {
        (self.jobs, self.database, self.options, self.logger) = (jobs, database, options, logger)
    }

    /// Runs jobs until the shutdown.
    ///
    /// After a graceful shutdown, running jobs may finish within ``Options/shutdownTimeout``. After a cancellation of the
    /// task, they are cancelled at once.
    ///
    /// - Throws: a ``JobError`` if the database has no tables of jobs; SQLITE_MISUSE if it is closed.
    public func run() async throws {
        let worker = JobWorker(jobs, database, options, logger)
        try await worker.prepare()
        let observation = try await observe(worker.signal)
        defer { observation.cancel() }
        // A cancelled task can't write how its jobs have ended, so the worker has one of its own.
        let work = Task { try await worker.run() }
        let timeout = options.shutdownTimeout
        try await withTaskCancellationHandler {
            try await withGracefulShutdownHandler {
                try await work.value
            } onGracefulShutdown: {
                Task { await worker.stop(within: timeout) }
            }
        } onCancel: {
            Task { await worker.stop(within: .zero) }
        }
    }

    /// Signals the commits that concern jobs.
    private func observe(_ signal: JobSignal) async throws -> AnyDatabaseCancellable {
        let observation = DatabaseRegionObservation(
            tracking: Table("rowan_job").select(Column("state"), Column("cancelled")))
        return try await database.writeWithoutTransaction { [database] _ in
            // The observation starts, or reports its error, before the method returns.
            let failure = Mutex<(any Error)?>(nil)
            let cancellable = observation.start(in: database) { error in
                failure.withLock { $0 = error }
            } onChange: { _ in
                signal.didCommit()
            }
            if let error = failure.withLock({ $0 }) { throw error }
            return cancellable
        }
    }
}

extension Jobs {
    /// Runs all jobs that are ready, for the test kit.
    package func runAllJobs(on database: any DatabaseWriter, _ logger: Logger) async throws -> JobRunReport {
        let worker = JobWorker(self, database, JobService.Options(), logger)
        try await worker.prepare()
        return try await worker.runAll()
    }
}
