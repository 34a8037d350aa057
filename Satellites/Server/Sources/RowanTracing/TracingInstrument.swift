// Traces of a database with swift-distributed-tracing, by the names of OpenTelemetry's conventions for databases.
// Source: https://opentelemetry.io/docs/specs/semconv/db/database-spans/

public import Rowan
import Synchronization
public import Tracing

/// Creates a span for each access, below the span of the task that requests it.
///
/// ```swift
/// InstrumentationSystem.bootstrap(tracer)
/// var config = Configuration()
/// config.instruments.append(TracingInstrument())
/// let dbPool = try DatabasePool(path: path, configuration: config)
/// try await withSpan("GET /players") { _ in
///     try await dbPool.read { db in try Player.fetchAll(db) }   // span "read db.sqlite", below it "SELECT player"
/// }
/// ```
///
/// Statements are spans below that of their access, or its events. They have their SQL with parameters but without
/// arguments; only errors show arguments, with `Configuration.publicStatementArguments`. Writes that share a
/// transaction (`Configuration.groupsAsyncWrites`) each have the span of their own task above them. Without a tracer,
/// nothing is measured.
///
/// Source: <https://opentelemetry.io/docs/specs/semconv/db/database-spans/>
public struct TracingInstrument: DatabaseInstrument {
    /// The handling of statements.
    public enum Statements: Sendable {
        /// Each statement is a span below that of its access.
        case spans
        /// Each statement is an event of the span of its access.
        case events
        /// Statements are left out.
        case none
    }

    private let ownTracer: (any Tracer)?
    private let statements: Statements

    /// Creates an instrument.
    ///
    /// - Parameters:
    ///   - tracer: the destination of the spans; nil for the tracer of the process.
    ///   - statements: the handling of statements; spans by default.
    public init(tracer: (any Tracer)? = nil, statements: Statements = .spans) {
        (ownTracer, self.statements) = (tracer, statements)
    }

    /// Begins the span of an access if tracing is enabled.
    public func willAccess(_ access: InstrumentedAccess) -> (any AccessInstrument)? {
        let tracer = ownTracer ?? InstrumentationSystem.tracer
        if tracer is NoOpTracer { return nil }
        return Access(tracer, access, statements)
    }

    private final class Access: AccessInstrument {
        private let tracer: any Tracer
        private let span: any Span
        private let statements: Statements
        private let namespace: String

        init(_ tracer: any Tracer, _ access: InstrumentedAccess, _ statements: Statements) {
            (self.tracer, self.statements) = (tracer, statements)
            namespace = access.database.label ?? access.database.path
            // The span of a file has its name: a path adds no information.
            let name = namespace.split(separator: "/").last.map(String.init) ?? namespace
            span = tracer.startSpan("\(access.kind.rawValue) \(name)", ofKind: .client)
            span.attributes["db.system.name"] = "sqlite"
            span.attributes["db.namespace"] = namespace
            span.attributes["rowan.access"] = access.kind.rawValue
            if let site = access.callSite {
                span.attributes["code.file.path"] = site.fileID
                span.attributes["code.line.number"] = site.line
            }
        }

        var observesStatements: Bool { if case .none = statements { false } else { true } }

        func didBegin(after wait: Duration) {
            span.attributes["rowan.wait_seconds"] = wait / .seconds(1)
            span.addEvent("connection acquired")
        }

        func didRun(_ statement: InstrumentedStatement) {
            switch statements {
            case .none: break
            case .events: span.addEvent(SpanEvent(name: statement.summary, attributes: attributes(of: statement)))
            case .spans: addSpan(statement)
            }
        }

        private func addSpan(_ statement: InstrumentedStatement) {
            let end = DefaultTracerClock.now
            let nanoseconds = UInt64(clamping: Int64(statement.duration / .nanoseconds(1)))
            let start = DefaultTracerClock.Timestamp(
                nanosecondsSinceEpoch: end.nanosecondsSinceEpoch - min(end.nanosecondsSinceEpoch, nanoseconds))
            let child = tracer.startSpan(statement.summary, context: span.context, ofKind: .client, at: start)
            child.attributes = attributes(of: statement)
            if let error = statement.error { child.fail(error) }
            child.end(at: end)
        }

        private func attributes(of statement: InstrumentedStatement) -> SpanAttributes {
            var attributes = SpanAttributes()
            attributes["db.system.name"] = "sqlite"
            attributes["db.namespace"] = namespace
            attributes["db.query.text"] = statement.sql
            attributes["db.query.summary"] = statement.summary
            attributes["db.operation.name"] = statement.operation
            if let table = statement.tableName { attributes["db.collection.name"] = table }
            attributes["db.response.returned_rows"] = statement.rowCount
            if let error = statement.error { attributes.set(error) }
            return attributes
        }

        func didEndTransaction(_ transaction: InstrumentedTransaction) {
            span.addEvent(transaction.isCommitted ? "transaction committed" : "transaction rolled back")
        }

        func didEnd(after duration: Duration?, error: (any Error)?) {
            if let error { span.fail(error) }
            span.end()
        }
    }
}

extension InstrumentedStatement {
    /// `SELECT player`.
    fileprivate var summary: String { tableName.map { "\(operation) \($0)" } ?? operation }
}

extension Span {
    fileprivate func fail(_ error: any Error) {
        attributes.set(error)
        recordError(error)
        setStatus(SpanStatus(code: .error, message: "\(error)"))
    }
}

extension SpanAttributes {
    fileprivate mutating func set(_ error: any Error) {
        guard let error = error as? DatabaseError else { return self["error.type"] = "\(type(of: error))" }
        self["error.type"] = "\(error.extendedResultCode.rawValue)"
        self["db.response.status_code"] = "\(error.extendedResultCode.rawValue)"
    }
}
