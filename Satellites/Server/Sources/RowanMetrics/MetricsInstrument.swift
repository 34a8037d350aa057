// Metrics of a database with swift-metrics, by the names of OpenTelemetry's conventions for databases.
// Source: https://opentelemetry.io/docs/specs/semconv/db/database-metrics/

public import Metrics
public import Rowan
import Synchronization

/// Measures the statements, connections and checkpoints of a database.
///
/// ```swift
/// MetricsSystem.bootstrap(factory)
/// var config = Configuration()
/// config.instruments.append(MetricsInstrument())
/// let dbPool = try DatabasePool(path: path, configuration: config)
/// ```
///
/// | Metric | Type | What it measures |
/// | --- | --- | --- |
/// | `db.client.operation.duration` | timer | a statement |
/// | `db.client.response.returned_rows` | recorder | the rows of a query |
/// | `db.client.connection.wait_time` | timer | an access that waits for its connection |
/// | `db.client.connection.use_time` | timer | an access that has its connection |
/// | `db.client.connection.count` | meter | the connections in use (`db.client.connection.state` is `used`) |
/// | `db.client.connection.max` | meter | the maximum number of connections |
/// | `db.client.connection.pending_requests` | meter | the accesses that wait |
/// | `rowan.transaction.duration` | timer | a transaction (`rowan.transaction.outcome` is `committed` or `rolled_back`) |
/// | `rowan.wal.pages` | meter | the pages in the write-ahead log |
/// | `rowan.checkpoint.duration` | timer | a checkpoint |
///
/// The labels of statements are `db.system.name`, `db.namespace`, `db.operation.name` and `db.collection.name`, as
/// reported by SQLite's compiler, and `error.type` after an error: the extended SQLite code. There are as many series
/// as operations, tables and errors: the SQL is not among the labels. Without a metrics system, nothing is measured.
///
/// Source: <https://opentelemetry.io/docs/specs/semconv/db/database-metrics/>
public final class MetricsInstrument: DatabaseInstrument {
    private let ownFactory: (any MetricsFactory)?
    /// The metrics by database name. Snapshots share those of their pool.
    private let databases = Mutex<[String: DatabaseMetrics]>([:])

    /// Creates an instrument.
    ///
    /// - Parameter factory: the destination of the metrics; nil for the metrics system of the process.
    public init(factory: (any MetricsFactory)? = nil) { ownFactory = factory }

    private var factory: any MetricsFactory { ownFactory ?? MetricsSystem.factory }

    private func metrics(of database: InstrumentedDatabase) -> DatabaseMetrics {
        let name = database.label ?? database.path
        return databases.withLock { databases in
            if let known = databases[name] { return known }
            let metrics = DatabaseMetrics(name, factory)
            databases[name] = metrics
            return metrics
        }
    }

    /// Reports the maximum number of connections.
    public func didOpen(_ database: InstrumentedDatabase) {
        if factory is NOOPMetricsHandler { return }
        metrics(of: database).maximum.set(database.maximumConnectionCount)
    }

    /// Measures an access if metrics are enabled.
    public func willAccess(_ access: InstrumentedAccess) -> (any AccessInstrument)? {
        if factory is NOOPMetricsHandler { return nil }
        let metrics = metrics(of: access.database)
        metrics.pending.increment()
        return Access(metrics, countsConnection: !access.sharesConnection)
    }

    /// Measures a checkpoint.
    public func didCheckpoint(_ checkpoint: InstrumentedCheckpoint, of database: InstrumentedDatabase) {
        if factory is NOOPMetricsHandler { return }
        let metrics = metrics(of: database)
        metrics.walPages.set(checkpoint.walPageCount)
        metrics.checkpoint(failed: checkpoint.error != nil).record(duration: checkpoint.duration)
    }

    private final class Access: AccessInstrument {
        private let metrics: DatabaseMetrics
        /// Writes of a group share a connection.
        private let countsConnection: Bool

        init(_ metrics: DatabaseMetrics, countsConnection: Bool) {
            (self.metrics, self.countsConnection) = (metrics, countsConnection)
        }

        func didBegin(after wait: Duration) {
            metrics.pending.decrement()
            if countsConnection { metrics.used.increment() }
            metrics.waitTime.record(duration: wait)
        }

