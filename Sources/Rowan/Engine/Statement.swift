// A prepared statement. It lives no longer than the access that uses it: the checks of `start` are made once per
// execution, and `step` is a C call and a comparison.

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

    /// Whether the statement makes no direct change to the database. <https://sqlite.org/c3ref/stmt_readonly.html>
    public let isReadonly: Bool

    @usableFromInline package let connection: LocalConnection
    /// Whether a read may run it: some pragmas, such as `PRAGMA journal_mode`, only read, and are not said to.
    let isAllowedInReads: Bool
    package let effect: Effect
    private let isBegin: Bool
    /// A rollback undoes changes of the schema too; RELEASE does not.
    private let isRollback: Bool
    /// SQLite prepares a pragma again for each execution, whatever the schema.
    private let isPragma: Bool
    @usableFromInline package let parameterCount: Int

    /// The bound arguments.
    @exclusivity(unchecked) package var storedArguments = StatementArguments()
    /// Whether some parameter has a name, once it was asked.
    @exclusivity(unchecked) package var knownNamedParameters: Bool?
    /// Whether all arguments that the statement needs were set.
    @exclusivity(unchecked) package var hasArguments: Bool

    /// The columns, read when they are asked for, and again when SQLite prepares the statement anew.
    @exclusivity(unchecked) @usableFromInline package var cachedLayout: ColumnLayout?
    @exclusivity(unchecked) private var reprepareCount: CInt = 0

    /// Whether a cursor holds the statement.
    @exclusivity(unchecked) @usableFromInline package var isLeased = false

    init(connection: LocalConnection, pointer: SQLiteStatement, sql: String) {
        self.connection = connection
        self.sqliteStatement = pointer
        self.sql = sql
        self.isReadonly = sqlite3_stmt_readonly(pointer) != 0
        let keyword = sql.firstSQLKeyword
        self.effect = Effect(keyword, sql)
        self.isBegin = keyword == "BEGIN"
        self.isRollback = keyword == "ROLLBACK"
        self.isPragma = keyword == "PRAGMA"
        self.isAllowedInReads = isReadonly || (isPragma && !sql.contains { $0 == "=" || $0 == "(" })
        self.parameterCount = Int(sqlite3_bind_parameter_count(pointer))
        self.hasArguments = parameterCount == 0
    }

    deinit {
        connection.finalize(sqliteStatement)
    }

    /// The number of columns of the rows; 0 for a statement that has none.
    public var columnCount: Int { Int(sqlite3_column_count(sqliteStatement)) }

    /// The names of the columns.
    public var columnNames: [String] { layout.names }

    /// The index of the leftmost column with a name, case-insensitively.
    public func index(ofColumn name: String) -> Int? { layout.index(ofColumn: name) }

    package var layout: ColumnLayout {
        if let cachedLayout { return cachedLayout }
        let count = sqlite3_column_count(sqliteStatement)
        let layout = ColumnLayout(
            names: (0..<count).map { String(cString: sqlite3_column_name(sqliteStatement, $0)) })
        cachedLayout = layout
        return layout
    }

    /// Makes the statement ready for its first step.
    ///
    /// - Throws: SQLITE_MISUSE outside of an access or with missing arguments, SQLITE_READONLY for a write in a read,
    ///   `CancellationError` if the task of the access is cancelled.
    package func start() throws {
        guard hasArguments else { throw missingArgumentsError() }
        try startUnchecked()
    }

    /// `start` for a plan, which has bound all arguments itself.
    @usableFromInline
    package func startUnchecked() throws {
        try connection.willRun(isReadonly: isAllowedInReads, isTransactionControl: effect == .transaction, sql: sql)
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

    /// The first step of an execution: it notices that SQLite prepared the statement again, for a new schema.
    @usableFromInline
    package func firstStep() throws -> Bool {
        let code = sqlite3_step(sqliteStatement)
        let count = sqlite3_stmt_status(sqliteStatement, SQLITE_STMTSTATUS_REPREPARE, 0)
        if count != reprepareCount, !isPragma {
            reprepareCount = count
            cachedLayout = nil
            connection.schemaGeneration &+= 1
        }
        if code == SQLITE_ROW { return true }
        try finish(code)
        return false
    }

    @usableFromInline
    package func finish(_ code: CInt) throws {
        guard code == SQLITE_DONE else {
            let error = connection.error(code, sql: sql, arguments: storedArguments)
            sqlite3_reset(sqliteStatement)
            if connection.isInManagedTransaction, !connection.isInsideTransaction {
                connection.isTransactionAborted = true
            }
            if !connection.isInsideTransaction { connection.transactionNumber &+= 1 }
            didEnd()
            throw error
        }
        sqlite3_reset(sqliteStatement)
        didEnd()
    }

    private func didEnd() {
        if effect != .none { noteEffect() }
        if connection.hasPendingTransactionEnd { connection.transactionDidEnd?() }
    }

    private func noteEffect() {
        switch effect {
        case .schema where !isReadonly: connection.schemaGeneration &+= 1
        case .transaction: noteTransaction()
        case .schema, .none: break
        }
    }

    /// SQLite calls no hook for the end of a transaction that has written nothing.
    private func noteTransaction() {
        if isRollback { connection.schemaGeneration &+= 1 }
        let hasEnded = !connection.isInsideTransaction
        if hasEnded || isBegin { connection.transactionNumber &+= 1 }
        if hasEnded, connection.transactionDidEnd != nil { connection.hasPendingTransactionEnd = true }
    }

    /// Ends an execution before its last row.
    @usableFromInline
    package func reset() {
        sqlite3_reset(sqliteStatement)
        if connection.hasPendingTransactionEnd { connection.transactionDidEnd?() }
    }

    /// The cursor of the statement is gone.
    func endLease() {
        isLeased = false
        reset()
    }

    /// How many times the statement has run. <https://sqlite.org/c3ref/c_stmtstatus_counter.html>
    package var runCount: CInt { sqlite3_stmt_status(sqliteStatement, SQLITE_STMTSTATUS_RUN, 0) }

    /// Runs the statement to its end, and drops its rows.
    ///
    /// - Throws: the error of SQLite.
    package func runToEnd() throws {
        guard !isLeased else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the statement is in use by a cursor", sql: sql)
        }
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

    /// What a statement does to the connection, beyond rows.
    package enum Effect: Sendable {
        case none
        /// It may change the schema that the connection caches.
        case schema
        /// It begins or ends a transaction or a savepoint.
        case transaction

        init(_ keyword: String, _ sql: String) {
            switch keyword {
            case "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE": self = .transaction
            case "CREATE", "DROP", "ALTER", "ATTACH", "DETACH", "VACUUM": self = .schema
            case "PRAGMA" where sql.contains("="): self = .schema
            default: self = .none
            }
        }
    }
}

extension Statement: CustomStringConvertible {
    public var description: String { sql }
}
