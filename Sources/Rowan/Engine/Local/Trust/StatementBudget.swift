// The limits of running statements. SQLite's progress handler ends a statement that has exceeded one; the rows are
// counted by SQLite's trace, because loops over rows call SQLite directly. Only restricted connections have a budget.

import RowanPlatform
import RowanSQLite

/// The costs of the running statements of a connection, and their limits.
final class StatementBudget {
    let limits: SQLLimits
    /// Whether the limits apply: not during the setup of the connection.
    @exclusivity(unchecked) var isEnforced = false
    /// The statements between their first step and their reset.
    @exclusivity(unchecked) private var runs: [Run] = []
    /// The size of the temporary files.
    @exclusivity(unchecked) private var temporaryBytes = 0
    /// The limit that has been exceeded, until its statement is reset.
    @exclusivity(unchecked) private var excess: Excess?
    /// The statement that has exceeded it; nil for the temporary storage, which all statements share, and for a compilation.
    @exclusivity(unchecked) private var excessive: SQLiteStatement?
    /// When the compilation of a statement must have ended: it may read the schema.
    @exclusivity(unchecked) private var compilationDeadline: ContinuousClock.Instant?
    private let watchdog = StatementWatchdog()

    private struct Run {
        weak var statement: Statement?
        let handle: SQLiteStatement
        let deadline: ContinuousClock.Instant
        /// The memory of SQLite when the run began.
        let memory = sqlite3_memory_used()
        var rows = 0
        var bytes = 0

        /// Whether the statement is between two steps, or in one.
        var isBusy: Bool { statement.map { sqlite3_stmt_busy($0.handle) != 0 } ?? false }
    }

    private enum Excess { case time, rows, resultBytes, temporaryBytes, memory }

    init(_ limits: SQLLimits) { self.limits = limits }

    // MARK: Runs

    /// Called before the first step of a statement.
    func willStep(_ statement: Statement) {
        didReturn(statement)
        let run = Run(
            statement: statement, handle: statement.handle, deadline: ContinuousClock.now + limits.time)
        runs.append(run)
        watchdog.watch(run.handle, until: run.deadline)
    }

    /// Called when a statement has finished, or is reset.
    func didReturn(_ statement: Statement) {
        guard !runs.isEmpty else { return }
        runs.removeAll { $0.handle == statement.handle || !$0.isBusy }
        if let run = runs.last { watchdog.watch(run.handle, until: run.deadline) } else { watchdog.rest() }
        if !runs.contains(where: { $0.handle == excessive }) { (excess, excessive) = (nil, nil) }
    }

    /// Called before the connection closes.
    func end() { watchdog.rest() }

    /// Runs the closure, which compiles a statement.
    func compiling<T>(_ body: () throws -> T) rethrows -> T {
        guard isEnforced, compilationDeadline == nil else { return try body() }
        compilationDeadline = ContinuousClock.now + limits.time
        defer {
            compilationDeadline = nil
            if excess == .time, excessive == nil { excess = nil }
        }
        return try body()
    }

    /// Counts a row that a statement is about to return.
    func noteRow(of statement: SQLiteStatement) {
        // SQLite also traces the statements of virtual tables.
        guard let index = runs.firstIndex(where: { $0.handle == statement }) else { return }
        runs[index].rows += 1
        for column in 0..<sqlite3_column_count(statement) {
            let type = sqlite3_column_type(statement, column)
            // The size of a number would be that of its text.
            runs[index].bytes +=
                type == SQLITE_TEXT || type == SQLITE_BLOB ? Int(sqlite3_column_bytes(statement, column)) : 8
        }
        if runs[index].rows > limits.rows { (excess, excessive) = (.rows, statement) }
        if runs[index].bytes > limits.resultBytes { (excess, excessive) = (.resultBytes, statement) }
    }

    /// - Throws: SQLITE_TOOBIG if the statement contains a long VALUES with a window function, or with more than literals.
    func check(_ text: UnsafeBufferPointer<UInt8>) throws {
        guard isEnforced, let excess = SQLRestriction.longValues(text, limits.compoundSelects) else { return }
        let message =
            switch excess {
            case .window:
                "VALUES with a window function has more than \(limits.compoundSelects) rows: write fewer, or raise "
                    + "SQLLimits.compoundSelects"
            case .computed:
                "VALUES with more than literals and arguments has more than \(SQLRestriction.maximumComputedRows) rows: write "
                    + "fewer, or arguments"
            }
        throw DatabaseError(
            resultCode: .SQLITE_TOOBIG, message: message, sql: String(decoding: text, as: UTF8.self))
    }

    // MARK: Excesses

    /// Whether the running statements may continue.
    func mayContinue() -> Bool {
        guard excess == nil else { return false }
        guard !runs.isEmpty || compilationDeadline != nil else { return true }
        let now = ContinuousClock.now
        if let compilationDeadline, compilationDeadline < now {
            (excess, excessive) = (.time, nil)
            return false
        }
        if let late = runs.first(where: { $0.deadline < now && $0.isBusy }) {
            (excess, excessive) = (.time, late.handle)
            return false
        }
        let most = sqlite3_memory_used() - Int64(clamping: limits.memoryBytes)
        // The statement that runs is usually the last one.
        guard let large = runs.last(where: \.isBusy), large.memory < most else { return true }
        (excess, excessive) = (.memory, large.handle)
        return false
    }

    /// Records that temporary files have grown, or shrunk.
    ///
    /// - Returns: false if they must not grow.
    func resizeTemporaryFiles(by count: Int) -> Bool {
        if isEnforced, count > 0, temporaryBytes + count > limits.temporaryBytes {
            (excess, excessive) = (.temporaryBytes, nil)
            return false
        }
        temporaryBytes += count
        return true
    }

    /// Whether a statement must not return.
    var isExceeded: Bool { !mayContinue() }

    /// The error of a statement that has exceeded a limit.
    func error(sql: String) -> DatabaseError? {
        func exceeded(_ code: ResultCode, _ message: String) -> DatabaseError {
            DatabaseError(resultCode: code, message: message, sql: sql)
        }
        return switch watchdog.takeInterruption() ? .time : excess {
        case nil: nil
        case .time:
            exceeded(
                .SQLITE_INTERRUPT, "the statement ran for more than \(limits.time): read less, or raise SQLLimits.time")
        case .memory:
            exceeded(
                .SQLITE_NOMEM,
                "SQLite needed more than \(limits.memoryBytes) bytes of memory while the statement ran: read less, or raise "
                    + "SQLLimits.memoryBytes")
        case .rows:
            exceeded(
                .SQLITE_TOOBIG,
                "the statement returned more than \(limits.rows) rows: add a LIMIT, or raise SQLLimits.rows")
        case .resultBytes:
            exceeded(
                .SQLITE_TOOBIG,
                "the statement returned more than \(limits.resultBytes) bytes: read less, or raise SQLLimits.resultBytes"
            )
        case .temporaryBytes:
            exceeded(
                .SQLITE_FULL,
                "the statement needs more than \(limits.temporaryBytes) bytes of temporary storage: sort or group fewer "
                    + "rows, or raise SQLLimits.temporaryBytes")
        }
    }
}
