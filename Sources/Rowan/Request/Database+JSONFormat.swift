// The functions of SQLite that return JSON, as text or as binary JSON (JSONB, since SQLite 3.45).
// Sources: https://sqlite.org/json1.html, https://sqlite.org/jsonb.html

extension Database {
    /// The JSON without spaces, or in binary.
    public static func json(_ value: some SQLExpressible, format: JSONFormat) -> SQLExpression {
        .json(format.function(""), [value.sqlExpression])
    }

    /// A JSON array.
    public static func jsonArray<Element: SQLExpressible>(
        _ values: some Collection<Element>, format: JSONFormat
    ) -> SQLExpression {
        .json(format.function("_ARRAY"), values.map { format.element($0) })
    }

    /// A JSON array of values of several types.
    public static func jsonArray(_ values: some Collection<any SQLExpressible>, format: JSONFormat) -> SQLExpression {
        .json(format.function("_ARRAY"), values.map { format.element($0) })
    }

    /// A JSON object.
    public static func jsonObject(
        _ elements: some Collection<(key: String, value: any SQLExpressible)>, format: JSONFormat
    ) -> SQLExpression {
        .json(format.function("_OBJECT"), format.elements(elements))
    }

    /// The JSON array of the values of a group.
    public static func jsonGroupArray(
        _ value: some SQLExpressible, filter: (any SQLSpecificExpressible)? = nil, format: JSONFormat
    ) -> SQLExpression {
        .json(format.function("_GROUP_ARRAY"), [format.element(value)], filter: filter?.sqlExpression)
    }

    /// The JSON object of the keys and values of a group.
    public static func jsonGroupObject(
        key: some SQLExpressible, value: some SQLExpressible, filter: (any SQLSpecificExpressible)? = nil,
        format: JSONFormat
    ) -> SQLExpression {
        .json(
            format.function("_GROUP_OBJECT"), [key.sqlExpression, format.element(value)], filter: filter?.sqlExpression)
    }

    /// The SQL value at a path; arrays and objects are JSON of the format.
    public static func jsonExtract(
        _ value: some SQLExpressible, atPath path: some SQLExpressible, format: JSONFormat
    ) -> SQLExpression {
        .json(format.function("_EXTRACT"), [value.sqlExpression, path.sqlExpression.asConstant])
    }

    /// The values at several paths, as a JSON array.
    public static func jsonExtract<Path: SQLExpressible>(
        _ value: some SQLExpressible, atPaths paths: some Collection<Path>, format: JSONFormat
    ) -> SQLExpression {
        .json(format.function("_EXTRACT"), [value.sqlExpression] + paths.map(\.sqlExpression.asConstant))
    }

    /// The values at several paths, as a JSON array.
    public static func jsonExtract(
        _ value: some SQLExpressible, atPaths paths: some Collection<any SQLExpressible>, format: JSONFormat
    ) -> SQLExpression {
        .json(format.function("_EXTRACT"), [value.sqlExpression] + paths.map(\.sqlExpression.asConstant))
    }

    /// The JSON with values added at paths where there is nothing yet.
    public static func jsonInsert(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>,
        format: JSONFormat
    ) -> SQLExpression {
        .json(format.function("_INSERT"), [value.sqlExpression] + format.elements(assignments))
    }

    /// The JSON with the values at paths replaced, where there are any.
    public static func jsonReplace(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>,
        format: JSONFormat
    ) -> SQLExpression {
        .json(format.function("_REPLACE"), [value.sqlExpression] + format.elements(assignments))
    }

    /// The JSON with the values at paths replaced or added.
    public static func jsonSet(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>,
        format: JSONFormat
    ) -> SQLExpression {
        .json(format.function("_SET"), [value.sqlExpression] + format.elements(assignments))
    }

    /// The JSON with an RFC 7396 merge patch applied.
    public static func jsonPatch(
        _ value: some SQLExpressible, with patch: some SQLExpressible, format: JSONFormat
    ) -> SQLExpression {
        .json(format.function("_PATCH"), [value.sqlExpression, patch.sqlExpression])
    }

    /// The JSON without the value at a path.
    public static func jsonRemove(
        _ value: some SQLExpressible, atPath path: some SQLExpressible, format: JSONFormat
    ) -> SQLExpression {
        .json(format.function("_REMOVE"), [value.sqlExpression, path.sqlExpression])
    }

    /// The JSON without the values at several paths, removed in order.
    public static func jsonRemove<Path: SQLExpressible>(
        _ value: some SQLExpressible, atPaths paths: some Collection<Path>, format: JSONFormat
    ) -> SQLExpression {
        .json(format.function("_REMOVE"), [value.sqlExpression] + paths.map(\.sqlExpression))
    }

    /// The JSON without the values at several paths, removed in order.
    public static func jsonRemove(
        _ value: some SQLExpressible, atPaths paths: some Collection<any SQLExpressible>, format: JSONFormat
    ) -> SQLExpression {
        .json(format.function("_REMOVE"), [value.sqlExpression] + paths.map(\.sqlExpression))
    }
}
