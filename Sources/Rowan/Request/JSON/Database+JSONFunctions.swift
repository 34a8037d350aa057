// The functions of SQLite that return JSON. Each returns text; `asJSONB` turns it into the function that returns binary
// JSON.
// Source: https://sqlite.org/json1.html

extension Database {
    /// The JSON without spaces: `JSON("info")`. SQLite recognizes the result as JSON.
    ///
    /// ```swift
    /// // SELECT JSON("info") FROM "player"
    /// Player.select({ Database.json($0.info) }, as: String.self)
    /// ```
    ///
    /// At fetch, SQLite throws "malformed JSON" for invalid JSON.
    ///
    /// Source: <https://sqlite.org/json1.html#jmini>
    public static func json(_ value: some SQLExpressible) -> SQLExpression {
        .json(.json, [value.sqlExpression])
    }

    /// A JSON array: `JSON_ARRAY(1, "name")`.
    ///
    /// ```swift
    /// // SELECT JSON_ARRAY("id", JSON("info")) FROM "player"   -- [1,{"score":12}]
    /// Player.select({ Database.jsonArray([$0.id, $0.info.asJSON]) }, as: String.self)
    /// ```
    ///
    /// ``SQLJSONExpressible`` elements stay JSON values; other text becomes JSON strings. At fetch, SQLite throws an
    /// error for a blob.
    ///
    /// Source: <https://sqlite.org/json1.html#jarray>
    public static func jsonArray<Element: SQLExpressible>(_ values: some Collection<Element>) -> SQLExpression {
        .json(.array, values.map { $0.asJSONElement })
    }

    /// A JSON array of values of several types.
    public static func jsonArray(_ values: some Collection<any SQLExpressible>) -> SQLExpression {
        .json(.array, values.map { $0.asJSONElement })
    }

    /// A JSON object: `JSON_OBJECT('id', 1, 'name', "name")`.
    ///
    /// ```swift
    /// // SELECT JSON_OBJECT(?, "id", ?, JSON("info")) FROM "player"   -- {"id":1,"info":{"score":12}}
    /// Player.select({ Database.jsonObject(["id": $0.id, "info": $0.info.asJSON]) }, as: String.self)
    /// ```
    ///
    /// ``SQLJSONExpressible`` values stay JSON values; other text becomes JSON strings. The keys keep their order; the
    /// keys of a dictionary are sorted. At fetch, SQLite throws an error for a blob.
    ///
    /// Source: <https://sqlite.org/json1.html#jobj>
    public static func jsonObject(
        _ elements: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        .json(.object, elementsOfJSON(elements))
    }

    /// A JSON object of a dictionary literal whose values have several types.
    public static func jsonObject(_ elements: [String: any SQLExpressible]) -> SQLExpression {
        .json(.object, elementsOfJSON(elements))
    }

    /// The JSON array of the values of a group: `JSON_GROUP_ARRAY("name") FILTER (WHERE ...)`.
    ///
    /// ```swift
    /// // SELECT "team", JSON_GROUP_ARRAY("name") FROM "player" GROUP BY "team"
    /// Player.select { [$0.team, Database.jsonGroupArray($0.name)] }.group(\.team)
    /// ```
    ///
    /// A ``SQLJSONExpressible`` value stays a JSON value; other text becomes a JSON string.
    ///
    /// Source: <https://sqlite.org/json1.html#jgrouparray>
    public static func jsonGroupArray(
        _ value: some SQLExpressible, filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        .json(.groupArray, [value.asJSONElement], filter: filter?.sqlExpression)
    }

    /// The JSON object of the keys and values of a group: `JSON_GROUP_OBJECT("name", "score") FILTER (WHERE ...)`.
    ///
    /// ```swift
    /// // SELECT JSON_GROUP_OBJECT("name", "score") FROM "player"   -- {"Arthur":100,"Barbara":200}
    /// Player.select({ Database.jsonGroupObject(key: $0.name, value: $0.score) }, as: String.self)
    /// ```
    ///
    /// A ``SQLJSONExpressible`` value stays a JSON value; other text becomes a JSON string.
    ///
    /// Source: <https://sqlite.org/json1.html#jgroupobject>
    public static func jsonGroupObject(
        key: some SQLExpressible, value: some SQLExpressible, filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        .json(.groupObject, [key.sqlExpression, value.asJSONElement], filter: filter?.sqlExpression)
    }

