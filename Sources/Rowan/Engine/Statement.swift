// A prepared statement. It lives no longer than the access that uses it: the checks of `start` are made once per
// execution, and `step` is a C call and a comparison. It has one user at a time: whoever runs it holds its lease.

public import CSQLite
import Foundation

/// A prepared statement.
///
/// ```swift
/// let statement = try db.makeStatement(sql: "INSERT INTO player (name) VALUES (?)")
/// try statement.execute(arguments: ["Arthur"])
/// try statement.execute(arguments: ["Barbara"])
/// ```
///
/// Source: <https://sqlite.org/c3ref/stmt.html>
public final class Statement {
    /// The C statement.
    public let sqliteStatement: SQLiteStatement

    /// The SQL text of this statement alone.
    public let sql: String

    @usableFromInline package let connection: LocalConnection
    @usableFromInline package let parameterCount: Int
    let traits: Traits
    /// How the statement begins or ends a transaction or a savepoint. Apart from the profile, whose copy is dear
    /// (benchmark point-read-pool).
    let transactionOperation: StatementProfile.TransactionOperation?

    /// What the compiler reported, and for which schema.
    @exclusivity(unchecked) private var compilation: Compilation
    @exclusivity(unchecked) private var reprepareCount: CInt = 0

    @exclusivity(unchecked) private var knownRowSource: RowSource?

    /// The bound arguments.
    @exclusivity(unchecked) package var storedArguments = StatementArguments()
    /// Whether some parameter has a name, once it was asked.
    @exclusivity(unchecked) package var knownNamedParameters: Bool?
    /// Whether all arguments that the statement needs were set.
    @exclusivity(unchecked) package var hasArguments: Bool
    /// The error of arguments that were set by a method that can't throw.
    var argumentsFailure: DatabaseError?

    /// Whether the statement runs, or a cursor holds it.
    @exclusivity(unchecked) @usableFromInline package private(set) var isLeased = false
    /// Whether a prepared request keeps it, with its arguments.
    @exclusivity(unchecked) private var isReserved = false

    private struct Compilation {
        var profile: StatementProfile
        var profileEpoch: Int
        var epoch: Int
        /// The columns, and the schema epoch that they are for.
        var layout: (columns: ColumnLayout, epoch: Int)?
    }

    /// What is asked of a statement before and after each execution, derived from its profile.
    struct Traits: OptionSet, Sendable {
        let rawValue: UInt8
        static let isAllowedInReads = Traits(rawValue: 1)
        static let controlsTransaction = Traits(rawValue: 2)
        static let changesSchema = Traits(rawValue: 4)
        static let setsPragma = Traits(rawValue: 8)
        /// SQLite compiles a pragma again for each execution, whatever the schema.
        static let isPragma = Traits(rawValue: 16)
    }

    /// Who uses a statement.
    @usableFromInline
    package enum Use: Sendable { case lease, reservation }

    init(
        connection: LocalConnection, pointer: SQLiteStatement, sql: String, profile: StatementProfile, epoch: Int
    ) {
        self.connection = connection
        self.sqliteStatement = pointer
        self.sql = sql
        var profile = profile
        profile.isReadonly = sqlite3_stmt_readonly(pointer) != 0
        // EXPLAIN compiles what it explains, and runs nothing of it.
        let effects = sqlite3_stmt_isexplain(pointer) != 0 ? StatementProfile() : profile
        traits = Traits(effects)
        transactionOperation = effects.transactionOperation
        compilation = Compilation(profile: effects, profileEpoch: epoch, epoch: epoch)
        self.parameterCount = Int(sqlite3_bind_parameter_count(pointer))
        self.hasArguments = parameterCount == 0
    }

    deinit {
        connection.finalize(sqliteStatement)
    }

    // MARK: What it is

    /// Whether the statement makes no direct change to the database. <https://sqlite.org/c3ref/stmt_readonly.html>
    public var isReadonly: Bool { compilation.profile.isReadonly }