        func didRun(_ statement: InstrumentedStatement) {
            let series = metrics.series(of: statement)
            series.duration.record(duration: statement.duration)
            if statement.error == nil, statement.operation == "SELECT" { series.rows.record(statement.rowCount) }
        }

        func didEndTransaction(_ transaction: InstrumentedTransaction) {
            let timer = transaction.isCommitted ? metrics.committed : metrics.rolledBack
            timer.record(duration: transaction.duration)
            if let pages = transaction.walPageCount { metrics.walPages.set(pages) }
        }

        func didEnd(after duration: Duration?, error: (any Error)?) {
            guard let duration else { return metrics.pending.decrement() }
            if countsConnection { metrics.used.decrement() }
            metrics.useTime.record(duration: duration)
        }
    }
}

/// The metrics of one database. Handlers are created once, because creating one looks it up in the metrics system.
private final class DatabaseMetrics: Sendable {
    /// The properties that determine the metrics of a statement.
    private struct SeriesKey: Hashable {
        let operation: String
        let table: String?
        let error: String?
    }

    struct Series: Sendable {
        let duration: Timer
        let rows: Recorder
    }

    let pending: Meter
    let used: Meter
    let maximum: Meter
    let waitTime: Timer
    let useTime: Timer
    let committed: Timer
    let rolledBack: Timer
    let walPages: Meter
    private let checkpoints: (succeeded: Timer, failed: Timer)
    private let factory: any MetricsFactory
    private let labels: [(String, String)]
    private let series = Mutex<[SeriesKey: Series]>([:])

    init(_ name: String, _ factory: any MetricsFactory) {
        let labels = [("db.system.name", "sqlite"), ("db.namespace", name)]
        let pool = [("db.client.connection.pool.name", name)]
        pending = Meter(label: "db.client.connection.pending_requests", dimensions: pool, factory: factory)
        used = Meter(
            label: "db.client.connection.count", dimensions: pool + [("db.client.connection.state", "used")],
            factory: factory)
        waitTime = Timer(
            label: "db.client.connection.wait_time", dimensions: pool, preferredDisplayUnit: .seconds, factory: factory)
        useTime = Timer(
            label: "db.client.connection.use_time", dimensions: pool, preferredDisplayUnit: .seconds, factory: factory)
        maximum = Meter(label: "db.client.connection.max", dimensions: pool, factory: factory)
        func timer(_ label: String, _ dimensions: [(String, String)]) -> Timer {
            Timer(label: label, dimensions: labels + dimensions, preferredDisplayUnit: .seconds, factory: factory)
        }
        committed = timer("rowan.transaction.duration", [("rowan.transaction.outcome", "committed")])
        rolledBack = timer("rowan.transaction.duration", [("rowan.transaction.outcome", "rolled_back")])
        checkpoints = (
            timer("rowan.checkpoint.duration", []), timer("rowan.checkpoint.duration", [("error.type", "5")])
        )
        walPages = Meter(label: "rowan.wal.pages", dimensions: labels, factory: factory)
        (self.factory, self.labels) = (factory, labels)
    }

    func checkpoint(failed: Bool) -> Timer { failed ? checkpoints.failed : checkpoints.succeeded }

    func series(of statement: InstrumentedStatement) -> Series {
        let key = SeriesKey(
            operation: statement.operation, table: statement.tableName, error: statement.error.map(\.typeName))
        return series.withLock { known in
            if let series = known[key] { return series }
            var dimensions = labels + [("db.operation.name", key.operation)]
            if let table = key.table { dimensions.append(("db.collection.name", table)) }
            let rows = Recorder(
                label: "db.client.response.returned_rows", dimensions: dimensions, aggregate: true, factory: factory)
            if let error = key.error { dimensions.append(("error.type", error)) }
            let duration = Timer(
                label: "db.client.operation.duration", dimensions: dimensions, preferredDisplayUnit: .seconds,
                factory: factory)
            let series = Series(duration: duration, rows: rows)
            known[key] = series
            return series
        }
    }
}

extension Error {
    /// A name with few values: the extended SQLite code, or the type.
    fileprivate var typeName: String {
        guard let error = self as? DatabaseError else { return "\(type(of: self))" }
        return "\(error.extendedResultCode.rawValue)"
    }
}
