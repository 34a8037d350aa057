// The JSON functions: their SQL, their results, and their errors on a SQLite that lacks them.

import Foundation
import Rowan
import Testing

private func check(
    _ expression: SQLExpression, _ sql: String, _ arguments: StatementArguments = [],
    gives value: (any DatabaseValueConvertible)?, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let text = expressionText(expression)
    #expect(text.sql == sql, sourceLocation: sourceLocation)
    #expect(text.arguments == arguments, sourceLocation: sourceLocation)
    #expect(try evaluated(expression) == value?.databaseValue ?? .null, sourceLocation: sourceLocation)
}

/// Values whose order is visible in the SQL.
private typealias Pairs = KeyValuePairs<String, any SQLExpressible>

struct JSONFunctionTests {
    @Test func reading() throws {
        try check(Database.json(" [ 1 ] "), "JSON(?)", [" [ 1 ] "], gives: "[1]")
        try check(Database.jsonArrayLength("[1,2]"), "JSON_ARRAY_LENGTH(?)", ["[1,2]"], gives: 2)
        try check(Database.jsonArrayLength("{}"), "JSON_ARRAY_LENGTH(?)", ["{}"], gives: 0)
        try check(
            Database.jsonArrayLength(#"{"a":[1]}"#, atPath: "$.a"), "JSON_ARRAY_LENGTH(?, '$.a')", [#"{"a":[1]}"#],
            gives: 1)
        try check(Database.jsonType("[]"), "JSON_TYPE(?)", ["[]"], gives: "array")
        try check(Database.jsonType("[1.5]", atPath: "$[0]"), "JSON_TYPE(?, '$[0]')", ["[1.5]"], gives: "real")
        try check(Database.jsonType("[]", atPath: "$[0]"), "JSON_TYPE(?, '$[0]')", ["[]"], gives: nil)
        try check(Database.jsonIsValid("[1"), "JSON_VALID(?)", ["[1"], gives: false)
        try check(Database.jsonIsValid("[1]"), "JSON_VALID(?)", ["[1]"], gives: true)
        expectError(.SQLITE_ERROR, "malformed JSON") { try evaluated(Database.json("[1")) }
    }

    @Test func quoting() throws {
        try check(Database.jsonQuote(#"a "b""#), "JSON_QUOTE(?)", [#"a "b""#], gives: #""a \"b\"""#)
        try check(Database.jsonQuote(1.5), "JSON_QUOTE(?)", [1.5], gives: "1.5")
        try check(Database.jsonQuote(SQL("'[1]'")), "JSON_QUOTE('[1]')", gives: #""[1]""#)
        try check(Database.jsonQuote(SQL("'[1]'").asJSON), "JSON_QUOTE(JSON('[1]'))", gives: "[1]")
    }

    @Test func making() throws {
        try check(Database.jsonArray([] as [Int]), "JSON_ARRAY()", gives: "[]")
        try check(Database.jsonArray([1, 2]), "JSON_ARRAY(?, ?)", [1, 2], gives: "[1,2]")
        try check(
            Database.jsonArray(["é", 1.5, DatabaseValue.null] as [any SQLExpressible]), "JSON_ARRAY(?, ?, NULL)",
            ["é", 1.5], gives: #"["é",1.5,null]"#)
        try check(Database.jsonObject(Pairs()), "JSON_OBJECT()", gives: "{}")
        try check(
            Database.jsonObject(["b": 1, "a": SQL("'[2]'").asJSON] as Pairs), "JSON_OBJECT(?, ?, ?, JSON('[2]'))",
            ["b", 1, "a"], gives: #"{"b":1,"a":[2]}"#)
        // A dictionary always gives the same SQL.
        try check(
            Database.jsonObject(["c": 3, "a": 1, "b": 2]), "JSON_OBJECT(?, ?, ?, ?, ?, ?)", ["a", 1, "b", 2, "c", 3],
            gives: #"{"a":1,"b":2,"c":3}"#)
        let array: [(key: String, value: any SQLExpressible)] = [(key: "z", value: 1), (key: "it's", value: "x")]
        try check(
            Database.jsonObject(array), "JSON_OBJECT(?, ?, ?, ?)", ["z", 1, "it's", "x"],
            gives: #"{"z":1,"it's":"x"}"#)
        // A blob that isn't JSON in binary form, which SQLite 3.45 accepts.
        expectError(.SQLITE_ERROR, "JSON cannot hold BLOB values") {
            try evaluated(Database.jsonArray([Data([0xFF])]))
        }
    }

    @Test func changing() throws {
        let json = #"{"a":1}"#
        let changes: Pairs = ["$.a": 2, "$.b": SQL("'[3]'").asJSON]
        let arguments: StatementArguments = [json, "$.a", 2, "$.b"]
        try check(
            Database.jsonInsert(json, changes), "JSON_INSERT(?, ?, ?, ?, JSON('[3]'))", arguments,
            gives: #"{"a":1,"b":[3]}"#)
        try check(
            Database.jsonReplace(json, changes), "JSON_REPLACE(?, ?, ?, ?, JSON('[3]'))", arguments,
            gives: #"{"a":2}"#)
        try check(
            Database.jsonSet(json, changes), "JSON_SET(?, ?, ?, ?, JSON('[3]'))", arguments,
            gives: #"{"a":2,"b":[3]}"#)
        try check(
            Database.jsonSet(json, ["$.z": "[1]", "$.b": 1]), "JSON_SET(?, ?, ?, ?, ?)",
            [json, "$.b", 1, "$.z", "[1]"],
            gives: #"{"a":1,"b":1,"z":"[1]"}"#)
        try check(
            Database.jsonPatch(json, with: #"{"a":null,"b":2}"#), "JSON_PATCH(?, ?)", [json, #"{"a":null,"b":2}"#],
            gives: #"{"b":2}"#)
        try check(Database.jsonRemove(json, atPath: "$.a"), "JSON_REMOVE(?, ?)", [json, "$.a"], gives: "{}")
        try check(
            Database.jsonRemove("[1,2,3]", atPaths: ["$[0]", "$[0]"]), "JSON_REMOVE(?, ?, ?)",
            ["[1,2,3]", "$[0]", "$[0]"], gives: "[3]")
        let paths: [any SQLExpressible] = ["$[0]", SQL("'$[0]'")]
        try check(
            Database.jsonRemove("[1,2,3]", atPaths: paths), "JSON_REMOVE(?, ?, '$[0]')", ["[1,2,3]", "$[0]"],
            gives: "[3]")
    }

    @Test func groups() throws {
        let schema = #"CREATE TABLE t (k, v, j); INSERT INTO t VALUES ('a', 1, '[1]'), ('b', 2, '[2]')"#
        let (k, v, j) = (Column("k"), Column("v"), JSONColumn("j"))
        func check(
            _ expression: SQLExpression, _ sql: String, _ arguments: StatementArguments = [], gives value: String,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            try inLoggedDatabase(schema) { db, _ throws in
                let text = expressionText(expression)
                #expect(text.sql == sql, sourceLocation: sourceLocation)
                #expect(text.arguments == arguments, sourceLocation: sourceLocation)
                let result = try Table("t").all().select(expression, as: String.self).fetchOne(db)
                #expect(result == value, sourceLocation: sourceLocation)
            }
        }
        try check(Database.jsonGroupArray(v), #"JSON_GROUP_ARRAY("v")"#, gives: "[1,2]")
        try check(Database.jsonGroupArray(j), #"JSON_GROUP_ARRAY(JSON("j"))"#, gives: "[[1],[2]]")
        try check(
            Database.jsonGroupArray(v, filter: v > 1), #"JSON_GROUP_ARRAY("v") FILTER (WHERE "v" > ?)"#, [1],
            gives: "[2]")
        try check(
            Database.jsonGroupObject(key: k, value: v), #"JSON_GROUP_OBJECT("k", "v")"#, gives: #"{"a":1,"b":2}"#)
        try check(
            Database.jsonGroupObject(key: k, value: j, filter: k == "b"),
            #"JSON_GROUP_OBJECT("k", JSON("j")) FILTER (WHERE "k" = ?)"#, ["b"], gives: #"{"b":[2]}"#)
    }

    @Test func assignments() throws {
        try inLoggedDatabase(#"CREATE TABLE t (j); INSERT INTO t VALUES ('{"a":1}')"#) { db, log throws in
            let j = JSONColumn("j")
            try Table("t").all().updateAll(db, [j.set(to: Database.jsonSet(j, ["$.b": 2]))])
            #expect(log.take() == [#"UPDATE "t" SET "j" = JSON_SET("j", ?, ?)"#])
            #expect(try String.fetchOne(db, sql: "SELECT j FROM t") == #"{"a":1,"b":2}"#)
        }
    }
}

struct JSONVersionTests {
    /// Expects the value of an expression, or SQLite's error if it lacks the function.
    private func check(
        _ expression: SQLExpression, _ sql: String, gives value: String, since function: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(expressionText(expression).sql == sql, sourceLocation: sourceLocation)
        let isKnown = try inLoggedDatabase { db, _ in try db.hasFunction(function) }
        if isKnown {
            let text = Database.json(expression).asJSON.sqlExpression
            #expect(try evaluated(text) == value.databaseValue, sourceLocation: sourceLocation)
        } else {
            expectError(.SQLITE_ERROR, "no such function: \(function)", sourceLocation: sourceLocation) {
                try evaluated(expression)
            }
        }
    }

    @Test func binary() throws {
        let pairs: Pairs = ["$.b": 2]
        let json = #"{"a":1}"#
        try check(Database.json(json).asJSONB, "JSONB(?)", gives: json, since: "JSONB")
        try check(
            Database.jsonArray([1, 2]).asJSONB, "JSONB_ARRAY(?, ?)", gives: "[1,2]", since: "JSONB_ARRAY")
        try check(
            Database.jsonArray([1, SQL("'[2]'").asJSON]).asJSONB, "JSONB_ARRAY(?, JSON('[2]'))",
            gives: "[1,[2]]", since: "JSONB_ARRAY")
        try check(
            Database.jsonObject(["a": 1] as Pairs).asJSONB, "JSONB_OBJECT(?, ?)", gives: json,
            since: "JSONB_OBJECT")
        try check(
            Database.jsonExtract(json, atPath: "$").asJSONB, "JSONB_EXTRACT(?, '$')", gives: json,
            since: "JSONB_EXTRACT")
        try check(
            Database.jsonExtract(json, atPaths: ["$.a", "$.a"]).asJSONB, "JSONB_EXTRACT(?, '$.a', '$.a')",
            gives: "[1,1]", since: "JSONB_EXTRACT")
        try check(
            Database.jsonInsert(json, pairs).asJSONB, "JSONB_INSERT(?, ?, ?)", gives: #"{"a":1,"b":2}"#,
            since: "JSONB_INSERT")
        try check(
            Database.jsonReplace(json, pairs).asJSONB, "JSONB_REPLACE(?, ?, ?)", gives: json,
            since: "JSONB_REPLACE")
        try check(
            Database.jsonSet(json, pairs).asJSONB, "JSONB_SET(?, ?, ?)", gives: #"{"a":1,"b":2}"#,
            since: "JSONB_SET")
        try check(
            Database.jsonPatch(json, with: #"{"b":2}"#).asJSONB, "JSONB_PATCH(?, ?)",
            gives: #"{"a":1,"b":2}"#, since: "JSONB_PATCH")
        try check(
            Database.jsonRemove(json, atPath: "$.a").asJSONB, "JSONB_REMOVE(?, ?)", gives: "{}",
            since: "JSONB_REMOVE")
        try check(
            Database.jsonRemove("[1,2]", atPaths: ["$[0]", "$[0]"]).asJSONB, "JSONB_REMOVE(?, ?, ?)",
            gives: "[]", since: "JSONB_REMOVE")
        try check(
            Database.jsonGroupArray(1).asJSONB, "JSONB_GROUP_ARRAY(?)", gives: "[1]",
            since: "JSONB_GROUP_ARRAY")
        try check(
            Database.jsonGroupObject(key: "a", value: 1).asJSONB, "JSONB_GROUP_OBJECT(?, ?)", gives: json,
            since: "JSONB_GROUP_OBJECT")
    }

    @Test func binaryOfOtherValues() throws {
        let window = Window(orderBy: [Column("a")])
        for (expression, sql) in [
            (Column("info").asJSONB, #"JSONB("info")"#),
            (Database.jsonArray([1]).asJSONB.asJSONB, "JSONB(JSONB_ARRAY(?))"),
            (Database.jsonArrayLength("[]").asJSONB, "JSONB(JSON_ARRAY_LENGTH(?))"),
            (Database.jsonQuote("a").asJSONB, "JSONB(JSON_QUOTE(?))"),
            (Database.jsonGroupArray(1).over(window).asJSONB, #"JSONB_GROUP_ARRAY(?) OVER (ORDER BY "a")"#),
            (
                Database.jsonGroupArray(1, filter: Column("a") == 1).asJSONB,
                #"JSONB_GROUP_ARRAY(?) FILTER (WHERE "a" = ?)"#
            ),
            (Database.jsonArray([Database.jsonArray([1]).asJSONB.asJSON]), "JSON_ARRAY(JSONB_ARRAY(?))"),
        ] as [(SQLExpression, String)] {
            #expect(expressionText(expression).sql == sql)
        }
    }

    @Test func newFunctions() throws {
        try check(
            Database.jsonErrorPosition("[1"), "JSON_ERROR_POSITION(?)", gives: "3", since: "JSON_ERROR_POSITION")
        try check(Database.jsonPretty("[]"), "JSON_PRETTY(?)", gives: "[]", since: "JSON_PRETTY")
        try check(Database.jsonPretty("[]", indent: "\t"), "JSON_PRETTY(?, ?)", gives: "[]", since: "JSON_PRETTY")
    }

    @Test func knownFunctions() throws {
        try inLoggedDatabase { db, _ throws in
            #expect(try db.hasFunction("json"))
            #expect(try db.hasFunction("JSON_type", argumentCount: 2))
            #expect(try db.hasFunction("json_array", argumentCount: 17))
            #expect(try !db.hasFunction("json_quote", argumentCount: 2))
            #expect(try !db.hasFunction("no such function'; --"))
            #expect(try db.jsonFunctionNames.contains("json_group_object"))
            let names = try db.jsonFunctionNames
            #expect(names == names.sorted())
            #expect(try !db.hasFunction("mine"))
            db.add(function: DatabaseFunction("mine", argumentCount: 1) { $0[0] })
            #expect(try db.hasFunction("mine", argumentCount: 1))
            #expect(try !db.hasFunction("mine", argumentCount: 2))
        }
    }
}
