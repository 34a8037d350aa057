// Who owns a statement that Rowan runs. The pool of a connection keeps statements compiled. Whoever runs one checks it
// out: until that use ends, nobody else can bind or run this statement, and the same SQL gets another one. Plans and
// caches hold SQL, never a statement. A statement that the program has kept, with a cursor or a row, belongs to the
// program: the pool does not hand it out again.

/// A SQL text that stays compiled while nobody runs it.
@usableFromInline
package final class PreparedSQL {
    package let text: String
    /// Whether the statement means the same in all schemas, so that no change of the schema makes it outdated.
    private let ignoresSchema: Bool
    /// The statement that nobody uses.
    @exclusivity(unchecked) private var idle: Statement?

    package init(_ text: String, ignoresSchema: Bool = false) {
        self.text = text
        self.ignoresSchema = ignoresSchema
    }

    /// The text of a statement that nobody uses.
    init(_ statement: Statement, text: String) {
        self.text = text
        ignoresSchema = false
        idle = statement
    }

    fileprivate var isCompiled: Bool { idle != nil }

    /// Takes the compiled statement, unless it is outdated, or the program holds it.
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

/// A statement that is checked out of the pool. At the end of its use, it is reset, and back in the pool.
///
/// Bind it to a name: a use lasts until the end of the scope of its name, but a nameless one ends at once.
@usableFromInline
package struct StatementUse: ~Copyable {
    @usableFromInline package let statement: Statement
    /// The text, which a plan keeps to run the statement again.
    package let sql: PreparedSQL

    fileprivate init(_ statement: Statement, _ sql: PreparedSQL) {
        self.statement = statement
        self.sql = sql
    }

    deinit { statement.connection.endUse(of: statement, sql) }
}

/// A use that several owners share: it ends with the last of them.
package final class SharedStatementUse {
    private var use: StatementUse?

    package init(_ use: consuming StatementUse) { self.use = consume use }

    /// Passes the use on to a single owner.
    package func take() -> StatementUse? { use.take() }
}

/// Who keeps the statement of a cursor.
enum StatementOwner: ~Copyable {
    /// The program has made the statement.
    case program
    /// The cursor has checked it out of the pool.
    case cursor(StatementUse)
    /// A prepared request has checked it out.
    case request(SharedStatementUse)

    /// - Parameter use: the use of a prepared request; nil for a statement of the program.
    init(_ use: SharedStatementUse?) {
        guard let use else {
            self = .program
            return
        }
        self = .request(use)
    }
}

extension LocalConnection {
    /// Checks out a statement. A new one is compiled if the statement of the pool is in use, or outdated: SQLite would
    /// detect that at the first step, too late for the columns.
    @usableFromInline
    package func use(_ sql: PreparedSQL) throws -> StatementUse {
        // Before the statement is bound: another thread may be using the connection.
        if !isAccessible { _ = try openPointer() }
        if let idle = sql.takeIdle(epoch: schemaEpoch) { return StatementUse(idle, sql) }
        return StatementUse(try prepare(sql.text, isKept: true), sql)
    }

    /// Lends a statement to the closure, which runs it to its end. It is the same as a use, without its bookkeeping.
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
    /// Complexity: one lookup in a hash table if the statement is compiled.
    package func use(_ sql: String) throws -> StatementUse {
        var text = sql
        if let known = text.withUTF8({ pool.value(forUTF8: $0) }) { return try use(known) }
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

    /// The SQL of the pool for a text, if it has been compiled as a single statement.
    package func knownSQL(_ sql: String) -> PreparedSQL? { pool.value(forKey: sql) }

    /// Adds a statement to the pool, from where others may take it at once.
    package func keep(_ statement: Statement, forSQL sql: String) {
        pool.setValue(PreparedSQL(statement, text: sql), forKey: sql)
    }

    /// Compiles a statement, unless it is compiled already, so that it runs later even without memory.
    package func compile(_ sql: PreparedSQL) throws { if !sql.isCompiled { _ = try use(sql) } }

    /// Runs a statement of the pool to its end, ignoring its rows.
    package func run(_ sql: String) throws { try withStatement(sql) { try $0.runToEnd() } }

    /// Calls the closure with a statement of the pool.
    package func withStatement<T>(_ sql: String, _ body: (Statement) throws -> T) throws -> T {
        let use = try use(sql)
        return try body(use.statement)
    }

    /// Ends a use: now if the thread has access, otherwise at the next access.
    fileprivate func endUse(of statement: Statement, _ sql: PreparedSQL) {
        guard isAccessible else { return forget(.use(statement, sql)) }
        takeBack(statement, sql)
    }

    /// Resets a statement, and keeps it for the next use.
    func takeBack(_ statement: Statement, _ sql: PreparedSQL) {
        // A cursor that the program has made in its closure still runs the statement, which thus is its own.
        guard !statement.isRunning else { return }
        statement.resetIfBusy()
        sql.give(back: statement)
    }

    /// A statement that the program requests by its SQL. Rowan never runs these statements: the program owns their
    /// arguments.
    package func cachedUserStatement(_ sql: String) throws -> Statement {
        let known = userStatements.value(forKey: sql)
        if let known, known.isRunning { return try prepare(sql) }
        if let known, known.epoch == schemaEpoch { return known }
        let statement = try prepare(sql, isKept: true)
        userStatements.setValue(statement, forKey: sql)
        return statement
    }

    /// Releases all compiled statements of the pool, and those that the program has requested.
    package func forgetCachedStatements() {
        pool.removeAll()
        userStatements.removeAll()
    }
}
