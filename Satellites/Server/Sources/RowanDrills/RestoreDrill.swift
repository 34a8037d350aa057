// Proves, while a server runs, that its backups can be restored.

import Foundation
public import Logging
public import Metrics
public import Rowan
public import RowanLitestream
import RowanTenants
public import ServiceLifecycle

/// Proves on a schedule that the backups of a database can be restored.
///
/// ```swift
/// let drill = RestoreDrill(of: replication, database: pool, logger: logger) { db in
///     // A query of the program, which throws if the copy can't be right.
///     guard try Place.fetchCount(db) > 0 else { throw EmptyBackup() }
/// }
/// try await ServiceGroup(services: [replication, drill, app], logger: logger).run()
/// ```
///
/// A drill restores the newest state into a temporary file, runs `PRAGMA quick_check` and the check of the program, and
/// compares the rows of all tables with the database as it was at that state. A failure is logged as an error, and the
/// next drill runs as planned.
///
/// | Metric | Type | What it measures |
/// | --- | --- | --- |
/// | `rowan.drill.duration` | timer | a drill; the label `outcome` is `passed` or `failed` |
/// | `rowan.drill.age` | gauge | how old the restored state was, in seconds |
/// | `rowan.drill.last_success` | gauge | when a drill has last passed, in seconds since 1970 |
/// | `rowan.drill.failures` | counter | the drills that have failed |
///
/// Article: <doc:RestoreDrills>.
public struct RestoreDrill: Service {
    /// The options of a drill.
    public struct Options: Sendable {
        /// The time from the start of a drill to that of the next one. 1 day by default.
        public var interval = Duration.seconds(24 * 3_600)
        /// The time from the start of the service to that of the first drill. 1 minute by default.
        public var delay = Duration.seconds(60)
        /// How old the newest state may be. 5 minutes for replicas and 25 hours for backups by default.
        public var maximumAge: Duration?
        /// How long a drill of a replica waits for a running write. 5 minutes by default. A write that takes longer makes
        /// the drill fail.
        public var writeTimeout = Duration.seconds(300)
        /// The folder for the copy, which is as large as the database. The folder for temporary files by default.
        public var folder = FileManager.default.temporaryDirectory.path
        /// The destination of the metrics; nil for the metrics system of the process.
        public var metricsFactory: (any MetricsFactory)?

        /// Creates the default options.
        public init() {}
    }

    /// What a drill has proven.
    public struct Report: Sendable, Hashable {
        /// The number of rows of each table of the copy. `sqlite_schema` stands for the definitions.
        public let rows: [String: Int]
        /// Whether the copy was compared with the database. A backup without a digest can't be.
        public let isCompared: Bool
        /// How old the restored state was: the time that a replica was behind, or the age of a backup.
        public let age: Duration
        /// How long the copy of the state took.
        public let restoreDuration: Duration
        /// How long the drill took.
        public let duration: Duration
    }

    let source: any DrillSource
    private let configuration: Configuration
    private let options: Options
    private let logger: Logger
    private let check: @Sendable (Database) throws -> Void

    /// Creates drills of a replica.
    ///
    /// - Parameters:
    ///   - replication: the running replication of the database.
    ///   - database: the database. Writes wait while Litestream reads the newest commits, about 50 ms at each drill.
    ///   - options: the options of the drills.
    ///   - logger: the logger of the drills.
    ///   - check: a check of the restored copy by the program, which throws an error if it fails.
    public init(
        of replication: LitestreamReplication, database: any DatabaseWriter, options: Options = Options(),
        logger: Logger = Logger(label: "restore drill"), check: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) {
        let source = ReplicaSource(
            replication: replication, database: database, writeTimeout: options.writeTimeout)
        self.init(source, database, options, logger, check)
    }

    /// Creates drills of backup files.
    ///
    /// - Parameters:
    ///   - backups: the folder of the backups. The newest file `*.sqlite` is tried, and compared with its digest if
    ///     ``BackupFolder/add(_:)`` made it.
    ///   - database: the database, whose configuration also opens the copy.
    ///   - options: the options of the drills.
    ///   - logger: the logger of the drills.
    ///   - check: a check of the copy by the program, which throws an error if it fails.
    public init(
        of backups: BackupFolder, database: any DatabaseReader, options: Options = Options(),
        logger: Logger = Logger(label: "restore drill"), check: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) {
        self.init(BackupSource(folder: backups), database, options, logger, check)
    }

