// Logs of a database with swift-log: slow statements, failures, repetitions, and properties of the database.

public import Logging
public import Rowan
import Synchronization

/// Logs slow statements, errors, long reads and repeated queries.
///
/// ```swift
/// var config = Configuration()
/// config.instruments.append(LogInstrument(Logger(label: "db")))
/// let dbPool = try DatabasePool(path: path, configuration: config)
/// // info: the pool is open: path/to/db.sqlite (SQLite 3.40.1, journal mode wal)
/// // warning: a statement has taken 215 milliseconds: SELECT * FROM player WHERE name = ?
/// ```
///
/// Statements are logged with their parameters but without their arguments, unless
/// `Configuration.publicStatementArguments` is true. A level that the logger ignores costs nothing.
public struct LogInstrument: DatabaseInstrument {
    /// What is logged, and at which levels. Nil for what is not logged.
    public struct Options: Sendable {
        /// The level of the line at the opening.
        public var opening: Logger.Level? = .info
        /// The level of statements that take longer than ``slowStatementDuration``.
        public var slowStatements: Logger.Level? = .warning
        /// The duration above which a statement is slow, including the program's time for its rows. 100 ms by default.
        public var slowStatementDuration = Duration.milliseconds(100)
        /// The level of failed statements. The program may expect the error, such as a violated constraint.
        public var errors: Logger.Level? = .warning
        /// The level of reads that prevent the write-ahead log from being reused.
        public var longReads: Logger.Level? = .warning
        /// The duration above which a read of a pool is long. 5 s by default.
        public var longReadDuration = Duration.seconds(5)
        /// The level of statements that one access repeats, which could be a single query.
        public var repeatedQueries: Logger.Level? = .notice
        /// The number of runs in one access from which a query counts as repeated. 20 by default.
        public var repeatedQueryCount = 20
        /// The level of all statements.
        public var statements: Logger.Level? = .trace
        /// The level of checkpoints.
        public var checkpoints: Logger.Level? = .debug
        /// The level of warnings: a database that another connection could damage.
        public var warnings: Logger.Level? = .warning

        /// Creates the default options.
        public init() {}
    }

    private let logger: Logger
    private let options: Options
    /// The highest level at which the logger needs accesses.
    private let accessLevel: Logger.Level?

    /// Creates an instrument that writes to a logger.
    public init(_ logger: Logger = Logger(label: "Rowan"), options: Options = Options()) {
        (self.logger, self.options) = (logger, options)
        accessLevel = [options.slowStatements, options.errors, options.repeatedQueries, options.statements]
            .compactMap { $0 }.max()
    }

    private func isLogged(_ level: Logger.Level?) -> Bool { level.map { logger.logLevel <= $0 } ?? false }

    private func log(
        _ level: Logger.Level?, _ message: @autoclosure () -> Logger.Message, _ metadata: Logger.Metadata = [:]
    ) {
        guard let level, isLogged(level) else { return }
        logger.log(level: level, message(), metadata: metadata)
    }

    // MARK: Databases

    /// Logs the path, the version of SQLite and the journal mode.
    public func didOpen(_ database: InstrumentedDatabase) {
        log(
            options.opening,
            """
            the \(database.kind.rawValue) is open: \(database.path) (SQLite \(database.sqliteVersion), journal mode \
            \(database.journalMode))
            """, database.metadata)
        guard database.isExposedToWALResetBug else { return }
        log(
            options.warnings,
            """
            SQLite \(database.sqliteVersion) has the WAL-reset bug: a program without Rowan that writes this database at \
            the same time can damage it. Update SQLite to 3.51.3 or newer, or let one process write
            """, database.metadata)
    }

    /// Logs that another connection writes the database.
    public func didNoticeOtherWriter(of database: InstrumentedDatabase) {
        guard database.isExposedToWALResetBug else {
            return log(options.opening, "another connection writes the database", database.metadata)
        }
        log(
            options.warnings,
            """
            another connection writes the database, and SQLite \(database.sqliteVersion) has the WAL-reset bug: unless it is \
            a connection of Rowan, it can damage the database. Update SQLite to 3.51.3 or newer, or let one process write
            """, database.metadata)
    }

    /// Logs what a checkpoint has copied.
    public func didCheckpoint(_ checkpoint: InstrumentedCheckpoint, of database: InstrumentedDatabase) {
        var metadata = database.metadata
        metadata["rowan.checkpoint.duration_ms"] = "\(checkpoint.duration.milliseconds)"
        if let error = checkpoint.error { metadata["error"] = "\(error)" }
        log(
            options.checkpoints,
            "checkpoint (\(checkpoint.mode)): \(checkpoint.copiedPageCount) of \(checkpoint.walPageCount) pages are copied",
            metadata)
    }

