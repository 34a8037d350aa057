// Functions that return rows: json_each, json_tree, pragmas, and user-defined functions.

/// A table-valued function.
///
/// ```swift
/// // SELECT "value" FROM json_each(?)
/// let numbers = try TableFunction("json_each", "[1, 2, 3]").select(Column("value"), as: Int.self).fetchAll(db)
///
/// // SELECT "player".*, "json_each".* FROM "player" JOIN json_each("player"."tags")
/// let player = TableAlias<Player>()
/// Player.aliased(player).join(TableFunction("json_each", player[Column("tags")]).all())
/// ```
///
/// - Note: at fetch, SQLite throws an error for an unknown function.
///
/// Article: <doc:BeyondTheBasics>.
///
/// Source: <https://sqlite.org/vtab.html#tabfunc2>
public struct TableFunction<RowDecoder>: DerivableRequest, FetchRequest, Sendable {
    private var request: QueryInterfaceRequest<RowDecoder>

    /// The name of the function, which is also the name of its rows in a request.
    public var name: String { request.databaseTableName }

    /// The name of the function, which is also the name of its rows in a request.
    public var databaseTableName: String { name }

    /// Creates a function whose rows decode to a type.
    public init(_ name: String, _ arguments: any SQLExpressible..., of type: RowDecoder.Type = RowDecoder.self) {
        self.init(.init(name, arguments.map(\.sqlExpression)))
    }

    private init(_ call: SQLExpression.FunctionCall) {
        request = QueryInterfaceRequest(relation: Relation(.function(call)))
    }

    /// A request for all rows that the function returns.
    public func all() -> QueryInterfaceRequest<RowDecoder> { request }

    /// Replaces the selection and decodes rows to a type.
    @_disfavoredOverload  // an open T slows down the type-checking of chains
    public func select<T>(_ selection: any SQLSelectable..., as type: T.Type = T.self) -> QueryInterfaceRequest<T> {
        request.select(selection, as: type)
    }

    /// The request with a changed relation. Not for users.
    public consuming func _mapRelation(_ change: (inout Relation) -> Void) -> Self {
        request = request._mapRelation(change)
        return self
    }

    /// The request as a subquery.
    public var sqlSubquery: SQLSubquery { request.sqlSubquery }

    /// Prepares the statement of the request.
    ///
    /// - Throws: a ``DatabaseError`` or a ``RequestError`` if the request has no valid SQL.
    public func makePreparedRequest(
        _ db: Database, forSingleResult singleResult: Bool = false
    ) throws -> PreparedRequest {
        try request.makePreparedRequest(db, forSingleResult: singleResult)
    }

    /// The number of rows that the function returns.
    public func fetchCount(_ db: Database) throws -> Int { try request.fetchCount(db) }
}

extension TableFunction where RowDecoder: TableRecord {
    /// Replaces the selection and decodes rows to a type: `select({ $0.value }, as: Int.self)`.
    @_disfavoredOverload  // an open T slows down the type-checking of chains
    public func select<T>(
        _ selection: (RowDecoder.DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try request.select(selection, as: type)
    }

    /// Replaces the selection with several expressions and decodes rows to a type.
    @_disfavoredOverload  // an open T slows down the type-checking of chains
    public func select<T>(
        _ selection: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable], as type: T.Type = T.self
    ) rethrows -> QueryInterfaceRequest<T> {
        try request.select(selection, as: type)
    }
}

extension TableFunction where RowDecoder == Row {
    /// Creates a function whose rows decode to `Row`.
    public init(_ name: String, _ arguments: any SQLExpressible...) {
        self.init(.init(name, arguments.map(\.sqlExpression)))
    }
}

/// A row of `json_each` and `json_tree`.
///
/// ```swift
/// // SELECT "value" FROM json_each(?) WHERE "type" = ?
/// let numbers = try TableFunction.jsonEach("[1, \"a\", 2]")
///     .filter { $0.type == "integer" }
///     .select({ $0.value }, as: Int.self)
///     .fetchAll(db)   // [1, 2]
/// ```
///
/// Columns that a request does not select are NULL.
///
/// Source: <https://sqlite.org/json1.html#jeach>
public struct JSONElement: TableRecord, Hashable, Sendable {
    /// The columns of the functions.
    public enum Columns {
        /// The index of an element of an array, or the label of a member of an object.
        public static let key = Column("key")
        /// The value; for an array or an object, its JSON.
        public static let value = Column("value")
        /// `null`, `true`, `false`, `integer`, `real`, `text`, `array` or `object`.
        public static let type = Column("type")
        /// The value, or NULL for an array or an object.
        public static let atom = Column("atom")
        /// The number of the element in the JSON value.
        public static let id = Column("id")
        /// The number of the array or object that contains the element.
        public static let parent = Column("parent")
        /// The path of the element.
        public static let fullkey = Column("fullkey")
        /// The path of the array or object that contains the element.
        public static let path = Column("path")
    }

    /// The name of the function that returns the elements of one level.
    public static var databaseTableName: String { "json_each" }

    /// The index of an element of an array, or the label of a member of an object.
    public let key: DatabaseValue
    /// The value; for an array or an object, its JSON.
    public let value: DatabaseValue
    /// `null`, `true`, `false`, `integer`, `real`, `text`, `array` or `object`.
    public let type: String?
    /// The path of the element.
    public let fullkey: String?

    /// Decodes a row.
    public init(row: Row) {
        key = row["key"] ?? .null
        value = row["value"] ?? .null
        type = row["type"]
        fullkey = row["fullkey"]
    }
}

extension TableFunction where RowDecoder == JSONElement {
    /// The elements of a JSON array, or the members of an object: `json_each(json, path)`.
    ///
    /// Source: <https://sqlite.org/json1.html#jeach>
    public static func jsonEach(_ json: some SQLExpressible, atPath path: (any SQLExpressible)? = nil) -> Self {
        Self("json_each", json, path)
    }

    /// All values inside a JSON value: `json_tree(json, path)`.
    ///
    /// Source: <https://sqlite.org/json1.html#jtree>
    public static func jsonTree(_ json: some SQLExpressible, atPath path: (any SQLExpressible)? = nil) -> Self {
        Self("json_tree", json, path)
    }

    private init(_ name: String, _ json: some SQLExpressible, _ path: (any SQLExpressible)?) {
        self.init(.init(name, [json.sqlExpression] + (path.map { [$0.sqlExpression] } ?? [])))
    }
}
