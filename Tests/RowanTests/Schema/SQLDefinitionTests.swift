// Definitions in the schemas of foreign files: SQLite ignores the text after their first statement.

import Foundation
import Testing

@testable import Rowan

struct SQLDefinitionTests {
    private func refusal(_ sql: String, _ type: String = "view", _ name: String = "v") -> DatabaseError? {
        do {
            _ = try SQLDefinition(sql, type: type, name: name)
            return nil
        } catch { return error as? DatabaseError }
    }

    @Test(arguments: [
        ("CREATE TABLE t(a)", "table", "t"),
        ("CREATE TABLE \"a \"\"b\"\"\"(a DEFAULT ';' CHECK (a <> '''; DROP'))", "table", "a \"b\""),
        ("CREATE TABLE [x;y](a)", "table", "x;y"),
        ("CREATE TABLE 'T'(`;` x'3B3B')", "table", "t"),
        ("create table if not exists t(a)", "table", "t"),
        ("CREATE VIRTUAL TABLE t USING fts5(a, tokenize=\"unicode61 tokenchars ';'\")", "table", "t"),
        ("CREATE VIRTUAL TABLE t USING m($a(;'), ?1, :b::c, @d, #e)", "table", "t"),
        ("CREATE UNIQUE INDEX i ON t(a) WHERE a > ';'", "index", "i"),
        ("CREATE INDEX i ON t(a) -- done; really", "index", "i"),
        ("CREATE INDEX i ON t(a) /* done; */;", "index", "i"),
        ("CREATE INDEX i ON t(a); ; -- done", "index", "i"),
        ("CREATE VIEW v(a) AS SELECT CASE WHEN 1 THEN 2 END /* ; */", "view", "v"),
        ("CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT CASE a WHEN 1 THEN 2 END; /*;*/ END", "trigger", "g"),
        ("CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; SELECT 'END'; --x\nend ; --", "trigger", "g"),
    ])
    func accepted(sql: String, type: String, name: String) throws {
        let definition = try SQLDefinition(sql, type: type, name: name)
        #expect(sql.hasPrefix(definition.sql.trimmingCharacters(in: .whitespaces)))
        // `isCompleteSQL` doesn't know Tcl variables.
        if !sql.contains("$a(") { #expect(definition.terminated.isCompleteSQL) }
        #expect(definition.temporary.hasPrefix("CREATE TEMPORARY "))
    }

    @Test(arguments: [
        ("CREATE VIEW v AS SELECT 1; DROP TABLE t", "is followed by other SQL"),
        ("CREATE VIEW v AS SELECT 1;\u{FEFF}DROP TABLE t", "is followed by other SQL"),
        ("CREATE VIEW v AS SELECT ''; DROP TABLE t; SELECT ''", "is followed by other SQL"),
        // The combining accent is not part of the quote.
        ("CREATE VIEW v AS SELECT '\u{301}'; DROP TABLE t; SELECT ''", "is followed by other SQL"),
        ("CREATE VIEW v AS SELECT \"\u{301}\"; DROP TABLE t; SELECT \"\"", "is followed by other SQL"),
        // Only a line feed ends a comment.
        ("CREATE VIEW v AS SELECT 1 --\r'\n; DROP TABLE t; SELECT '", "is followed by other SQL"),
        ("CREATE VIEW v AS SELECT [']; DROP TABLE t; SELECT [']", "is followed by other SQL"),
        ("CREATE VIEW v AS SELECT $a('); DROP TABLE t; SELECT '", "is followed by other SQL"),
        ("CREATE VIEW v AS SELECT 1 /*/ ' */; DROP TABLE t; SELECT '", "is followed by other SQL"),
        ("CREATE VIEW v AS SELECT '; DROP TABLE t", "has no end"),
        ("CREATE VIEW v AS SELECT 1\0; DROP TABLE t", "isn't a statement that creates this view"),
        ("CREATE TABLE v(a)", "isn't a statement that creates this view"),
        ("CREATE TEMP VIEW v AS SELECT 1", "isn't a statement that creates this view"),
        ("CREATE VIEW main.v AS SELECT 1", "isn't a statement that creates this view"),
        ("CREATE VIEW w AS SELECT 1", "isn't a statement that creates this view"),
        ("DROP TABLE t; CREATE VIEW v AS SELECT 1", "isn't a statement that creates this view"),
        ("CREATE", "isn't a statement that creates this view"),
        ("", "isn't a statement that creates this view"),
    ])
    func refusedViews(sql: String, reason: String) throws {
        let error = try #require(refusal(sql), "\(sql)")
        #expect(error.resultCode == .SQLITE_CORRUPT)
        #expect(
            error.message == "the definition of view v in the schema \(reason)"
                + (reason.hasSuffix("other SQL") ? ", which a crafted file can use to run statements" : "")
                + ": drop the view, and create it again")
    }

