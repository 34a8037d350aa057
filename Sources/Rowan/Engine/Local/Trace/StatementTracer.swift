// The traces of a connection: the start and the end of statements. SQLite reports the end of a statement before the
// statement returns its error, and measures durations in milliseconds. The tracer therefore tracks and measures the
// statements that Rowan runs, and reports their ends with their results.
// Source: https://sqlite.org/c3ref/c_trace.html

import RowanSQLText
import RowanSQLite
import Dispatch
import Synchronization

/// An event in the execution of a statement.
package struct StatementEvent {
    package enum Kind {
        case start
        case end(nanoseconds: UInt64, error: (any Error)?)
    }

    package let kind: Kind
    package let text: TracedSQL
}

/// The texts of a traced statement.
package final class TracedSQL {
    /// The SQL with its parameters; for a statement of a trigger, a comment with the name of the trigger.
    package let sql: String
    /// Whether a trigger runs the statement.
    package let isOfTrigger: Bool
    /// Whether the statement makes no direct changes. <https://sqlite.org/c3ref/stmt_readonly.html>
    package let isReadonly: Bool
    /// The statement while it is being reported.
    private var handle: SQLiteStatement?
    private var knownExpansion: String?
    /// The texts of a remote statement.
    private let proxy: ProxyText?
    /// The literals that SQLite would truncate.
    private let literals: [String]?

    fileprivate init(
        _ handle: SQLiteStatement, _ remote: RemoteStatements?, detail: UnsafeMutableRawPointer? = nil,
        literals: [String]?
    ) {
        (self.handle, self.literals) = (handle, literals)
        proxy = ProxyText(handle, remote)
        if let proxy {
            (sql, isOfTrigger, isReadonly) = (proxy.sql.trimmedStatement, false, proxy.isReadonly)
            return
        }
        let statement = sqlite3_sql(handle).map { String(cString: $0) } ?? ""
        let reported = detail.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } ?? statement
        isOfTrigger = reported.hasPrefix("--") && reported != statement
        sql = (isOfTrigger ? reported : statement).trimmedStatement
        isReadonly = sqlite3_stmt_readonly(handle) != 0
        if isOfTrigger { knownExpansion = sql }
    }

    /// The SQL with the arguments as literals, created when it is read.
    package var expandedSQL: String {
        if let knownExpansion { return knownExpansion }
        if handle != nil, let proxy {
            let expansion = proxy.expanded.trimmedStatement
            knownExpansion = expansion
            return expansion
        }
        if let handle, let literals {
            let expansion = sql.replacingParameters(of: handle, with: literals)
            knownExpansion = expansion
            return expansion
        }
        guard let handle, let text = sqlite3_expanded_sql(handle) else { return sql }
        defer { sqlite3_free(text) }
        let expansion = String(cString: text).trimmedStatement
        knownExpansion = expansion
        return expansion
    }

    /// Finishes the report. The statement may have other arguments afterwards, or be gone: if the program has kept the
    /// event, the text is created now.
    fileprivate static func end(_ text: inout TracedSQL) {
        if !isKnownUniquelyReferenced(&text) { _ = text.expandedSQL }
        text.handle = nil
    }

    /// Whether the statement begins or ends a transaction or a savepoint.
    fileprivate var controlsTransaction: Bool {
        guard case .word(let word)? = SQLTokens.first(1, of: sql).first else { return false }
        return ["begin", "commit", "end", "rollback", "savepoint", "release"].contains(word)
    }
}

