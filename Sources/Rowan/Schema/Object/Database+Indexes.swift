// Creating and deleting indexes.

/// The options of an index. <https://sqlite.org/lang_createindex.html>
public struct IndexOptions: OptionSet, Sendable {
    /// The raw value of the options.
    public let rawValue: Int
    /// Creates options from their raw value.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Does nothing if the index exists.
    public static let ifNotExists = IndexOptions(rawValue: 1 << 0)
    /// Rejects rows with equal values in the indexed columns.
    public static let unique = IndexOptions(rawValue: 1 << 1)
}

extension Database {
    /// Creates an index with a name.
    public func create(
        index name: String, on table: String, columns: [String], options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) throws {
        try create(
            index: name, on: table, expressions: columns.map { Column($0) }, options: options, condition: condition)
    }

    /// Creates an index: the form that existing programs use. The form with options is equivalent.
    @_disfavoredOverload
    public func create(
        index name: String, on table: String, columns: [String], unique: Bool = false, ifNotExists: Bool = false,
        condition: (any SQLExpressible)? = nil
    ) throws {
        var options: IndexOptions = []
        if unique { options.insert(.unique) }
        if ifNotExists { options.insert(.ifNotExists) }
        try create(index: name, on: table, columns: columns, options: options, condition: condition)
    }

    /// Creates an index on expressions.
    public func create(
        index name: String, on table: String, expressions: [any SQLExpressible], options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) throws {
        try create(index: name, on: table, in: nil, expressions: expressions, options: options, condition: condition)
    }

    /// - Parameter schemaName: the schema of the index and of its table; nil for those that SQLite chooses.
    func create(
        index name: String, on table: String, in schemaName: String?, expressions: [any SQLExpressible],
        options: IndexOptions, condition: (any SQLExpressible)?
    ) throws {
        try executeDefinition { renderer in
            renderer.write(options.contains(.unique) ? "CREATE UNIQUE INDEX " : "CREATE INDEX ")
            if options.contains(.ifNotExists) { renderer.write("IF NOT EXISTS ") }
            if let schemaName {
                renderer.write(identifier: schemaName)
                renderer.write(".")
            }
            renderer.write(identifier: name)
            renderer.write(" ON ")
            renderer.write(identifier: table)
            renderer.write("(")
            renderer.write(list: expressions) { $0.write($1.sqlExpression) }
            renderer.write(")")
            if let condition {
                renderer.write(" WHERE ")
                renderer.write(condition.sqlExpression)
            }
        }
    }

    /// Creates an index with a default name: `index_player_on_team_score`.
    public func create(
        indexOn table: String, columns: [String], options: IndexOptions = [], condition: (any SQLExpressible)? = nil
    ) throws {
        try create(
            index: Self.indexName(table, columns), on: table, columns: columns, options: options, condition: condition)
    }

    /// Deletes an index.
    public func drop(index name: String) throws {
        try execute(sql: "DROP INDEX \(name.quotedDatabaseIdentifier)")
    }

    /// Deletes the index on some columns, whatever its name. Does nothing if the table has no such index.
    ///
    /// - Throws: SQLITE_ERROR if the table does not exist, if the index belongs to a constraint, or if several indexes
    ///   have these columns.
    public func drop(indexOn table: String, columns: [String]) throws {
        let wanted = columns.map(\.foldedDatabaseName)
        let all = try indexes(on: table).filter { $0.columns.map(\.foldedDatabaseName) == wanted }
        let created = all.filter { $0.origin == .createIndex }
        guard created.count < 2 else {
            throw DatabaseError(
                message: "table \(table) has \(created.count) indexes on \(columns.joined(separator: ", ")) "
                    + "(\(created.map(\.name).joined(separator: ", "))): drop one by its name")
        }
        guard let index = created.first ?? all.first else { return }
        try drop(index: index.name)
    }

    private static func indexName(_ table: String, _ columns: [String]) -> String {
        "index_\(table)_on_\(columns.joined(separator: "_"))"
    }
}
