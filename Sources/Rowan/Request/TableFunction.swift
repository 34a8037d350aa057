// Functions that make rows: json_each, json_tree, pragmas, and those of the user.

/// A table-valued function.
///
/// ```swift
/// // SELECT "value" FROM json_each(?)
/// let numbers = try TableFunction("json_each", "[1, 2, 3]").all().select(Column("value"), as: Int.self).fetchAll(db)
///
/// // SELECT "player".*, "json_each".* FROM "player" JOIN json_each("player"."tags")
/// let player = TableAlias<Player>()
/// Player.aliased(player).join(TableFunction("json_each", player[Column("tags")]).all())
/// ```
///
/// - Note: fetching throws if SQLite does not know the function.
///
/// Source: <https://sqlite.org/vtab.html#tabfunc2>
public struct TableFunction<RowDecoder>: Sendable {
    private let call: SQLExpression.FunctionCall

    /// The name of the function, and of its rows in a request.
    public var name: String { call.name }

    /// A function whose rows decode into a type.
    public init(_ name: String, _ arguments: any SQLExpressible..., of type: RowDecoder.Type = RowDecoder.self) {
        call = .init(name, arguments.map(\.sqlExpression))
    }

    /// A request of all the rows that the function makes.
    public func all() -> QueryInterfaceRequest<RowDecoder> {
        QueryInterfaceRequest(relation: Relation(.function(call)))
    }
}

extension TableFunction where RowDecoder == Row {
    /// A function that makes rows.
    public init(_ name: String, _ arguments: any SQLExpressible...) {
        call = .init(name, arguments.map(\.sqlExpression))
    }

    /// The elements of a JSON array, or the members of an object: `json_each(json, path)`.
    ///
    /// Source: <https://sqlite.org/json1.html#jeach>
    public static func jsonEach(_ json: some SQLExpressible, atPath path: (any SQLExpressible)? = nil) -> Self {
        Self("json_each", json, path)
    }

    /// All the values inside of a JSON value: `json_tree(json, path)`.
    ///
    /// Source: <https://sqlite.org/json1.html#jtree>
    public static func jsonTree(_ json: some SQLExpressible, atPath path: (any SQLExpressible)? = nil) -> Self {
        Self("json_tree", json, path)
    }

    private init(_ name: String, _ json: some SQLExpressible, _ path: (any SQLExpressible)?) {
        call = .init(name, [json.sqlExpression] + (path.map { [$0.sqlExpression] } ?? []))
    }
}
