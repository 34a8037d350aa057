// JSON values: reading them, and the results of functions that return JSON.

import Foundation
import Rowan
import Testing

private let info = JSONColumn("info")
private let text = Column("text")

private let schema = #"""
    CREATE TABLE t (id INTEGER PRIMARY KEY, info, text);
    INSERT INTO t VALUES (1, '{"name":"Arthur", "score":12, "tags":["a", "b"], "none":null, "it''s":{"a b":true}}', '[1]');
    """#

/// Expects the SQL of an expression, its arguments, and its value in the table's row.
private func check(
    _ expression: SQLExpression, _ sql: String, _ arguments: StatementArguments = [],
    gives value: (any DatabaseValueConvertible)?, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let written = expressionText(expression)
    #expect(written.sql == sql, sourceLocation: sourceLocation)
    #expect(written.arguments == arguments, sourceLocation: sourceLocation)
    let result = try inLoggedDatabase(schema) { db, _ throws in
        try Table("t").all().select(expression, as: DatabaseValue.self).fetchOne(db)
    }
    #expect(result == value?.databaseValue ?? .null, sourceLocation: sourceLocation)
}

struct JSONTests {
    private enum CodingKeys: String, CodingKey { case info }

    @Test func values() throws {
        try check(info["name"], #""info" ->> 'name'"#, gives: "Arthur")
        try check(info["score"], #""info" ->> 'score'"#, gives: 12)
        try check(info["tags"], #""info" ->> 'tags'"#, gives: #"["a","b"]"#)
        try check(info["$.tags[1]"], #""info" ->> '$.tags[1]'"#, gives: "b")
        try check(info["none"], #""info" ->> 'none'"#, gives: nil)
        try check(info["missing"], #""info" ->> 'missing'"#, gives: nil)
        try check(text.asJSON[0], #""text" ->> 0"#, gives: 1)
        try check(info["tags"].asJSON[0], #"("info" ->> 'tags') ->> 0"#, gives: "a")
        try check(JSONColumn(CodingKeys.info)["score"] + 1, #"("info" ->> 'score') + ?"#, [1], gives: 13)
    }

    /// A string is a key, unless it is a path.
    @Test func keys() throws {
        try check(info["2024-01-31"], #""info" ->> '$."2024-01-31"'"#, gives: nil)
        try check(info["7"], #""info" ->> '$."7"'"#, gives: nil)
        try check(info["a.b"], #""info" ->> '$."a.b"'"#, gives: nil)
        try check(info[""], #""info" ->> '$.""'"#, gives: nil)
        try check(info["$x"], #""info" ->> '$."$x"'"#, gives: nil)
        try check(info["it's"].asJSON["a b"], #"("info" ->> 'it''s') ->> 'a b'"#, gives: 1)
        try check(info.jsonRepresentation(atPath: "a[0]"), #""info" -> '$."a[0]"'"#, gives: nil)
        let keys = [
            "2024-01-31", "7", "-1", "007", "a.b", "user@example.com", "", " ", "a b", "a[0]", "[0]", "]", "$x", "$$",
            "a\"b",
            "\"", "\"a\"", "a\\b", "\\", "\\\"", "a\"].c", "é", "日本", "a\nb", "\t", "#", "it's", "a'b", "value", "key",
            "?",
            "a/b", "null", "true", "1e3", "_", "\u{7F}",
        ]
        let object = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1, $0) })
        let nested = object.mapValues { ["n": $0] }
        // The encoder escapes slashes.
        let encoder = JSONEncoder()
        try inLoggedDatabase("CREATE TABLE t (value, key)") { db, _ throws in
            try db.execute(
                literal: """
                    INSERT INTO t VALUES (\(String(decoding: encoder.encode(object), as: UTF8.self)),
                        \(String(decoding: encoder.encode(nested), as: UTF8.self)))
                    """)
            for (number, key) in keys.enumerated() {
                let comment = Comment(rawValue: key.debugDescription)
                let value = JSONColumn("value")
                let other = JSONColumn("key")
                let table = Table("t").all()
                #expect(try table.select(value[key], as: Int.self).fetchOne(db) == number, comment)
                #expect(try table.filter(value[key] == number).fetchCount(db) == 1, comment)
                #expect(try table.select(other[key].asJSON["n"], as: Int.self).fetchOne(db) == number, comment)
                let json = try table.select(value.jsonRepresentation(atPath: key), as: String.self).fetchOne(db)
                #expect(json == "\(number)", comment)
                let part = try table.select(other.jsonRepresentation(atPath: key), as: String.self).fetchOne(db)
                #expect(part == #"{"n":\#(number)}"#, comment)
                #expect(try table.select(value[key + "x"], as: Int?.self).fetchOne(db) == .some(nil), comment)
            }
            // JSON values of all types, under a key that can't be written in a path of SQLite 3.40.
            try db.execute(
                sql: #"UPDATE t SET value = '{"a\"":true,"b\"":null,"c\"":"x","d\"":[1],"e\"":1.5}'"#)
            let value = JSONColumn("value")
            let names = ["a\"", "b\"", "c\"", "d\"", "e\"", "f\""]
            let values = try Row.fetchOne(db, Table("t").select(names.map { value[$0] }))
            #expect(
                values.map { Array($0.databaseValues) } == [
                    1.databaseValue, .null, "x".databaseValue, "[1]".databaseValue, 1.5.databaseValue, .null,
                ])
            let texts = try Row.fetchOne(db, Table("t").select(names.map { value.jsonRepresentation(atPath: $0) }))
            #expect(
                texts.map { Array($0.databaseValues) }
                    == ["true", "null", "\"x\"", "[1]", "1.5"].map(\.databaseValue) + [.null])
        }
    }

    @Test func representations() throws {
        try check(info.jsonRepresentation(atPath: "name"), #""info" -> 'name'"#, gives: #""Arthur""#)
        try check(info.jsonRepresentation(atPath: "none"), #""info" -> 'none'"#, gives: "null")
        try check(info.jsonRepresentation(atPath: "missing"), #""info" -> 'missing'"#, gives: nil)
        try check(
            info.jsonRepresentation(atPath: "tags").asJSON[1], #"("info" -> 'tags') ->> 1"#, gives: "b")
    }

    @Test func extraction() throws {
        try check(info.jsonExtract(atPath: "$.name"), #"JSON_EXTRACT("info", '$.name')"#, gives: "Arthur")
        try check(
            info.jsonExtract(atPaths: ["$.name", "$.score"]), #"JSON_EXTRACT("info", '$.name', '$.score')"#,
            gives: #"["Arthur",12]"#)
        try check(
            info.jsonExtract(atPaths: ["$.name", Column("id").sqlExpression] as [any SQLExpressible]),
            #"JSON_EXTRACT("info", '$.name', "id")"#, failsWith: pathError("1"))
        try check(
            Database.jsonExtract(text, atPath: "$[0]"), #"JSON_EXTRACT("text", '$[0]')"#, gives: 1)
        try check(
            Database.jsonExtract(info, atPaths: ["$.score"]), #"JSON_EXTRACT("info", '$.score')"#, gives: 12)
    }

    /// SQLite's error for an invalid path.
    private func pathError(_ path: String) -> String {
        isSQLite(3_045_000) ? "bad JSON path: '\(path)'" : "JSON path error near '\(path)'"
    }

    @Test func hostilePaths() throws {
        try check(info["it's"].asJSON["a b"], #"("info" ->> 'it''s') ->> 'a b'"#, gives: 1)
        try check(info[#"'); DROP TABLE t; --"#], #""info" ->> '''); DROP TABLE t; --'"#, gives: nil)
        try check(
            info["👨‍👩‍👧"],
            #"(SELECT value FROM (SELECT "info" AS "rowan json"), json_each("rowan json") WHERE key = ? LIMIT 1)"#,
            ["👨‍👩‍👧"], gives: nil)
        // SQL text ends at a NUL character, so such a key is an argument.
        try check(
            info["a\0b"],
            #"(SELECT value FROM (SELECT "info" AS "rowan json"), json_each("rowan json") WHERE key = ? LIMIT 1)"#,
            ["a\0b"], gives: nil)
        try check(info["$.a\0b"], #""info" ->> ?"#, ["$.a\0b"], gives: nil)
        // Newer versions of SQLite add a hint about double quotes.
        let hint = isSQLite(3_047_000) ? " - should this be a string literal in single-quotes?" : ""
        try check(
            JSONColumn(#"a "b""#)["c"], #""a ""b""" ->> 'c'"#,
            failsWith: hint.isEmpty ? #"no such column: a "b""# : #"no such column: "a "b"""# + hint)
        try check(info[text], #""info" ->> "text""#, gives: nil)
    }

    @Test func errors() throws {
        try check(
            text.asJSON.jsonExtract(atPath: "x"), #"JSON_EXTRACT("text", 'x')"#, failsWith: pathError("x"))
        try check(info["name"].asJSON["x"], #"("info" ->> 'name') ->> 'x'"#, failsWith: "malformed JSON")
    }

    @Test func indexServesQueriesWithTheSamePath() throws {
        try inLoggedDatabase { db, log throws in
            try db.create(table: "player") { t in
                t.primaryKey("id", .integer)
                t.column("address", .jsonText).notNull()
            }
            _ = log.take()
            try db.create(
                index: "player_on_country", on: "player", expressions: [JSONColumn("address")["country"]])
            #expect(
                log.take() == [#"CREATE INDEX "player_on_country" ON "player"("address" ->> 'country')"#])
            try db.execute(sql: #"INSERT INTO player VALUES (1, '{"country":"DE"}'), (2, '{"country":"FR"}')"#)
            let request = Table("player").all().filter(JSONColumn("address")["country"] == "DE")
            #expect(try request.fetchAll(db).map { $0["id"] as Int } == [1])
            let (sql, arguments) = try statementText(db, request)
            #expect(sql == #"SELECT * FROM "player" WHERE ("address" ->> 'country') = ?"#)
            let plan = try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: arguments)
            #expect((plan.first?["detail"] as String?)?.contains("player_on_country") == true)
        }
    }

    @Test func elementsThatAreJSONStayJSON() throws {
        let json = try #require(
            try inLoggedDatabase(schema) { db, _ throws in
                try String.fetchOne(db, sql: "SELECT json(info) FROM t")
            })
        // A text is a JSON string, unless it is marked as JSON.
        try check(Database.jsonArray([text]), #"JSON_ARRAY("text")"#, gives: #"["[1]"]"#)
        try check(Database.jsonArray([text.asJSON]), #"JSON_ARRAY(JSON("text"))"#, gives: "[[1]]")
        try check(Database.jsonArray([info]), #"JSON_ARRAY(JSON("info"))"#, gives: "[\(json)]")
        try check(
            Database.jsonArray([AnySQLJSONExpressible(info), text.asJSON]), #"JSON_ARRAY(JSON("info"), JSON("text"))"#,
            gives: "[\(json),[1]]")
        // SQLite knows the types that its own functions return.
        try check(
            Database.jsonArray([Database.jsonArray([1, 2]).asJSON]), "JSON_ARRAY(JSON_ARRAY(?, ?))", [1, 2],
            gives: "[[1,2]]")
        try check(Database.jsonArray([Database.json(text)]), #"JSON_ARRAY(JSON("text"))"#, gives: "[[1]]")
        try check(
            Database.jsonArray([info.jsonRepresentation(atPath: "tags").asJSON]), #"JSON_ARRAY("info" -> 'tags')"#,
            gives: #"[["a","b"]]"#)
        // The `->>` operator returns a text.
        try check(
            Database.jsonArray([info["tags"]]), #"JSON_ARRAY("info" ->> 'tags')"#, gives: #"["[\"a\",\"b\"]"]"#)
        try check(
            Database.jsonArray([info["tags"].asJSON]), #"JSON_ARRAY(JSON("info" ->> 'tags'))"#,
            gives: #"[["a","b"]]"#)
    }

    @Test func subqueriesAreJSONIfOneSaysSo() throws {
        let subquery = SQL("(SELECT '[1]')")
        try check(Database.jsonArray([subquery]), "JSON_ARRAY((SELECT '[1]'))", gives: #"["[1]"]"#)
        try check(Database.jsonArray([subquery.asJSON]), "JSON_ARRAY(JSON((SELECT '[1]')))", gives: "[[1]]")
    }
}

private func check(
    _ expression: SQLExpression, _ sql: String, failsWith message: String,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(expressionText(expression).sql == sql, sourceLocation: sourceLocation)
    try inLoggedDatabase(schema) { db, _ throws in
        _ = expectError(.SQLITE_ERROR, message, sourceLocation: sourceLocation) {
            try Table("t").all().select(expression, as: DatabaseValue.self).fetchOne(db)
        }
    }
}
