// The events of a trace.

public import Foundation

extension Database {
    /// The events that a trace reports.
    public struct TracingOptions: OptionSet, Sendable {
        /// The raw value of the options.
        public let rawValue: CInt
        /// Creates options from their raw value.
        public init(rawValue: CInt) { self.rawValue = rawValue }

        /// Each statement, when it starts.
        public static let statement = TracingOptions(rawValue: CInt(StatementTrace.starts))
        /// Each statement with its duration, when it ends.
        public static let profile = TracingOptions(rawValue: CInt(StatementTrace.ends))
    }

    /// An event of a trace.
    public enum TraceEvent: CustomStringConvertible {
        /// A traced statement.
        public struct Statement: CustomStringConvertible {
            /// The SQL, with its parameters.
            public let sql: String

            /// The SQL with the arguments as literals, which may be personal data.
            public let expandedSQL: String

            let showsArguments: Bool

            /// - Parameters: the texts of SQLite, with the blanks and semicolons around the statement.
            init(sql: String, expandedSQL: String, showsArguments: Bool) {
                self.sql = sql.trimmedStatement
                self.expandedSQL = expandedSQL.trimmedStatement
                self.showsArguments = showsArguments
            }

            /// The SQL. It contains the arguments only if the configuration makes them public.
            public var description: String { showsArguments ? expandedSQL : sql }
        }

        /// A statement starts.
        case statement(Statement)
        /// A statement has ended, after a duration in seconds.
        case profile(statement: Statement, duration: TimeInterval)

        /// The SQL, preceded by the duration for a profile event.
        public var description: String {
            switch self {
            case .statement(let statement): statement.description
            case .profile(let statement, let duration): String(format: "%.3fs ", duration) + statement.description
            }
        }

        /// The SQL with the arguments as literals, preceded by the duration for a profile event.
        public var expandedDescription: String {
            switch self {
            case .statement(let statement): statement.expandedSQL
            case .profile(let statement, let duration): String(format: "%.3fs ", duration) + statement.expandedSQL
            }
        }

        init?(
            _ event: CUnsignedInt, _ statement: UnsafeMutableRawPointer?, _ detail: UnsafeMutableRawPointer?,
            showsArguments: Bool
        ) {
            guard let statement = statement.map(OpaquePointer.init) else { return nil }
            let sql = StatementTrace.sql(statement)
            switch CInt(bitPattern: event) {
            case StatementTrace.starts:
                // For a statement of a trigger, SQLite reports a comment with the name of the trigger.
                let text = detail.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } ?? sql
                if StatementTrace.isTrigger(text, sql) {
                    self = .statement(Statement(sql: text, expandedSQL: text, showsArguments: showsArguments))
                } else {
                    self = .statement(
                        Statement(
                            sql: sql, expandedSQL: StatementTrace.expandedSQL(statement), showsArguments: showsArguments
                        ))
                }
            case StatementTrace.ends:
                let nanoseconds = detail?.assumingMemoryBound(to: Int64.self).pointee ?? 0
                self = .profile(
                    statement: Statement(
                        sql: sql, expandedSQL: StatementTrace.expandedSQL(statement), showsArguments: showsArguments),
                    duration: Double(nanoseconds) / 1_000_000_000)
            default:
                return nil
            }
        }
    }
}

extension Database {
    /// Calls a function with each statement of the closure that writes, with its arguments as literals. The statements
    /// of triggers are not included.
    package func tracingWrites(_ report: @escaping (String) -> Void, during body: () throws -> Void) throws {
        let hooks = try connection.openHooks()
        let token = hooks.onTrace(CUnsignedInt(StatementTrace.starts)) { event, statement, detail in
            guard let statement, !StatementTrace.isReadonly(OpaquePointer(statement)),
                // Arguments are shown: this is for the program, not for a log.
                case .statement(let traced)? = TraceEvent(event, statement, detail, showsArguments: true),
                !StatementTrace.isTrigger(traced.sql, StatementTrace.sql(OpaquePointer(statement)).trimmedStatement)
            else { return }
            report(traced.expandedSQL)
        }
        defer { hooks.remove(token) }
        try body()
    }
}
