// A table without record type.

/// A table without record type: a start for requests.
///
/// ```swift
/// // SELECT * FROM "player" WHERE "score" > ?
/// let rows = try Table("player").filter { Column("score") > 1000 }.fetchAll(db)   // [Row]
/// ```
public struct Table<RowDecoder>: Sendable {
    /// The name of the table.
    public var tableName: String
    /// The name of its schema, for a table of an attached database.
    public var schemaName: String?

    /// A table whose rows decode into a type.
    public init(_ tableName: String, in schemaName: String? = nil) {
        self.tableName = tableName
        self.schemaName = schemaName
    }

    /// A request of all rows.
    public func all() -> QueryInterfaceRequest<RowDecoder> {
        QueryInterfaceRequest(relation: Relation(table: tableName, schema: schemaName))
    }
}

extension Table where RowDecoder == Row {
    /// A table of rows.
    public init(_ tableName: String, in schemaName: String? = nil) {
        self.tableName = tableName
        self.schemaName = schemaName
    }
}

extension SQLInterpolation {
    /// `SELECT * FROM \(table)`
    public mutating func appendInterpolation<T>(_ table: Table<T>) {
        if let schema = table.schemaName {
            appendInterpolation(identifier: schema)
            appendLiteral(".")
        }
        appendInterpolation(identifier: table.tableName)
    }
}
