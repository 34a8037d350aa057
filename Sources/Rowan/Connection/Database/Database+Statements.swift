// Statements of a connection, from texts or literals with one or several statements.

extension Database {
    /// Prepares a statement.
    ///
    /// - Throws: SQLite's error; SQLITE_MISUSE if the text contains several statements, SQLITE_ERROR if it contains
    ///   none.
    public func makeStatement(sql: String) throws -> Statement { try connection.prepare(sql) }

    /// Prepares a statement from a literal, with its arguments set.
    ///
    /// If the literal leaves parameters open, as in `"SELECT ? + \(1)"`, all arguments of the statement must be set
    /// later.
    public func makeStatement(literal sqlLiteral: SQL) throws -> Statement {
        let (sql, arguments) = try sqlLiteral.build(self)
        let statement = try makeStatement(sql: sql)
        try statement.setArgumentsUnlessOpen(arguments)
        return statement
    }

    /// A prepared statement that is kept for reuse. If it is in use, a new statement is returned.
    ///
    /// - Throws: SQLite's error; SQLITE_MISUSE if the text contains several statements, SQLITE_ERROR if it contains
    ///   none.
    public func cachedStatement(sql: String) throws -> Statement { try connection.cachedUserStatement(sql) }

    /// Checks out a statement for the program's SQL, with its arguments set.
    @usableFromInline
    package func use(sql: String, _ arguments: StatementArguments) throws -> StatementUse {
        let use = try connection.use(sql)
        try use.statement.setArguments(arguments)
        return use
    }

    /// A cached statement from a literal, with its arguments set: see ``makeStatement(literal:)``.
    public func cachedStatement(literal sqlLiteral: SQL) throws -> Statement {
        let (sql, arguments) = try sqlLiteral.build(self)
        let statement = try cachedStatement(sql: sql)
        try statement.setArgumentsUnlessOpen(arguments)
        return statement
    }

    /// The statements of a text, in order: each is prepared after the previous one has run.
    ///
    /// ```swift
    /// let statements = try db.allStatements(sql: "INSERT INTO t VALUES (?); INSERT INTO t VALUES (?)", arguments: [1, 2])
    /// while let statement = try statements.next() { try statement.execute() }
    /// ```
    ///
    /// - Parameters:
    ///   - sql: the statements, separated by semicolons.
    ///   - arguments: each statement takes its positional arguments in order, and the named ones it has parameters for.
    public func allStatements(sql: String, arguments: StatementArguments? = nil) throws -> SQLStatementCursor {
        SQLStatementCursor(
            try SQLScript(sql, connection), sql: sql, arguments: arguments,
            isStrict: connection.isStrictAboutArguments)
    }

    /// The statements of a literal, with their arguments set. If the literal embeds no values, arguments can be set
    /// later.
    public func allStatements(literal sqlLiteral: SQL) throws -> SQLStatementCursor {
        let (sql, arguments) = try sqlLiteral.build(self)
        return try allStatements(sql: sql, arguments: arguments.isEmpty ? nil : arguments)
    }

    /// Executes one or several statements, separated by semicolons.
    ///
    /// ```swift
    /// try db.execute(sql: "INSERT INTO player (name) VALUES (:name)", arguments: ["name": "Arthur"])
    /// ```
    ///
    /// - Throws: SQLite's error; SQLITE_MISUSE for missing or extra arguments.
    public func execute(sql: String, arguments: StatementArguments = StatementArguments()) throws {
        // A text already executed as a single statement is in the pool.
        if let known = connection.knownSQL(sql) {
            let use = try connection.use(known)
            return try use.statement.execute(arguments: arguments)
        }
        let script = try SQLScript(sql, connection)
        let first = try script.next()
        if let first, script.isAtEnd {
            defer { if first.isReusable { connection.keep(first, forSQL: sql) } }
            return try first.execute(arguments: arguments)
        }
        let statements = SQLStatementCursor(
            script, first: first, sql: sql, arguments: arguments, isStrict: connection.isStrictAboutArguments)
        while let statement = try statements.next() { try statement.runToEnd() }
    }

    /// Executes one or several statements from a literal.
    ///
    /// ```swift
    /// try db.execute(literal: "UPDATE player SET name = \(name) WHERE id = \(id)")
    /// ```
    public func execute(literal sqlLiteral: SQL) throws {
        let (sql, arguments) = try sqlLiteral.build(self)
        try execute(sql: sql, arguments: arguments)
    }
}

extension SQL {
    /// Builds the SQL of the literal and its arguments.
    public func build(_ db: Database) throws -> (sql: String, arguments: StatementArguments) {
        var renderer = Renderer()
        renderer.write(try Resolver(db).literal(self))
        return (renderer.text, try renderer.statementArguments())
    }
}

/// A cursor over the statements of a text.
public final class SQLStatementCursor: Cursor {
    private let script: SQLScript
    /// A statement compiled before the first call of `next`.
    private var first: Statement?
    private let sql: String
    private var positional: ArraySlice<DatabaseValue>?
    private let named: [String: DatabaseValue]
    private var unusedNames: Set<String>

    init(
        _ script: SQLScript, first: Statement? = nil, sql: String, arguments: StatementArguments?, isStrict: Bool
    ) {
        self.script = script
        self.first = first
        self.sql = sql
        positional = arguments?.values[...]
        named = arguments?.namedValues ?? [:]
        unusedNames = isStrict ? Set(named.keys) : []
    }

    /// The next statement, or nil at the end of the text.
    ///
    /// - Throws: SQLite's error; at the end, SQLITE_MISUSE if no statement has used some positional arguments or, with
    ///   ``Configuration/strictArguments``, some named ones.
    public func next() throws -> Statement? {
        guard let statement = try nextStatement() else {
            try refuseUnusedArguments()
            return nil
        }
        if let positional {
            let taken = try statement.setFirstArguments(of: positional, named)
            self.positional = positional.dropFirst(taken.positionalCount)
            unusedNames.subtract(taken.names)
        }
        return statement
    }

    private func nextStatement() throws -> Statement? {
        guard let first else { return try script.next() }
        self.first = nil
        return first
    }

    private func refuseUnusedArguments() throws {
        guard let positional, !positional.isEmpty || !unusedNames.isEmpty else { return }
        let names = unusedNames.isEmpty ? "" : ": \(unusedNames.sorted().joined(separator: ", "))"
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "\(positional.count + unusedNames.count) unused statement argument(s)\(names)", sql: sql)
    }
}