    /// The SQL value at a path: `JSON_EXTRACT("info", '$.name')`.
    ///
    /// ```swift
    /// // SELECT JSON_EXTRACT("info", '$.name') FROM "player"
    /// Player.select({ Database.jsonExtract($0.info, atPath: "$.name") }, as: String.self)
    /// ```
    ///
    /// Source: <https://sqlite.org/json1.html#jex>
    public static func jsonExtract(_ value: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression {
        .json(.extract, [value.sqlExpression, path.sqlExpression.asConstant])
    }

    /// The values at several paths, as a JSON array: `JSON_EXTRACT("info", '$.a', '$.b')`. A single path gives an SQL
    /// value, and no path gives NULL.
    public static func jsonExtract<Path: SQLExpressible>(
        _ value: some SQLExpressible, atPaths paths: some Collection<Path>
    ) -> SQLExpression {
        .json(.extract, [value.sqlExpression] + paths.map { $0.sqlExpression.asConstant })
    }

    /// The values at paths of several types, as a JSON array.
    public static func jsonExtract(
        _ value: some SQLExpressible, atPaths paths: some Collection<any SQLExpressible>
    ) -> SQLExpression {
        .json(.extract, [value.sqlExpression] + paths.map { $0.sqlExpression.asConstant })
    }

    /// The JSON with values inserted at paths that do not exist yet: `JSON_INSERT("info", '$.a', 1)`.
    ///
    /// ```swift
    /// // UPDATE "player" SET "info" = JSON_INSERT("info", ?, ?)
    /// try Player.updateAll(db) { $0.info.set(to: Database.jsonInsert($0.info, ["$.score": 0])) }
    /// ```
    ///
    /// ``SQLJSONExpressible`` values stay JSON values; other text becomes JSON strings. The assignments run in order;
    /// those of a dictionary are sorted by path.
    ///
    /// Source: <https://sqlite.org/json1.html#jins>
    public static func jsonInsert(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        .json(.insert, [value.sqlExpression] + elementsOfJSON(assignments))
    }

    /// The JSON with the values at existing paths replaced: `JSON_REPLACE("info", '$.a', 1)`.
    ///
    /// ```swift
    /// // UPDATE "player" SET "info" = JSON_REPLACE("info", ?, ?)
    /// try Player.updateAll(db) { $0.info.set(to: Database.jsonReplace($0.info, ["$.score": 0])) }
    /// ```
    ///
    /// ``SQLJSONExpressible`` values stay JSON values; other text becomes JSON strings. The assignments run in order;
    /// those of a dictionary are sorted by path.
    ///
    /// Source: <https://sqlite.org/json1.html#jins>
    public static func jsonReplace(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        .json(.replace, [value.sqlExpression] + elementsOfJSON(assignments))
    }

    /// The JSON with the values at paths replaced or inserted: `JSON_SET("info", '$.a', 1)`.
    ///
    /// ```swift
    /// // UPDATE "player" SET "info" = JSON_SET("info", ?, ?)
    /// try Player.updateAll(db) { $0.info.set(to: Database.jsonSet($0.info, ["$.score": 0])) }
    /// ```
    ///
    /// ``SQLJSONExpressible`` values stay JSON values; other text becomes JSON strings. The assignments run in order;
    /// those of a dictionary are sorted by path.
    ///
    /// Source: <https://sqlite.org/json1.html#jins>
    public static func jsonSet(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        .json(.set, [value.sqlExpression] + elementsOfJSON(assignments))
    }

    /// The JSON with an RFC 7396 merge patch applied: `JSON_PATCH("info", ?)`. A null in the patch removes a key.
    ///
    /// ```swift
    /// // UPDATE "player" SET "info" = JSON_PATCH("info", ?)
    /// try Player.updateAll(db) { $0.info.set(to: Database.jsonPatch($0.info, with: #"{"score": 0}"#)) }
    /// ```
    ///
    /// Source: <https://sqlite.org/json1.html#jpatch>
    public static func jsonPatch(_ value: some SQLExpressible, with patch: some SQLExpressible) -> SQLExpression {
        .json(.patch, [value.sqlExpression, patch.sqlExpression])
    }

    /// The JSON without the value at a path: `JSON_REMOVE("info", '$.score')`.
    ///
    /// ```swift
    /// // UPDATE "player" SET "info" = JSON_REMOVE("info", ?)
    /// try Player.updateAll(db) { $0.info.set(to: Database.jsonRemove($0.info, atPath: "$.score")) }
    /// ```
    ///
    /// Source: <https://sqlite.org/json1.html#jrm>
    public static func jsonRemove(_ value: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression {
        .json(.remove, [value.sqlExpression, path.sqlExpression])
    }

    /// The JSON without the values at several paths, removed in order.
    public static func jsonRemove<Path: SQLExpressible>(
        _ value: some SQLExpressible, atPaths paths: some Collection<Path>
    ) -> SQLExpression {
        .json(.remove, [value.sqlExpression] + paths.map { $0.sqlExpression })
    }

    /// The JSON without the values at paths of several types, removed in order.
    public static func jsonRemove(
        _ value: some SQLExpressible, atPaths paths: some Collection<any SQLExpressible>
    ) -> SQLExpression {
        .json(.remove, [value.sqlExpression] + paths.map { $0.sqlExpression })
    }
}

/// Keys and values as arguments. They are sorted, because a dictionary has no stable order: equal dictionaries have
/// equal SQL.
private func elementsOfJSON(
    _ elements: some Collection<(key: String, value: any SQLExpressible)>
) -> [SQLExpression] {
    let isUnordered = elements is [String: any SQLExpressible]
    let ordered = isUnordered ? elements.sorted(on: \.key) : Array(elements)
    return ordered.flatMap { [$0.key.sqlExpression, $0.value.asJSONElement] }
}
