// Ownership of the statements that Rowan runs. A connection's pool keeps statements compiled. To run a statement, it is
// checked out: until that use finishes, it can't be bound or run elsewhere, and the same SQL gets another statement.
// Plans and caches hold SQL, never a statement. A statement kept by the program, through a cursor or a row, belongs to
// the program: the pool does not hand it out again.

/// An SQL text that stays compiled while it is unused.
@usableFromInline
package final class PreparedSQL {
    package let text: String
    /// Whether the statement has the same meaning in all schemas, so that no schema change makes it outdated.
    private let ignoresSchema: Bool
    /// The unused statement.
    @exclusivity(unchecked) private var idle: Statement?

    package init(_ text: String, ignoresSchema: Bool = false) {
        self.text = text
        self.ignoresSchema = ignoresSchema
    }

    /// The text of an unused statement.
    init(_ statement: Statement, text: String) {
        self.text = text
        ignoresSchema = false
        idle = statement
    }

    fileprivate var isCompiled: Bool { idle != nil }

    /// Takes the compiled statement, unless it is outdated or held by the program.
    @inline(__always)
    fileprivate func takeIdle(epoch: Int) -> Statement? {
        guard isKnownUniquelyReferenced(&idle), idle.unsafelyUnwrapped.isCurrent(epoch) || ignoresSchema else {
            return nil
        }
        return idle.take()
    }

    /// Keeps a statement for the next use.
    @inline(__always)
    fileprivate func give(back statement: Statement) { idle = statement }
}

extension Statement {
    /// Whether the statement was compiled for the current schema.
    @inline(__always)
    fileprivate func isCurrent(_ epoch: Int) -> Bool { self.epoch == epoch }
}

/// A statement that is checked out of the pool. When its use finishes, it is reset and returned to the pool.
///
/// Bind it to a name: a named use lasts until the end of the scope, but an unnamed one finishes immediately.
@usableFromInline
package struct StatementUse: ~Copyable {
    @usableFromInline package let statement: Statement
    /// The text, which a plan keeps in order to rerun the statement.
    package let sql: PreparedSQL

    fileprivate init(_ statement: Statement, _ sql: PreparedSQL) {
        self.statement = statement
        self.sql = sql
    }

    deinit { statement.connection.endUse(of: statement, sql) }
}

/// A use shared by several owners, which finishes with the last of them.
package final class SharedStatementUse {
    private var use: StatementUse?

    package init(_ use: consuming StatementUse) { self.use = consume use }

    /// Transfers the use to a single owner.
    package func take() -> StatementUse? { use.take() }
}

/// The owner of a cursor's statement.
enum StatementOwner: ~Copyable {
    /// The program has prepared the statement.
    case program
    /// The cursor has checked it out of the pool.
    case cursor(StatementUse)
    /// A prepared request has checked it out.
    case request(SharedStatementUse)

    /// - Parameter use: the use of a prepared request; nil for a statement prepared by the program.
    init(_ use: SharedStatementUse?) {
        guard let use else {
            self = .program
            return
        }
        self = .request(use)
    }
}

extension LocalConnection {
    /// Checks out a statement. A new one is compiled if the pooled statement is in use or outdated: SQLite would detect
    /// the latter only at the first step, too late for the columns.
    @usableFromInline
    package func use(_ sql: PreparedSQL) throws -> StatementUse {
        // Checked before the statement is bound, because another thread may be using the connection.
        if !isAccessible { _ = try openPointer() }
        if let idle = sql.takeIdle(epoch: schemaEpoch) { return StatementUse(idle, sql) }
        return StatementUse(try prepare(sql.text, isKept: true), sql)
    }

    /// Lends a statement to the closure, which runs it to completion. Equivalent to a use, without the bookkeeping.
    @inline(__always)
    package func borrow<T>(_ sql: PreparedSQL, _ body: (Statement) throws -> T) throws -> T {
        if !isAccessible { _ = try openPointer() }
        guard let idle = sql.takeIdle(epoch: schemaEpoch) else {
            let use = try use(sql)
            return try body(use.statement)
        }
        defer { sql.give(back: idle) }
        return try body(idle)
    }

    /// Checks out a statement.
    ///
    /// Complexity: one lookup in a hash table if the statement is already compiled.
    package func use(_ sql: String) throws -> StatementUse {
        if let known = sql.withBytes({ pool.value(forUTF8: $0) }) { return try use(known) }
        return try use(new: sql)
    }

    /// Checks out a statement for the bytes of its SQL.
    package func use(utf8 text: UnsafeBufferPointer<UInt8>) throws -> StatementUse {
        if let known = pool.value(forUTF8: text) { return try use(known) }
        return try use(new: String(decoding: text, as: UTF8.self))
    }

    private func use(new sql: String) throws -> StatementUse {
        let statement = try prepare(sql, isKept: true)
        let sql = PreparedSQL(sql)
        pool.setValue(sql, forKey: sql.text)
        return StatementUse(statement, sql)
    }

    /// The pooled SQL for a text, if it has been compiled as a single statement.
    package func knownSQL(_ sql: String) -> PreparedSQL? { pool.value(forKey: sql) }

    /// Adds a statement to the pool, from which others may take it immediately.
    package func keep(_ statement: Statement, forSQL sql: String) {
        pool.setValue(PreparedSQL(statement, text: sql), forKey: sql)
    }

    /// Compiles a statement unless it is already compiled, so that it can later run even without memory.
    package func compile(_ sql: PreparedSQL) throws { if !sql.isCompiled { _ = try use(sql) } }

    /// Runs a pooled statement to completion, ignoring its rows.
    package func run(_ sql: String) throws { try withStatement(sql) { try $0.runToEnd() } }

    /// Calls the closure with a pooled statement.
    package func withStatement<T>(_ sql: String, _ body: (Statement) throws -> T) throws -> T {
        let use = try use(sql)
        return try body(use.statement)
    }

    /// Finishes a use: now if the thread has access, otherwise at the next access.
    fileprivate func endUse(of statement: Statement, _ sql: PreparedSQL) {
        guard isAccessible else { return forget(.use(statement, sql)) }
        takeBack(statement, sql)
    }

    /// Resets a statement and keeps it for the next use.
    func takeBack(_ statement: Statement, _ sql: PreparedSQL) {
        // A cursor created in the program's closure is still running the statement, and so owns it.
        guard !statement.isRunning else { return }
        statement.resetIfBusy()
        sql.give(back: statement)
    }

    /// A statement requested by the program with its SQL. Rowan never runs these statements: the program owns their
    /// arguments.
    package func cachedUserStatement(_ sql: String) throws -> Statement {
        let known = userStatements.value(forKey: sql)
        if let known, known.isRunning { return try prepare(sql) }
        if let known, known.epoch == schemaEpoch { return known }
        let statement = try prepare(sql, isKept: true)
        userStatements.setValue(statement, forKey: sql)
        return statement
    }

    /// Releases all compiled statements of the pool and those requested by the program.
    package func forgetCachedStatements() {
        pool.removeAll()
        userStatements.removeAll()
    }
}
