// Creating and deleting views.

/// The options of a view. <https://sqlite.org/lang_createview.html>
public struct ViewOptions: OptionSet, Sendable {
    /// The raw value of the options.
    public let rawValue: Int
    /// Creates options from their raw value.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Does nothing if a table or a view with this name exists.
    public static let ifNotExists = ViewOptions(rawValue: 1 << 0)
    /// Creates a view that only this connection sees, until it closes.
    public static let temporary = ViewOptions(rawValue: 1 << 1)
}

extension Database {
    /// Creates a view from a request.
    ///
    /// ```swift
    /// // CREATE VIEW "hero" AS SELECT * FROM "player" WHERE "score" > 1000
    /// try db.create(view: "hero", as: Player.filter { $0.score > 1000 })
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the view.
    ///   - options: the options of the view; none by default.
    ///   - columns: the names of the columns; by default, those of the request.
    ///   - request: the request that the view runs. Its values become literals.
    /// - Throws: a ``DatabaseError`` or a ``RequestError``. SQLITE_MISUSE if the request has arguments in SQL text,
    ///   which a view doesn't accept.
    public func create(
        view name: String, options: ViewOptions = [], columns: [String]? = nil, as request: any SQLSubqueryable
    ) throws {
        let query = try Resolver(self).subquery(request.sqlSubquery)
        try executeDefinition { renderer in
            renderer.write(options.contains(.temporary) ? "CREATE TEMPORARY VIEW " : "CREATE VIEW ")
            if options.contains(.ifNotExists) { renderer.write("IF NOT EXISTS ") }
            renderer.write(identifier: name)
            if let columns { renderer.write(" (\(columns.quotedList))") }
            renderer.write(" AS ")
            renderer.write(query)
        }
    }

    /// Creates a view from a literal.
    ///
    /// ```swift
    /// // CREATE VIEW "hero" AS SELECT * FROM player WHERE score > 1000
    /// try db.create(view: "hero", asLiteral: "SELECT * FROM player WHERE score > \(1000)")
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the view.
    ///   - options: the options of the view; none by default.
    ///   - columns: the names of the columns; by default, those of the query.
    ///   - sqlLiteral: the query that the view runs. Its values become literals.
    /// - Throws: a ``DatabaseError``.
    public func create(
        view name: String, options: ViewOptions = [], columns: [String]? = nil, asLiteral sqlLiteral: SQL
    ) throws {
        try create(view: name, options: options, columns: columns, as: SQLSubquery(.literal(sqlLiteral)))
    }

    /// Deletes a view.
    public func drop(view name: String) throws { try execute(sql: "DROP VIEW \(name.quotedDatabaseIdentifier)") }
}