    private init(
        _ source: any DrillSource, _ database: any DatabaseReader, _ options: Options, _ logger: Logger,
        _ check: @escaping @Sendable (Database) throws -> Void
    ) {
        (self.source, self.options, self.logger, self.check) = (source, options, logger, check)
        configuration = .ofCopy(of: database.configuration)
    }

    /// Drills until the shutdown, which ends a running drill.
    ///
    /// It throws no error: failed drills are logged and counted.
    public func run() async throws {
        DrillMetrics(options.metricsFactory).begin()
        await cancelWhenGracefulShutdown {
            var next = ContinuousClock.now + options.delay
            while true {
                // Only a cancellation ends the sleep early.
                do { try await Task.sleep(until: next, clock: .continuous) } catch { return }
                next = max(next + options.interval, .now)
                // The failure is logged and counted.
                _ = try? await drill()
            }
        }
    }

    /// Runs one drill.
    ///
    /// ```swift
    /// let report = try await drill.drill()
    /// print("\(report.rows["place"] ?? 0) places restored in \(report.restoreDuration)")
    /// ```
    ///
    /// - Throws: a ``RestoreDrillError``; `CancellationError`.
    /// - Complexity: reads the database twice, and its copy three times.
    @discardableResult
    public func drill() async throws -> Report {
        let start = ContinuousClock.now
        let metrics = DrillMetrics(options.metricsFactory)
        do {
            let report = try await attempt(start)
            metrics.didPass(report)
            logger.info(
                "the backup can be restored",
                metadata: [
                    "age": "\(report.age)", "duration": "\(report.duration)",
                    "rows": "\(report.rows.values.reduce(0, +))", "compared": "\(report.isCompared)",
                ])
            return report
        } catch {
            if Task.isCancelled { throw CancellationError() }
            let error = error as? RestoreDrillError ?? RestoreDrillError(.unreadable, "no copy could be made: \(error)")
            metrics.didFail(start.duration(to: .now))
            logger.error("the restore drill has failed: \(error)")
            throw error
        }
    }

    private func attempt(_ start: ContinuousClock.Instant) async throws -> Report {
        let folder = try LockedFolder(in: options.folder, prefix: ".rowan-drill-")
        defer { folder.remove() }
        let path = folder.path + "/copy.sqlite"
        let state = try await source.restore(to: path, maximumAge: options.maximumAge)
        let digest = try await read(path)
        if let original = state.digest {
            let differences = original.differences(to: digest)
            guard differences.isEmpty else {
                throw RestoreDrillError(
                    .differs, "the copy differs from the database: \(differences.prefix(10).joined(separator: "; "))")
            }
        }
        return Report(
            rows: digest.tables.mapValues(\.rows), isCompared: state.digest != nil, age: state.age,
            restoreDuration: state.duration, duration: start.duration(to: .now))
    }

    /// Checks a copy.
    private func read(_ path: String) async throws -> DatabaseDigest {
        do {
            let copy = try DatabaseQueue(path: path, configuration: configuration)
            return try await copy.read { [check] db in
                let problems = try db.quickCheck(limit: 10)
                guard problems.isEmpty else {
                    throw RestoreDrillError(.damaged, "the copy is damaged: \(problems.joined(separator: "; "))")
                }
                let digest = try DatabaseDigest(db)
                do { try check(db) } catch let error as DatabaseError where error.isFaultOfCopy {
                    throw error
                } catch {
                    throw RestoreDrillError(.checkFailed, "the check of the program has failed: \(error)")
                }
                return digest
            }
        } catch let error as DatabaseError {
            guard error.isFaultOfCopy else { throw RestoreDrillError(.damaged, "the copy can't be read: \(error)") }
            throw RestoreDrillError(
                .unreadable,
                "the copy could not be checked, which says nothing about the backup: \(error). Check the disk of "
                    + options.folder)
        }
    }
}

extension DatabaseError {
    /// Whether the disk or the memory of this machine is at fault, and not what was restored.
    fileprivate var isFaultOfCopy: Bool {
        [.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_CANTOPEN].contains(resultCode)
    }
}

/// What a drill restores.
protocol DrillSource: Sendable {
    /// Makes a copy of the newest state.
    ///
    /// - Parameter maximumAge: how old the state may be; nil for the default.
    func restore(to path: String, maximumAge: Duration?) async throws -> RestoredState
}

/// A state that was restored.
struct RestoredState: Sendable {
    let age: Duration
    let duration: Duration
    /// What the database contained at that state.
    let digest: DatabaseDigest?
}
