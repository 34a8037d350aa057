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
    /// How the record type, if rows decode into one, stores values.
    private let storage: RecordStorage?

    /// A table whose rows decode into a type.
    public init(_ tableName: String, in schemaName: String? = nil) {
        self.tableName = tableName
        self.schemaName = schemaName
        storage = RowDecoder.self is any TableRecord.Type ? RecordStorage(RowDecoder.self) : nil
    }

    /// A request of all rows.
    public func all() -> QueryInterfaceRequest<RowDecoder> {
        QueryInterfaceRequest(
            relation: Relation(.table(TableName(tableName, schema: schemaName)), storage: storage))
    }
}

extension Table where RowDecoder == Row {
    /// A table of rows.
    public init(_ tableName: String, in schemaName: String? = nil) {
        self.tableName = tableName
        self.schemaName = schemaName
        storage = nil
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

extension Table {
    /// Whether a row has this primary key.
    public func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        guard let key = key.presentKey else { return false }
        return try !filter(key: key).isEmpty(db)
    }

    /// Whether a row has this primary or unique key.
    public func exists(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
        try !filter(key: key).isEmpty(db)
    }

    /// Deletes the row of a primary key.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    public func deleteOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        guard let key = key.presentKey else { return false }
        return try filter(key: key).deleteOne(db)
    }

    /// Deletes the row of a primary or unique key.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    public func deleteOne(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
        try filter(key: key).deleteOne(db)
    }

    /// Deletes the rows of primary keys.
    ///
    /// - Returns: the number of deleted rows.
    @discardableResult
    public func deleteAll<Keys: Collection>(_ db: Database, keys: Keys) throws -> Int
    where Keys.Element: DatabaseValueConvertible {
        let keys = keys.compactMap(\.presentKey)
        return try keys.isEmpty ? 0 : filter(keys: keys).deleteAll(db)
    }

    /// Deletes the rows of primary or unique keys.
    ///
    /// - Returns: the number of deleted rows.
    @discardableResult
    public func deleteAll(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws -> Int {
        try keys.isEmpty ? 0 : filter(keys: keys).deleteAll(db)
    }
}

extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
    /// Whether a row has this id.
    public func exists(_ db: Database, id: RowDecoder.ID) throws -> Bool { try exists(db, key: id) }

    /// Deletes the row of an id.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    public func deleteOne(_ db: Database, id: RowDecoder.ID) throws -> Bool { try deleteOne(db, key: id) }

    /// Deletes the rows of ids.
    ///
    /// - Returns: the number of deleted rows.
    @discardableResult
    public func deleteAll<IDS: Collection>(_ db: Database, ids: IDS) throws -> Int
    where IDS.Element == RowDecoder.ID {
        try deleteAll(db, keys: ids)
    }
}
