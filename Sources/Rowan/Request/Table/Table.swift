// A table without a record type.

/// A table without a record type: the start of requests.
///
/// ```swift
/// // SELECT * FROM "player" WHERE "score" > ?
/// let rows = try Table("player").filter { Column("score") > 1000 }.fetchAll(db)   // [Row]
/// ```
///
/// Article: <doc:Requests>.
public struct Table<RowDecoder>: Sendable {
    /// The name of the table.
    public var tableName: String
    /// The name of the schema, for a table of an attached database.
    public var schemaName: String?
    /// The storage of the record type, if rows decode to a record.
    private let storage: RecordStorage?

    /// Creates a table whose rows decode to a type.
    public init(_ tableName: String, in schemaName: String? = nil) {
        self.init(
            tableName, in: schemaName,
            storage: RecordStorage(
                RowDecoder.self, (RowDecoder.self as? any TableRecord.Type)?._tableLayout))
    }

    init(_ tableName: String, in schemaName: String?, storage: RecordStorage?) {
        self.tableName = tableName
        self.schemaName = schemaName
        self.storage = storage
    }

    /// A request for all rows.
    public func all() -> QueryInterfaceRequest<RowDecoder> {
        QueryInterfaceRequest(
            relation: Relation(.table(TableName(tableName, schema: schemaName)), storage: storage))
    }
}

extension Table where RowDecoder == Row {
    /// Creates a table whose rows decode to `Row`.
    public init(_ tableName: String, in schemaName: String? = nil) {
        self.init(tableName, in: schemaName, storage: nil)
    }
}

extension SQLInterpolation {
    /// Embeds the quoted name: `SELECT * FROM \(table)`.
    public mutating func appendInterpolation<T>(_ table: Table<T>) {
        if let schema = table.schemaName {
            appendInterpolation(identifier: schema)
            appendLiteral(".")
        }
        appendInterpolation(identifier: table.tableName)
    }
}

extension Table {
    /// Whether a row with this primary key exists.
    public func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        guard let key = key.presentKey else { return false }
        return try !filter(key: key).isEmpty(db)
    }

    /// Whether a row with this primary or unique key exists.
    public func exists(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
        try !filter(key: key).isEmpty(db)
    }

    /// Deletes the row with a primary key.
    ///
    /// - Returns: whether the row existed.
    @discardableResult
    public func deleteOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        guard let key = key.presentKey else { return false }
        return try filter(key: key).deleteOne(db)
    }

    /// Deletes the row with a primary or unique key.
    ///
    /// - Returns: whether the row existed.
    @discardableResult
    public func deleteOne(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
        try filter(key: key).deleteOne(db)
    }

    /// Deletes the rows with some primary keys.
    ///
    /// - Returns: the number of deleted rows.
    @discardableResult
    public func deleteAll<Keys: Collection>(_ db: Database, keys: Keys) throws -> Int
    where Keys.Element: DatabaseValueConvertible {
        let keys = keys.compactMap(\.presentKey)
        return try keys.isEmpty ? 0 : filter(keys: keys).deleteAll(db)
    }

    /// Deletes the rows with some primary or unique keys.
    ///
    /// - Returns: the number of deleted rows.
    @discardableResult
    public func deleteAll(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws -> Int {
        try keys.isEmpty ? 0 : filter(keys: keys).deleteAll(db)
    }
}

extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
    /// Whether a row with this id exists.
    public func exists(_ db: Database, id: RowDecoder.ID) throws -> Bool { try exists(db, key: id) }

    /// Deletes the row with an id.
    ///
    /// - Returns: whether the row existed.
    @discardableResult
    public func deleteOne(_ db: Database, id: RowDecoder.ID) throws -> Bool { try deleteOne(db, key: id) }

    /// Deletes the rows with some ids.
    ///
    /// - Returns: the number of deleted rows.
    @discardableResult
    public func deleteAll<IDS: Collection>(_ db: Database, ids: IDS) throws -> Int
    where IDS.Element == RowDecoder.ID {
        try deleteAll(db, keys: ids)
    }
}
