// Functions that return rows: json_each, json_tree, pragmas, and those of the user.

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
/// - Note: at fetch, SQLite throws an error for an unknown function.
///
/// Source: <https://sqlite.org/vtab.html#tabfunc2>
public struct TableFunction<RowDecoder>: Sendable {
    private let call: SQLExpression.FunctionCall

    /// The name of the function, which is also the name of its rows in a request.
    public var name: String { call.name }

    /// Creates a function whose rows decode to a type.
    public init(_ name: String, _ arguments: any SQLExpressible..., of type: RowDecoder.Type = RowDecoder.self) {
        call = .init(name, arguments.map(\.sqlExpression))
    }

    /// A request for all rows that the function returns.
    public func all() -> QueryInterfaceRequest<RowDecoder> {
        QueryInterfaceRequest(relation: Relation(.function(call)))
    }
}

extension TableFunction where RowDecoder == Row {
    /// Creates a function whose rows decode to `Row`.
    public init(_ name: String, _ arguments: any SQLExpressible...) {
        call = .init(name, arguments.map(\.sqlExpression))
    }

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
        call = .init(name, [json.sqlExpression] + (path.map { [$0.sqlExpression] } ?? []))
    }
}