/// The traces of a connection.
package final class StatementTracer {
    /// The contents of a trace.
    package struct Events: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let starts = Events(rawValue: 1)
        package static let ends = Events(rawValue: 2)
        /// Excludes statements that begin or end transactions.
        package static let omitsTransactions = Events(rawValue: 4)
        /// Excludes statements that virtual tables run on their shadow tables.
        package static let omitsShadowTables = Events(rawValue: 8)
    }

    /// A statement that is running or has an open cursor.
    private struct Run {
        let handle: SQLiteStatement
        let start: UInt64
        /// Whether Rowan runs the statement, rather than a virtual table or the program through the C API.
        let isOwn: Bool
        var literals: [String]?
        /// The duration of a statement run by Rowan, until its step returns the result. SQLite may report several ends,
        /// because it restarts the statement with a new schema.
        var nanoseconds: UInt64?
    }

    private var traces: [(number: Int, events: Events, report: (StatementEvent) -> Void)] = []
    /// The number of all traces so far in this process, so that tokens are never reused.
    private static let count = Atomic<Int>(0)
    private var runs: [Run] = []
    private let hooks: ConnectionHooks
    private var token: ConnectionHooks.Token?

    init(_ hooks: ConnectionHooks) { self.hooks = hooks }

    var isEmpty: Bool { traces.isEmpty }

    func add(_ events: Events, _ report: @escaping (StatementEvent) -> Void) -> Int {
        let number = Self.count.add(1, ordering: .relaxed).newValue
        traces.append((number, events, report))
        listen()
        return number
    }

    func remove(_ number: Int) {
        traces.removeAll { $0.number == number }
        listen()
    }

    private func listen() {
        if let token { hooks.remove(token) }
        token = nil
        guard !traces.isEmpty else { return runs = [] }
        token = hooks.onTrace(CUnsignedInt(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE)) {
            [unowned self] event, statement, detail in
            guard let handle = statement.map(SQLiteStatement.init) else { return }
            switch CInt(bitPattern: event) {
            case SQLITE_TRACE_STMT: didStart(handle, detail)
            case SQLITE_TRACE_PROFILE: didEnd(handle, milliseconds: detail)
            default: break
            }
        }
    }

    // MARK: Statements

    /// Called before Rowan first steps a statement.
    func willStep(_ statement: Statement) {
        guard !hooks.isSilent else { return }
        runs.removeAll { $0.handle == statement.handle }
        runs.append(
            Run(handle: statement.handle, start: Self.now, isOwn: true, literals: statement.literalsWithNUL))
    }

    private func didStart(_ handle: SQLiteStatement, _ detail: UnsafeMutableRawPointer?) {
        let run = runs.last { $0.handle == handle }
        // A trigger's statement has the handle of the statement that fires the trigger.
        if run == nil { runs.append(Run(handle: handle, start: Self.now, isOwn: false)) }
        report(.start, handle, detail, isOwn: run?.isOwn == true, run?.literals)
    }

    private func didEnd(_ handle: SQLiteStatement, milliseconds: UnsafeMutableRawPointer?) {
        let index = runs.lastIndex { $0.handle == handle }
        // Without a run, the trace was added after the statement started.
        let nanoseconds =
            index.map { Self.now - runs[$0].start }
            ?? UInt64(clamping: milliseconds?.assumingMemoryBound(to: Int64.self).pointee ?? 0)
        let (isOwn, literals) = index.map { (runs[$0].isOwn, runs[$0].literals) } ?? (false, nil)
        // A busy statement is being reset and has not failed.
        if let index, isOwn, sqlite3_stmt_busy(handle) == 0 { return runs[index].nanoseconds = nanoseconds }
        if let index { runs.remove(at: index) }
        report(.end(nanoseconds: nanoseconds, error: nil), handle, nil, isOwn: isOwn, literals)
    }

    /// Called when a run by Rowan has finished.
    func didReturn(_ statement: Statement, _ error: (any Error)? = nil) {
        guard let index = runs.lastIndex(where: { $0.isOwn && $0.handle == statement.handle }) else { return }
        let run = runs.remove(at: index)
        // SQLite does not see a commit that an observer rejects.
        guard let nanoseconds = run.nanoseconds ?? error.map({ _ in Self.now - run.start }) else { return }
        report(.end(nanoseconds: nanoseconds, error: error), statement.handle, nil, isOwn: true, run.literals)
    }

    /// Whether another statement run by Rowan is running.
    private func isInsideOwn(_ handle: SQLiteStatement) -> Bool { runs.contains { $0.isOwn && $0.handle != handle } }

    private func report(
        _ kind: StatementEvent.Kind, _ handle: SQLiteStatement, _ detail: UnsafeMutableRawPointer?, isOwn: Bool,
        _ literals: [String]?
    ) {
        let needed: Events =
            switch kind {
            case .start: .starts
            case .end: .ends
            }
        guard traces.contains(where: { $0.events.contains(needed) }) else { return }
        let isOfVirtualTable = !isOwn && isInsideOwn(handle)
        var text = TracedSQL(handle, hooks.remoteStatements, detail: detail, literals: literals)
        // The program's closures must not reset the statement.
        hooks.calling {
            for (number, events, report) in traces where events.contains(needed) {
                // A trace may remove another one.
                guard traces.contains(where: { $0.number == number }) else { continue }
                if isOfVirtualTable, events.contains(.omitsShadowTables) { continue }
                if events.contains(.omitsTransactions), text.controlsTransaction { continue }
                report(StatementEvent(kind: kind, text: text))
            }
        }
        TracedSQL.end(&text)
    }

    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }
}

extension LocalConnection {
    /// Adds a trace.
    ///
    /// - Returns: its number, for removing it.
    package func addTrace(
        _ events: StatementTracer.Events, _ report: @escaping (StatementEvent) -> Void
    ) throws -> Int {
        let hooks = try openHooks()
        let tracer = tracer ?? StatementTracer(hooks)
        defer { setTracer(tracer) }
        return tracer.add(events, report)
    }

    package func removeTrace(_ number: Int) {
        guard let tracer else { return }
        tracer.remove(number)
        if tracer.isEmpty { setTracer(nil) }
    }
}