    /// What the statement touches and does, for the current schema: behind a view, or by a trigger, it may be other
    /// tables than when the statement was compiled.
    public var profile: StatementProfile {
        // Compiling a pragma may run it.
        if compilation.profileEpoch != connection.schemaEpoch, !traits.contains(.isPragma), let fresh = recompiled() {
            compilation.profile = fresh.compilation.profile
            compilation.profileEpoch = fresh.compilation.profileEpoch
        }
        return compilation.profile
    }

    /// The pragma that sets a state of the connection, if the statement is one, whatever the schema.
    var settingPragma: StatementProfile.Pragma? { compilation.profile.settingPragma }

    /// The schema epoch that the statement was compiled for.
    package var epoch: Int { compilation.epoch }

    /// The number of columns of the rows; 0 for a statement that has none.
    public var columnCount: Int { layout.names.count }

    /// The names of the columns.
    public var columnNames: [String] { layout.names }

    /// The index of the leftmost column with a name, case-insensitively.
    public func index(ofColumn name: String) -> Int? { layout.index(ofColumn: name) }

    /// The columns, for the current schema: the compiled statement knows those of the schema it was compiled for until
    /// its first step, where SQLite compiles it again.
    package var layout: ColumnLayout {
        let current = connection.schemaEpoch
        if let known = compilation.layout, isLeased || known.epoch == current { return known.columns }
        let isCurrent = isLeased || epoch == current
        let columns = Self.layout(of: isCurrent ? self : recompiled() ?? self)
        compilation.layout = (columns, isLeased ? epoch : current)
        return columns
    }

    /// What live rows have in common.
    var rowSource: RowSource {
        let layout = layout
        if let known = knownRowSource, known.columns === layout { return known }
        let source = RowSource(nil, columns: layout, isStrict: connection.isStrict)
        knownRowSource = source
        return source
    }

    private static func layout(of statement: Statement) -> ColumnLayout {
        let pointer = statement.sqliteStatement
        let count = sqlite3_column_count(pointer)
        return ColumnLayout(names: (0..<count).map { String(cString: sqlite3_column_name(pointer, $0)) })
    }

    /// The same statement for the current schema.
    ///
    /// - Returns: nil if SQLite refuses it.
    private func recompiled() -> Statement? {
        // What asks for columns can't throw. The error is that of the next execution.
        try? connection.prepare(sql)
    }

    /// How many times the statement has run. <https://sqlite.org/c3ref/c_stmtstatus_counter.html>
    package var runCount: CInt { sqlite3_stmt_status(sqliteStatement, SQLITE_STMTSTATUS_RUN, 0) }

    // MARK: Who uses it

    /// Whether nobody uses the statement.
    @usableFromInline package var isIdle: Bool { !isLeased && !isReserved }

    /// This statement, or a fresh one of the same text if it is in use.
    package func idle() throws -> Statement { isLeased ? try connection.prepare(sql) : self }

    /// Takes the statement for an execution.
    ///
    /// - Throws: SQLITE_MISUSE outside of an access, if a cursor holds it, or if it is running: a function that it calls
    ///   can't run it again.
    @usableFromInline
    package func lease() throws {
        guard connection.isAccessible else { throw DatabaseError.outsideOfAccess }
        guard !isLeased else { throw inUseError() }
        isLeased = true
    }

