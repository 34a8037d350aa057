// Statements of a connection: from text or literal, one or several.

import Foundation

extension Database {
    /// Prepares a statement.
    ///
    /// - Throws: the error of SQLite; SQLITE_MISUSE if the text has several statements, SQLITE_ERROR if it has none.
    public func makeStatement(sql: String) throws -> Statement { try connection.prepare(sql) }

    /// Prepares a statement from a literal, with its arguments set.
    public func makeStatement(literal sqlLiteral: SQL) throws -> Statement {
        let (sql, arguments) = try sqlLiteral.build(self)
        let statement = try makeStatement(sql: sql)
        try statement.setArguments(arguments)
        return statement
    }

    /// A statement that is prepared once, and reused. One that is in use gives way to a fresh one.
    ///
    /// - Throws: the error of SQLite; SQLITE_MISUSE if the text has several statements, SQLITE_ERROR if it has none.
    public func cachedStatement(sql: String) throws -> Statement { try connection.cachedStatement(sql) }

    /// A cached statement from a literal, with its arguments set.
    public func cachedStatement(literal sqlLiteral: SQL) throws -> Statement {
        let (sql, arguments) = try sqlLiteral.build(self)
        let statement = try cachedStatement(sql: sql)
        try statement.setArguments(arguments)
        return statement
    }

    /// The statements of a text, one after the other: each is prepared when the former has run.
    ///
    /// ```swift
    /// let statements = try db.allStatements(sql: "INSERT INTO t VALUES (?); INSERT INTO t VALUES (?)", arguments: [1, 2])
    /// while let statement = try statements.next() { try statement.execute() }
    /// ```
    ///
    /// - Parameter arguments: each statement takes its share of the positional arguments, and the named ones it knows.
    public func allStatements(sql: String, arguments: StatementArguments? = nil) throws -> SQLStatementCursor {
        SQLStatementCursor(database: self, sql: sql, arguments: arguments)
    }

    /// The statements of a literal, with their arguments set.
    public func allStatements(literal sqlLiteral: SQL) throws -> SQLStatementCursor {
        let (sql, arguments) = try sqlLiteral.build(self)
        return try allStatements(sql: sql, arguments: arguments)
    }

    /// Executes one or several statements, separated by semicolons.
    ///
    /// ```swift
    /// try db.execute(sql: "INSERT INTO player (name) VALUES (:name)", arguments: ["name": "Arthur"])
    /// ```
    ///
    /// - Throws: the error of SQLite; SQLITE_MISUSE for missing or extra arguments.
    public func execute(sql: String, arguments: StatementArguments = StatementArguments()) throws {
        // A text that was executed before, alone, is in the cache.
        if let statement = connection.statements.value(forKey: sql), !statement.isLeased {
            return try statement.execute(arguments: arguments)
        }
        let (first, rest) = try connection.prepareFirst(sql[...])
        if let first, rest.isBlankSQL {
            if first.effect == .none { connection.statements.setValue(first, forKey: sql) }
            return try first.execute(arguments: arguments)
        }
        let statements = try allStatements(sql: sql, arguments: arguments)
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
    /// The text of the literal, and its arguments.
    public func build(_ db: Database) throws -> (sql: String, arguments: StatementArguments) {
        var renderer = Renderer()
        renderer.write(try Resolver(db).literal(self))
        return (renderer.text, try renderer.statementArguments())
    }
}

/// The statements of a text.
public final class SQLStatementCursor: Cursor {
    private let database: Database
    private var rest: Substring
    private let sql: String
    private var positional: [DatabaseValue]?
    private let named: [String: DatabaseValue]
    private var unusedNames: Set<String>

    init(database: Database, sql: String, arguments: StatementArguments?) {
        self.database = database
        self.sql = sql
        rest = sql[...]
        positional = arguments?.values
        named = arguments?.namedValues ?? [:]
        unusedNames = Set(named.keys)
    }

    /// The next statement, nil at the end of the text.
    ///
    /// - Throws: the error of SQLite; at the end, SQLITE_MISUSE for arguments that no statement took.
    public func next() throws -> Statement? {
        while !rest.isEmpty {
            let (statement, rest) = try database.connection.prepareFirst(rest)
            self.rest = rest
            guard let statement else { continue }
            if let positional {
                let taken = try statement.setFirstArguments(of: positional, named)
                self.positional = Array(positional.dropFirst(taken.positionalCount))
                unusedNames.subtract(taken.names)
            }
            return statement
        }
        if let positional, !positional.isEmpty || !unusedNames.isEmpty {
            let names = unusedNames.isEmpty ? "" : ": \(unusedNames.sorted().joined(separator: ", "))"
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "\(positional.count + unusedNames.count) statement argument(s) left over\(names)", sql: sql)
        }
        return nil
    }
}