    @Test(arguments: [
        "CREATE TRIGGER v AFTER INSERT ON t BEGIN SELECT 1; END; DROP TABLE t",
        "CREATE TRIGGER v AFTER INSERT ON t BEGIN SELECT 1; END DROP TABLE t; END",
        "CREATE TRIGGER v AFTER INSERT ON t BEGIN SELECT 1; \u{FEFF}END; DROP TABLE t; END",
        "CREATE TRIGGER v AFTER INSERT ON t BEGIN SELECT 1; /**/ END; DROP TABLE t; END",
        "CREATE TRIGGER v AFTER INSERT ON t BEGIN SELECT 1;",
        "CREATE TRIGGER v AFTER INSERT ON t BEGIN SELECT 1; \"END\"",
    ])
    func refusedTriggers(sql: String) { #expect(refusal(sql, "trigger") != nil, "\(sql)") }

    /// Comments at the end of a definition don't hide the rest of a script.
    @Test(arguments: ["-- done", "/* open", "/* open *", "/* closed */", "/* closed */ -- done", "-- /* done", "/**"])
    func comments(_ comment: String) throws {
        let definition = try SQLDefinition("CREATE VIEW v AS SELECT 1 \(comment)", type: "view", name: "v")
        try DatabaseQueue().write { db throws in
            try db.execute(sql: "\(definition.terminated)\nCREATE VIEW last AS SELECT 2;")
            #expect(try db.views(in: "main").map(\.name) == ["v", "last"])
            // The definition that SQLite now stores can be written again.
            let stored = try #require(try db.schemaObjects(in: "main").first?.definition)
            #expect(stored.terminated == definition.terminated)
        }
    }

    /// SQLite determines where statements end.
    @Test(arguments: ["view", "trigger"]) func sameEndsAsSQLite(type: String) throws {
        let pieces = [
            "'", "''", "\"", "`", "[", "]", "/*", "*/", "--", "\n", "\r", ";", ";", "1", " ", ", ", "a", "AS b",
            "x'00'", "X'",
            "$a(", "?", ")", "(", "END", "SELECT 1", "\u{301}", "\u{FEFF}", "+", "CASE 1 WHEN 1 THEN 2 END", ":a",
            "1.5e3",
        ]
        let start =
            type == "view"
            ? "CREATE VIEW v AS SELECT 1 " : "CREATE TRIGGER v AFTER INSERT ON t BEGIN SELECT 1 "
        var generator = SeededGenerator(type == "view" ? 421 : 422)
        let seed = generator.seed
        var counts: [Bool: Int] = [:]
        try DatabaseQueue().write { db throws in
            try db.execute(sql: "CREATE TABLE t(a)")
            for _ in 0..<40_000 {
                let count = Int.random(in: 0...8, using: &generator)
                var sql = start + (0..<count).map { _ in pieces.randomElement(using: &generator)! }.joined()
                if type == "trigger", Bool.random(using: &generator) { sql += "; END" }
                let isAccepted = refusal(sql, type) == nil
                let isSingle: Bool
                do {
                    _ = try db.makeStatement(sql: sql)
                    isSingle = true
                } catch let error as DatabaseError where error.resultCode == .SQLITE_MISUSE {
                    isSingle = false
                } catch is DatabaseError {
                    // SQLite couldn't read a schema that contains it.
                    continue
                }
                #expect(isAccepted == isSingle, "ROWAN_SEED=\(seed): \(sql.debugDescription)")
                counts[isAccepted, default: 0] += 1
                guard isAccepted else { continue }
                let definition = try SQLDefinition(sql, type: type, name: "v")
                let script = try db.allStatements(sql: "\(definition.terminated)\nSELECT 'sentinel'")
                let first = try #require(try script.next(), "ROWAN_SEED=\(seed): \(sql.debugDescription)")
                #expect(!first.isReadonly)
                let second = try script.next()
                #expect(second?.sql == "SELECT 'sentinel'", "ROWAN_SEED=\(seed): \(sql.debugDescription)")
            }
        }
        #expect(counts[true, default: 0] > 100)
        #expect(counts[false, default: 0] > 10)
    }
}
