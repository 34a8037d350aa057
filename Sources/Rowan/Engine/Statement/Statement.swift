// A prepared statement. It can be used only inside an access: `start` checks this once per execution, so `step` is only
// a C call and a comparison. A statement has one run at a time: a cursor's or an execution.

public import RowanSQLite

/// A prepared statement.
///
/// ```swift
/// let statement = try db.makeStatement(sql: "INSERT INTO player (name) VALUES (?)")
/// try statement.execute(arguments: ["Arthur"])
/// try statement.execute(arguments: ["Barbara"])
/// ```
///
/// Article: <doc:WritingSQL>.
///
/// Source: <https://sqlite.org/c3ref/stmt.html>
public final class Statement {
    @usableFromInline package let handle: SQLiteStatement

    /// The SQL of this statement only.
    public let sql: String

    @usableFromInline package let connection: LocalConnection
    @usableFromInline package let parameterCount: Int
    let traits: Traits
    /// The transaction or savepoint operation, stored outside the profile, which is expensive to copy (point-read-pool).
    package let transactionOperation: StatementProfile.TransactionOperation?
    /// The statement that runs remotely; nil for a statement that the local SQLite runs.
    package let remote: RemoteStatement?
    let place: StatementPlace
    let scopeNumber: Int

    /// The compiler's report and the schema it is valid for.
    @exclusivity(unchecked) private var compilation: Compilation
    @exclusivity(unchecked) private var reprepareCount: CInt = 0

    @exclusivity(unchecked) private var knownRowSource: RowSource?
    /// The program's cursor that last stepped the statement.
    private weak var stepper: AnyObject?
    /// Cached information on the statement for an observer of writes and instruments.
    @exclusivity(unchecked) package var knownWrites: AnyObject?
    @exclusivity(unchecked) var knownFacts: StatementFacts?
    /// The rows that the statement reads, if determined by a request.
    @exclusivity(unchecked) package var rowRestriction: RowRestriction?

    /// The bound arguments.
    @exclusivity(unchecked) package var storedArguments = StatementArguments()
    /// The names of the parameters; nil if not yet needed.
    @exclusivity(unchecked) package var knownParameterNames: ParameterNames?
    /// Whether all necessary arguments are set.
    @exclusivity(unchecked) package var hasArguments: Bool
    /// The error of arguments set by a method that can't throw.
    var argumentsFailure: DatabaseError?

    /// Whether the statement is being executed or a cursor owns it.
    @exclusivity(unchecked) @usableFromInline package private(set) var isRunning = false

    private struct Compilation {
        var profile: StatementProfile
        var profileEpoch: Int
        var epoch: Int
        /// The columns and the schema version they are valid for.
        var layout: (columns: ColumnLayout, epoch: Int)?
    }

    /// The checks that each execution needs, derived from the profile.
    struct Traits: OptionSet, Sendable {
        let rawValue: UInt8
        static let isAllowedInReads = Traits(rawValue: 1)
        static let controlsTransaction = Traits(rawValue: 2)
        static let changesSchema = Traits(rawValue: 4)
        static let setsPragma = Traits(rawValue: 8)
        /// SQLite recompiles a pragma for each execution, even if the schema is unchanged.
        static let isPragma = Traits(rawValue: 16)
        /// The statement may change rows, the schema, the attached databases or the transaction.
        static let isWatchable = Traits(rawValue: 32)
    }

    init(
        connection: LocalConnection, pointer: SQLiteStatement, sql: String, profile: StatementProfile, epoch: Int,
        place: StatementPlace = .shadow, remote: (statement: RemoteStatement, isExplain: Bool)? = nil
    ) {
        self.connection = connection
        scopeNumber = connection.scopeNumber
        self.handle = pointer
        self.sql = sql
        var profile = profile
        profile.isReadonly = remote?.statement.isReadonly ?? (sqlite3_stmt_readonly(pointer) != 0)
        // EXPLAIN compiles a statement but does not run it.
        let effects = remote?.isExplain ?? (sqlite3_stmt_isexplain(pointer) != 0) ? StatementProfile() : profile
        self.remote = remote?.statement
        self.place = remote == nil ? place : .remote
        traits = Traits(effects)
        transactionOperation = effects.transactionOperation
        compilation = Compilation(profile: effects, profileEpoch: epoch, epoch: epoch)
        self.parameterCount = Int(sqlite3_bind_parameter_count(pointer))
        self.hasArguments = parameterCount == 0
    }

    deinit {
        connection.finalize(handle)
    }

    // MARK: Properties

    /// The C statement.
    ///
    /// A program may bind the arguments with C API functions and then run the statement. Parameters left unbound are
    /// NULL.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE id = ?")
    /// sqlite3_bind_int64(statement.sqliteStatement, 1, 42)
    /// let player = try Player.fetchOne(statement)
    /// ```
    public var sqliteStatement: SQLiteStatement {
        // The program may bind the arguments.
        if argumentsFailure == nil { hasArguments = true }
        return handle
    }