    /// The duration of the options, unless its log would be ignored.
    public var longReadAge: Duration? { isLogged(options.longReads) ? options.longReadDuration : nil }

    /// Logs a long read.
    public func didFindLongRead(_ read: LongRead, of database: InstrumentedDatabase) {
        log(options.longReads, "\(read)", database.metadata)
    }

    // MARK: Accesses

    /// Observes the statements of an access if the logger needs any.
    public func willAccess(_ access: InstrumentedAccess) -> (any AccessInstrument)? {
        isLogged(accessLevel) ? Access(self, access) : nil
    }

    private final class Access: AccessInstrument {
        private struct Repetition {
            var count = 0
            var duration = Duration.zero
        }

        /// The maximum number of different queries counted in an access: if values are written into the SQL, the number
        /// is unlimited.
        private static let maximumQueryCount = 1_000

        private let instrument: LogInstrument
        private let access: InstrumentedAccess
        private let countsQueries: Bool
        private let repetitions = Mutex<[String: Repetition]>([:])

        init(_ instrument: LogInstrument, _ access: InstrumentedAccess) {
            (self.instrument, self.access) = (instrument, access)
            countsQueries = instrument.isLogged(instrument.options.repeatedQueries)
        }

        func didRun(_ statement: InstrumentedStatement) {
            let options = instrument.options
            if let error = statement.error {
                instrument.log(options.errors, "a statement has failed: \(error)", metadata(of: statement))
            } else if statement.duration > options.slowStatementDuration {
                instrument.log(
                    options.slowStatements,
                    """
                    a statement has taken \(statement.duration.milliseconds) milliseconds: \
                    \(statement.expandedSQL ?? statement.sql)
                    """, metadata(of: statement))
            }
            if instrument.isLogged(options.statements) {
                instrument.log(options.statements, "\(statement.expandedSQL ?? statement.sql)", metadata(of: statement))
            }
            guard countsQueries, statement.operation == "SELECT" else { return }
            repetitions.withLock { repetitions in
                guard repetitions.count < Self.maximumQueryCount || repetitions[statement.sql] != nil else { return }
                repetitions[statement.sql, default: Repetition()].count += 1
                repetitions[statement.sql]?.duration += statement.duration
            }
        }

        func didEnd(after duration: Duration?, error: (any Error)?) {
            if duration == nil, let error, !(error is CancellationError) {
                instrument.log(
                    instrument.options.errors, "an access has not got a connection: \(error)", placeMetadata)
            }
            let repeated = repetitions.withLock { repetitions in
                repetitions.filter { $0.value.count >= instrument.options.repeatedQueryCount }
            }
            for (sql, repetition) in repeated.sorted(by: { $0.key < $1.key }) {
                var metadata = placeMetadata
                metadata["db.query.text"] = "\(sql)"
                metadata["rowan.query.count"] = "\(repetition.count)"
                metadata["rowan.query.duration_ms"] = "\(repetition.duration.milliseconds)"
                instrument.log(
                    instrument.options.repeatedQueries,
                    """
                    an access has run a query \(repetition.count) times: \(sql). One request with an association, or with \
                    all keys, may replace them
                    """, metadata)
            }
        }

        private var placeMetadata: Logger.Metadata {
            var metadata = access.database.metadata
            metadata["rowan.access"] = "\(access.kind.rawValue)"
            if let site = access.callSite { metadata["rowan.call_site"] = "\(site)" }
            return metadata
        }

        private func metadata(of statement: InstrumentedStatement) -> Logger.Metadata {
            var metadata = placeMetadata
            metadata["db.query.text"] = "\(statement.sql)"
            metadata["db.operation.name"] = "\(statement.operation)"
            if let table = statement.tableName { metadata["db.collection.name"] = "\(table)" }
            metadata["db.response.returned_rows"] = "\(statement.rowCount)"
            metadata["rowan.query.duration_ms"] = "\(statement.duration.milliseconds)"
            return metadata
        }
    }
}

extension InstrumentedDatabase {
    fileprivate var metadata: Logger.Metadata {
        ["db.system.name": "sqlite", "db.namespace": "\(label ?? path)"]
    }
}

extension Duration {
    /// In milliseconds, with three digits after the point below ten.
    fileprivate var milliseconds: String {
        let microseconds = components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
        guard microseconds < 10_000 else { return "\(microseconds / 1000)" }
        let fraction = String(microseconds % 1000)
        return "\(microseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)"
    }
}
