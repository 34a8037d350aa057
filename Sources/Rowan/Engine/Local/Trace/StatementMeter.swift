// Measures the statements of an access for instruments: their durations, rows and errors. None of this runs without a
// listener. SQLite does not count rows, but its trace reports each one.
// Source: https://sqlite.org/c3ref/c_trace.html (SQLITE_TRACE_ROW)

import RowanSQLite
import Dispatch

/// A finished run of a statement.
package struct MeasuredRun {
    package let facts: StatementFacts
    package let nanoseconds: UInt64
    package let rowCount: Int
    package let error: (any Error)?
    /// The SQL with its arguments as literals, if the configuration makes them public.
    package let expandedSQL: String?
}

/// Receives the events of a connection during an access.
package protocol MeterListener: AnyObject {
    func didRun(_ run: MeasuredRun)
    /// - Parameters:
    ///   - nanoseconds: the time since the transaction began.
    ///   - walPageCount: the number of pages in the log after the last commit; nil without a log.
    func transactionDidEnd(committed: Bool, nanoseconds: UInt64, walPageCount: Int?)
}

/// The runs of the statements of an access.
final class StatementMeter {
    private struct Run {
        let handle: SQLiteStatement
        let facts: StatementFacts
        let start: UInt64
        var rowCount = 0
    }

    private let listener: any MeterListener
    private let hooks: ConnectionHooks
    private let showsArguments: Bool
    private var runs: [Run] = []
    private var token: ConnectionHooks.Token?
    private var beginning: UInt64?

    init(_ listener: any MeterListener, _ hooks: ConnectionHooks, showsArguments: Bool) {
        (self.listener, self.hooks, self.showsArguments) = (listener, hooks, showsArguments)
        token = hooks.onTrace(CUnsignedInt(SQLITE_TRACE_ROW)) { [unowned self] _, statement, _ in
            if let handle = statement.map(SQLiteStatement.init) { didStepToRow(handle) }
        }
    }

    /// Stops measuring. The runs of open cursors count as finished, because no other access can continue them.
    func stop() {
        for run in runs.reversed() { report(run, nil, expandedSQL: nil) }
        runs = []
        if let token { hooks.remove(token) }
        token = nil
    }

    func willStep(_ statement: Statement) {
        // A cursor of the program may have been abandoned before another one starts.
        if let index = runs.lastIndex(where: { $0.handle == statement.handle }) {
            report(runs.remove(at: index), nil, expandedSQL: nil)
        }
        runs.append(Run(handle: statement.handle, facts: statement.facts, start: Self.now))
    }

    private func didStepToRow(_ handle: SQLiteStatement) {
        guard let index = runs.lastIndex(where: { $0.handle == handle }) else { return }
        runs[index].rowCount += 1
    }

    func didReturn(_ statement: Statement, _ error: (any Error)?) {
        guard let index = runs.lastIndex(where: { $0.handle == statement.handle }) else { return }
        let run = runs.remove(at: index)
        report(run, error, expandedSQL: showsArguments ? Self.expandedSQL(statement) : nil)
        switch run.facts.profile.transactionOperation {
        case .begin: beginning = Self.now
        // Outside a transaction, a savepoint begins one.
        case .savepoint: beginning = beginning ?? Self.now
        default: break
        }
    }

    func transactionDidEnd(committed: Bool, walPageCount: Int?) {
        let duration = beginning.take().map { Self.now - $0 } ?? 0
        hooks.calling {
            listener.transactionDidEnd(committed: committed, nanoseconds: duration, walPageCount: walPageCount)
        }
    }

    private func report(_ run: Run, _ error: (any Error)?, expandedSQL: String?) {
        let measured = MeasuredRun(
            facts: run.facts, nanoseconds: Self.now - run.start, rowCount: run.rowCount, error: error,
            expandedSQL: expandedSQL)
        // An instrument must not reset the statement.
        hooks.calling { listener.didRun(measured) }
    }

    private static func expandedSQL(_ statement: Statement) -> String? {
        if let literals = statement.literalsWithNUL {
            return statement.sql.replacingParameters(of: statement.handle, with: literals)
        }
        guard let text = sqlite3_expanded_sql(statement.handle) else { return nil }
        defer { sqlite3_free(text) }
        return String(cString: text)
    }

    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }
}

extension Statement {
    /// The statement's properties for instruments, on the current schema.
    var facts: StatementFacts {
        if let knownFacts, knownFacts.epoch == connection.schemaEpoch { return knownFacts }
        let facts = StatementFacts(
            sql: sql, profile: profile, isExplanation: sqlite3_stmt_isexplain(handle) != 0,
            epoch: connection.schemaEpoch)
        knownFacts = facts
        return facts
    }
}

extension LocalConnection {
    /// Reports statements and transactions to a listener until `stopMeasuring`.
    package func measure(_ listener: any MeterListener) {
        // A closed connection has no statements.
        guard let hooks else { return }
        setMeter(StatementMeter(listener, hooks, showsArguments: publicStatementArguments))
    }

    package func stopMeasuring() {
        guard let meter else { return }
        meter.stop()
        setMeter(nil)
    }

    /// Runs the closure and reports its statements to a listener.
    package func measuring<T>(_ listener: any MeterListener, _ body: () throws -> T) rethrows -> T {
        measure(listener)
        defer { stopMeasuring() }
        return try body()
    }
}
