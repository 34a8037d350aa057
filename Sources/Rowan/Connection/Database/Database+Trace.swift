// Traces: the statements of a connection and their durations.

public import RowanPlatform

extension Database {
    /// The events that a trace reports.
    public struct TracingOptions: OptionSet, Sendable {
        /// The raw value of the options.
        public let rawValue: CInt
        /// Creates options from their raw value.
        public init(rawValue: CInt) { self.rawValue = rawValue }

        /// Each statement when it starts. A trace without events reports these.
        public static let statement = TracingOptions(rawValue: 1)
        /// Each statement with its duration when it finishes.
        public static let profile = TracingOptions(rawValue: 2)
        /// Excludes statements that begin and end transactions and savepoints.
        public static let withoutTransactions = TracingOptions(rawValue: 1 << 16)
        /// Excludes statements that virtual tables run, such as those of full-text tables on their shadow tables.
        public static let withoutShadowTables = TracingOptions(rawValue: 1 << 17)

        fileprivate var events: StatementTracer.Events {
            var events: StatementTracer.Events = contains(.profile) ? .ends : .starts
            if contains(.statement) { events.insert(.starts) }
            if contains(.withoutTransactions) { events.insert(.omitsTransactions) }
            if contains(.withoutShadowTables) { events.insert(.omitsShadowTables) }
            return events
        }
    }

    /// An event of a trace.
    public enum TraceEvent: CustomStringConvertible {
        /// A traced statement.
        public struct Statement: CustomStringConvertible {
            /// The error of a failed statement; nil in the event of a start.
            public let error: (any Error)?
            let text: TracedSQL
            let showsArguments: Bool

            /// The SQL, with its parameters.
            public var sql: String { text.sql }

            /// The SQL with the arguments as literals, which may be personal data. It is created when it is read.
            public var expandedSQL: String { text.expandedSQL }

            /// The SQL. It contains the arguments only if the configuration makes them public.
            public var description: String { showsArguments ? expandedSQL : sql }
        }

        /// A statement is starting.
        case statement(Statement)
        /// A statement has finished, with its duration in seconds, measured in nanoseconds. A statement that returns
        /// rows finishes after its last row or when its cursor is released.
        case profile(statement: Statement, duration: TimeInterval)

        /// The SQL, preceded by the duration for a profile event, and by the error if the statement has failed.
        public var description: String { prefix + statement.description }

        /// The SQL with the arguments as literals, preceded by the duration for a profile event, and by the error if
        /// the statement has failed.
        public var expandedDescription: String { prefix + statement.expandedSQL }

        private var statement: Statement {
            switch self {
            case .statement(let statement), .profile(let statement, _): statement
            }
        }

        private var prefix: String {
            guard case .profile(let statement, let duration) = self else { return "" }
            // Most statements take less than a millisecond.
            let seconds = "\(Self.decimals(duration, count: duration < 0.001 ? 6 : 3))s "
            guard let error = statement.error else { return seconds }
            guard let error = error as? DatabaseError else { return "\(seconds)(failed) " }
            let message = error.message.map { ": \($0)" } ?? ""
            return "\(seconds)(SQLite error \(error.extendedResultCode.rawValue)\(message)) "
        }

        /// A number that is not negative, with some digits after the decimal point.
        private static func decimals(_ number: Double, count: Int) -> String {
            let unit = (0..<count).reduce(1 as UInt64) { unit, _ in unit * 10 }
            let rounded = UInt64(exactly: (number * Double(unit)).rounded(.toNearestOrEven)) ?? 0
            return "\(rounded / unit).\(String(unit + rounded % unit).dropFirst())"
        }

        fileprivate init(_ event: StatementEvent, showsArguments: Bool) {
            switch event.kind {
            case .start:
                self = .statement(Statement(error: nil, text: event.text, showsArguments: showsArguments))
            case .end(let nanoseconds, let error):
                self = .profile(
                    statement: Statement(error: error, text: event.text, showsArguments: showsArguments),
                    duration: Double(nanoseconds) / 1_000_000_000)
            }
        }
    }

    /// Identifies a trace added by ``addTrace(options:_:)``, for removing it.
    public struct TraceToken: Hashable, Sendable {
        fileprivate let number: Int
    }

    /// Calls a closure for each statement or each duration. This replaces the trace set by the last call; nil stops it.
    ///
    /// ```swift
    /// db.trace { print($0) }                    // SELECT * FROM player
    /// db.trace(options: .profile) { print($0) } // 0.002s SELECT * FROM player
    /// ```
    ///
    /// The closure must not use the database. See ``addTrace(options:_:)`` for several traces.
    ///
    /// Source: <https://sqlite.org/c3ref/trace_v2.html>
    public func trace(options: TracingOptions = .statement, _ trace: ((TraceEvent) -> Void)? = nil) {
        if let token = traceListener { removeTrace(token) }
        traceListener = trace.map { addTrace(options: options, $0) }
    }

    /// Adds a closure that is called for each statement or each duration, in addition to others.
    ///
    /// ```swift
    /// config.prepareDatabase { db in
    ///     db.addTrace(options: [.profile, .withoutTransactions, .withoutShadowTables]) { event in
    ///         if case .profile(let statement, let duration) = event, duration > 0.1 || statement.error != nil {
    ///             logger.warning("\(event)")   // 0.215s SELECT * FROM player WHERE name = ?
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// The closure must not use the database. On a closed connection, it is never called.
    ///
    /// - Returns: a token for ``removeTrace(_:)``.
    @discardableResult
    public func addTrace(options: TracingOptions = .statement, _ trace: @escaping (TraceEvent) -> Void) -> TraceToken {
        let showsArguments = configuration.publicStatementArguments
        // A closed connection has no statements.
        let number = try? connection.addTrace(options.events) { trace(TraceEvent($0, showsArguments: showsArguments)) }
        return TraceToken(number: number ?? 0)
    }

    /// Stops a trace.
    public func removeTrace(_ token: TraceToken) { connection.removeTrace(token.number) }

    /// Calls a function with each writing statement of the closure, with its arguments as literals. The statements of
    /// triggers are not included.
    package func tracingWrites(_ report: @escaping (String) -> Void, during body: () throws -> Void) throws {
        let number = try connection.addTrace(.starts) { event in
            // Arguments are included, because this is for the program rather than a log.
            if !event.text.isReadonly, !event.text.isOfTrigger { report(event.text.expandedSQL) }
        }
        defer { connection.removeTrace(number) }
        try body()
    }
}