    /// Whether the statement makes no direct changes to the database. <https://sqlite.org/c3ref/stmt_readonly.html>
    public var isReadonly: Bool { compilation.profile.isReadonly }

    /// The effects of the statement on the current schema. Views and triggers may have changed since the statement was
    /// compiled and may refer to other tables.
    public var profile: StatementProfile {
        // Compiling a pragma may execute it.
        if compilation.profileEpoch != connection.schemaEpoch, !traits.contains(.isPragma), let fresh = recompiled() {
            compilation.profile = fresh.compilation.profile
            compilation.profileEpoch = fresh.compilation.profileEpoch
        }
        return compilation.profile
    }

    /// The pragma that changes a state of the connection, if the statement is one. It does not depend on the schema.
    var settingPragma: StatementProfile.Pragma? { compilation.profile.settingPragma }

    /// The schema version that the statement was compiled for.
    package var epoch: Int { compilation.epoch }

    /// The number of columns of the rows; 0 if the statement returns no rows.
    public var columnCount: Int { layout.names.count }

    /// The names of the columns.
    public var columnNames: [String] { layout.names }

    /// The index of the leftmost column with this name, case-insensitively.
    public func index(ofColumn name: String) -> Int? { layout.index(ofColumn: name) }

    /// The columns for the current schema. SQLite recompiles the statement only at its first step and reports outdated
    /// columns until then.
    package var layout: ColumnLayout {
        let current = connection.schemaEpoch
        if let known = compilation.layout, isRunning || known.epoch == current { return known.columns }
        let isCurrent = isRunning || epoch == current
        let columns = Self.layout(of: isCurrent ? self : recompiled() ?? self)
        compilation.layout = (columns, isRunning ? epoch : current)
        return columns
    }

    /// The common properties of live rows.
    var rowSource: RowSource {
        let layout = layout
        if let known = knownRowSource, known.columns === layout { return known }
        let source = RowSource(nil, columns: layout, isStrict: connection.isStrict)
        knownRowSource = source
        return source
    }

    private static func layout(of statement: Statement) -> ColumnLayout {
        let pointer = statement.handle
        let count = statement.remote?.columnCount == 0 ? 0 : sqlite3_column_count(pointer)
        return ColumnLayout(names: (0..<count).map { String(cString: sqlite3_column_name(pointer, $0)) })
    }

    /// The same statement compiled for the current schema.
    ///
    /// - Returns: nil if SQLite rejects the statement.
    private func recompiled() -> Statement? {
        // Callers that read the columns can't throw, so the next execution throws the error.
        try? connection.prepare(sql)
    }