    func inUseError() -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "the statement is in use by a cursor, or by an execution that goes on: make another statement",
            sql: sql)
    }

    /// Whether SQLite accepts the text, for the current schema.
    package var compiles: Bool {
        // The error is that of the statement that has just failed: it is thrown by whoever asks.
        (try? connection.prepare(sql)) != nil
    }

    /// Keeps the statement for a prepared request.
    package func reserve() { isReserved = true }

    /// Ends a use of the statement. Only `LocalConnection.end` calls it, with access to the connection.
    package func end(_ use: Use) {
        switch use {
        case .reservation: isReserved = false
        case .lease:
            isLeased = false
            reset()
        }
    }

    /// The execution has ended, and the statement is reset.
    @usableFromInline
    package func endLease() { isLeased = false }

    /// Whether it is worth keeping for a next execution: changes of the schema and ends of transactions run once.
    package var isReusable: Bool { traits.isDisjoint(with: [.controlsTransaction, .changesSchema]) }

    // MARK: Running it

    /// Makes the statement ready for its first step.
    ///
    /// - Throws: SQLITE_MISUSE outside of an access or with missing arguments, SQLITE_READONLY for a write in a read,
    ///   `CancellationError` if the task of the access is cancelled.
    package func start() throws {
        guard hasArguments else { throw argumentsFailure ?? missingArgumentsError() }
        try startUnchecked()
    }

    /// `start` for a plan, which has bound all arguments itself.
    @usableFromInline
    package func startUnchecked() throws {
        try connection.willRun(self)
        resetIfBusy()
    }

    /// A program may have stepped the C statement by itself. The caller holds the lease.
    func resetIfBusy() {
        if sqlite3_stmt_busy(sqliteStatement) != 0 { sqlite3_reset(sqliteStatement) }
    }

    /// Steps to the next row.
    ///
    /// - Returns: false when there is no more row; the statement is reset then.
    /// - Throws: the error of SQLite; the statement is reset too.
    @inlinable
    package func step() throws -> Bool {
        let code = sqlite3_step(sqliteStatement)
        if code == SQLITE_ROW { return true }
        try finish(code)
        return false
    }

    /// The first step of an execution: it notices that SQLite compiled the statement again, for a new schema.
    @usableFromInline
    package func firstStep() throws -> Bool {
        let code = sqlite3_step(sqliteStatement)
        let count = sqlite3_stmt_status(sqliteStatement, SQLITE_STMTSTATUS_REPREPARE, 0)
        if count != reprepareCount {
            // Looking at the schema would hide the error.
            let error = code == SQLITE_ROW || code == SQLITE_DONE ? nil : failure(code)
            didRecompile(count)
            if let error { throw error }
        }
        if code == SQLITE_ROW { return true }
        try finish(code)
        return false
    }

    /// SQLite compiles a statement again for a new schema, and also when a bound value matters to its plan: `LIKE ?`.
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
        if !traits.isDisjoint(with: [.controlsTransaction, .changesSchema]) {
            connection.didRun(self, succeeded: true)
            sqlite3_reset(sqliteStatement)
            connection.notifyTransactionEnd()
        } else {
            sqlite3_reset(sqliteStatement)
        }
    }

    /// The error of a step, after the statement is reset.
    private func failure(_ code: CInt) -> DatabaseError {
        let error = connection.error(code, sql: sql, arguments: storedArguments)
        sqlite3_reset(sqliteStatement)
        // SQLite may have rolled back the transaction.
        connection.didRun(self, succeeded: false)
        connection.notifyTransactionEnd()
        return error
    }

    /// Ends an execution before its last row.
    @usableFromInline
    package func reset() {
        sqlite3_reset(sqliteStatement)
    }

    /// Runs the statement to its end, and drops its rows.
    ///
    /// - Throws: the error of SQLite.
    package func runToEnd() throws {
        try lease()
        defer { endLease() }
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
    /// - Parameter arguments: the arguments; nil for those that were set before.
    /// - Throws: a ``DatabaseError``, with code `SQLITE_MISUSE` for missing or extra arguments.
    public func execute(arguments: StatementArguments? = nil) throws {
        if let arguments { try setArguments(arguments) }
        try runToEnd()
    }
}

extension Statement.Traits {
    init(_ profile: StatementProfile) {
        self = []
        if profile.isAllowedInReads { insert(.isAllowedInReads) }
        if profile.transactionOperation != nil { insert(.controlsTransaction) }
        if profile.changesSchema { insert(.changesSchema) }
        if profile.settingPragma != nil { insert(.setsPragma) }
        if !profile.pragmas.isEmpty { insert(.isPragma) }
    }
}

extension Statement: CustomStringConvertible {
    public var description: String { sql }
}