    /// The number of runs of the statement so far. <https://sqlite.org/c3ref/c_stmtstatus_counter.html>
    package var runCount: CInt { sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_RUN, 0) }

    // MARK: Runs

    /// Starts a run, which `endRun` finishes.
    ///
    /// - Throws: SQLITE_MISUSE outside an access, if a cursor owns the statement, or if it is already running: a
    ///   function that it calls can't run it again.
    @usableFromInline
    package func beginRun() throws {
        guard connection.isAccessible else { throw DatabaseError.outsideOfAccess }
        guard !isRunning else { throw isRunningError() }
        isRunning = true
    }

    func isRunningError() -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "the statement is in use by a cursor, or is already running: make another statement",
            sql: sql)
    }

    /// Whether SQLite accepts the SQL under the current schema.
    package var compiles: Bool {
        // The error is ignored because the caller throws that of the statement that has just failed.
        (try? connection.prepare(sql)) != nil
    }

    /// Finishes a run before its last row.
    ///
    /// Called only by `LocalConnection.endRun`, which checks that the thread has access.
    func endRun() {
        isRunning = false
        reset()
        // Outside a transaction, this may have committed the statement's changes.
        if connection.isWatched {
            connection.didReturn(self)
            connection.notifyTransactionEnd()
        }
    }

    /// Finishes a completed run: the statement is reset.
    @usableFromInline
    package func didEndRun() { isRunning = false }

    /// Whether caching the statement is useful: schema changes and ends of transactions are rarely run again.
    package var isReusable: Bool { traits.isDisjoint(with: [.controlsTransaction, .changesSchema]) }

    // MARK: Execution

    /// Prepares the statement for its first step.
    ///
    /// - Throws: SQLITE_MISUSE outside an access or with missing arguments; SQLITE_READONLY for a write in a read
    ///   access; `CancellationError` if the task of the access is cancelled.
    package func start() throws {
        guard hasArguments else { throw argumentsFailure ?? missingArgumentsError() }
        try startUnchecked()
    }

    /// Prepares the first step for a plan that has bound all arguments itself.
    @usableFromInline
    package func startUnchecked() throws {
        try connection.willRun(self)
        resetIfBusy()
    }

    /// Resets the C statement, which the program may have stepped itself.
    func resetIfBusy() {
        if sqlite3_stmt_busy(handle) != 0 { sqlite3_reset(handle) }
    }

    /// Steps to the next row.
    ///
    /// - Returns: false after the last row; the statement is then reset.
    /// - Throws: SQLite's error; the statement is then also reset.
    @inlinable
    package func step() throws -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        try finish(code)
        return false
    }

    /// The first step of an execution. It detects that SQLite has recompiled the statement for a new schema.
    @usableFromInline
    package func firstStep() throws -> Bool {
        let code = connection.isStepSpecial ? try connection.watchedStep(self) : connection.stepWaiting(handle)
        let count = sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0)
        if count != reprepareCount {
            // Checking the schema would overwrite the error.
            let error = code == SQLITE_ROW || code == SQLITE_DONE ? nil : failure(code)
            connection.lostTransaction = nil
            didRecompile(count)
            if let error { throw error }
            if let lost = connection.lostTransaction {
                connection.didReturn(self, lost)
                reset()
                try connection.throwLostTransaction()
            }
        }
        if code == SQLITE_ROW { return true }
        try finish(code)
        return false
    }

    /// Records that SQLite has recompiled the statement, before the reads and writes of the first step are reported.
    func noteRecompilation() {
        let count = sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0)
        if count != reprepareCount { didRecompile(count) }
    }

    /// SQLite recompiles a statement for a new schema, and also if a bound value affects its plan, as in `LIKE ?`.
    private func didRecompile(_ count: CInt) {
        reprepareCount = count
        guard !traits.contains(.isPragma) else { return }
        if epoch == connection.schemaEpoch {
            guard connection.hasForeignSchemaChange() else { return }
            connection.schemaDidMove()
        }
        compilation.epoch = connection.schemaEpoch
        compilation.layout = nil
    }

    @usableFromInline
    package func finish(_ code: CInt) throws {
        guard code == SQLITE_DONE else { throw failure(code) }
        if connection.isWatched {
            if connection.budget?.isExceeded == true { throw failure(SQLITE_INTERRUPT) }
            connection.didReturn(self)
        }
        // In a transaction, only statements that control it can end it.
        if connection.isWatched && connection.watchesStatements && !connection.isInsideTransaction
            || !traits.isDisjoint(with: [.controlsTransaction, .changesSchema])
        {
            connection.lostTransaction = nil
            connection.didRun(self, succeeded: true)
            sqlite3_reset(handle)
            connection.notifyTransactionEnd()
            if !connection.isRunningOwnQueries { try connection.throwLostTransaction() }
        } else {
            sqlite3_reset(handle)
        }
    }

    /// The error of a step, after resetting the statement.
    private func failure(_ code: CInt) -> any Error {
        var error: any Error =
            connection.budget?.error(sql: sql) ?? connection.error(code, sql: sql, arguments: storedArguments)
        if let refusal = connection.commitRefusal {
            error = refusal
            connection.commitRefusal = nil
        }
        connection.didReturn(self, error)
        sqlite3_reset(handle)
        if let violation = error as? DatabaseError, violation.resultCode == .SQLITE_CONSTRAINT {
            error = violation.with(
                hint: connection.constraintHint(violation.extendedResultCode, compilation.profile))
        }
        // SQLite may have rolled back the transaction.
        connection.didRun(self, succeeded: false)
        if connection.lostTransaction != nil, connection.isRunningOwnQueries { connection.lostTransaction = error }
        connection.notifyTransactionEnd()
        return error
    }

    /// Finishes an execution before its last row.
    @usableFromInline
    package func reset() {
        sqlite3_reset(handle)
    }

    /// Steps for a program's cursor, which has no run of its own: it may be abandoned at any row, and another cursor
    /// then starts over.
    ///
    /// - Returns: false after the last row; the statement is then reset.
    /// - Throws: SQLite's error; SQLITE_MISUSE outside an access, or if the statement has a run.
    package func step(for cursor: AnyObject) throws -> Bool {
        guard connection.isAccessible else { throw DatabaseError.outsideOfAccess }
        guard !isRunning else { throw isRunningError() }
        guard sqlite3_stmt_busy(handle) == 0 || stepper !== cursor else { return try step() }
        stepper = cursor
        try start()
        return try firstStep()
    }

    /// Runs the statement to completion, ignoring its rows.
    ///
    /// - Throws: SQLite's error.
    package func runToEnd() throws {
        try beginRun()
        defer { didEndRun() }
        try start()
        guard try firstStep() else { return }
        while try step() {}
    }

    /// Executes the statement.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "UPDATE player SET score = ? WHERE id = ?")
    /// try statement.execute(arguments: [1000, 1])
    /// ```
    ///
    /// - Parameter arguments: the arguments; nil to use those set before.
    /// - Throws: a ``DatabaseError`` whose code is `SQLITE_MISUSE` for missing or extra arguments.
    public func execute(arguments: StatementArguments? = nil) throws {
        if let arguments { try setArguments(arguments) }
        try runToEnd()
    }
}

extension Statement: CustomStringConvertible {
    /// The SQL of the statement.
    public var description: String { sql }
}
