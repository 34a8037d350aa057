// Functions and operators on texts and groups, compared with Swift's own.

import Rowan
import Testing

struct TextFunctionTests {
    private struct Word: Codable, FetchableRecord, PersistableRecord {
        enum Columns {
            static let id = Column("id")
            static let text = Column("text")
            static let number = Column("number")
        }
        var id: Int
        var text: String?
        var number: Int?
    }

    private let texts = [
        "Arthur", "art", "50*", "50x", "a?c", "abc", "[x]", "x", "", "é*", "Éa", "%_", "\\", "a\0b", "ab", "]", "a[b",
        "👨‍👩‍👧a", "1\u{FE0F}\u{20E3} one", "*\u{FE0F}\u{20E3}", "[\u{301}x",
    ]

    private func withWords(_ body: (Database, _ log: () -> [String]) throws -> Void) throws {
        try withDatabase { db in
            try db.create(table: "word") { table in
                table.primaryKey("id", .integer)
                table.column("text", .text)
                table.column("number", .integer)
            }
            for (id, text) in texts.enumerated() { try Word(id: id, text: text, number: id % 3).insert(db) }
            try Word(id: 100, text: nil, number: nil).insert(db)
            var statements: [String] = []
            db.trace { statements.append($0.expandedDescription) }
            try body(db) {
                defer { statements = [] }
                return statements
            }
        }
    }

    /// All characters of a text are literal, even if they are special in patterns.
    @Test func partsAsInSwift() throws {
        try withWords { db, _ throws in
            // Swift compares characters, SQLite scalars, so the parts begin and end at character boundaries.
            for part in texts + ["A", "a", "*", "?", "[", "b]", "r"] {
                func expect(
                    _ request: QueryInterfaceRequest<Word>, _ condition: (String) -> Bool,
                    sourceLocation: SourceLocation = #_sourceLocation
                ) throws {
                    let found = try request.fetchAll(db).map(\.text)
                    #expect(
                        found == texts.filter(condition), "\(part.debugDescription)", sourceLocation: sourceLocation)
                }
                try expect(Word.filter { $0.text.contains(part) }) { part.isEmpty || $0.utf8.contains(part.utf8) }
                try expect(Word.filter { $0.text.hasPrefix(part) }) { $0.utf8.starts(with: part.utf8) }
                try expect(Word.filter { $0.text.hasSuffix(part) }) {
                    $0.utf8.reversed().starts(with: part.utf8.reversed())
                }
                let expression = part.sqlExpression
                try expect(Word.filter { $0.text.contains(expression) }) { part.isEmpty || $0.utf8.contains(part.utf8) }
                try expect(Word.filter { $0.text.hasPrefix(expression) }) { $0.utf8.starts(with: part.utf8) }
                try expect(Word.filter { $0.text.hasSuffix(expression) }) {
                    $0.utf8.reversed().starts(with: part.utf8.reversed())
                }
            }
        }
    }

    @Test func theSQLOfParts() throws {
        try withWords { db, log throws in
            _ = try Word.filter { $0.text.contains("5*[?") }.fetchCount(db)
            _ = try Word.filter { !$0.text.hasPrefix("a*[?") }.fetchCount(db)
            _ = try Word.filter { $0.text.hasPrefix($0.number) }.fetchCount(db)
            _ = try Word.filter { $0.text.hasSuffix($0.number) }.fetchCount(db)
            #expect(
                log() == [
                    #"SELECT COUNT(*) FROM "word" WHERE INSTR("text", '5*[?') > 0"#,
                    #"SELECT COUNT(*) FROM "word" WHERE NOT ("text" GLOB 'a[*][[][?]*')"#,
                    #"SELECT COUNT(*) FROM "word" WHERE INSTR("text", "number") = 1"#,
                    #"SELECT COUNT(*) FROM "word" WHERE (LENGTH(CAST('.' || "text" AS BLOB)) > "#
                        + #"LENGTH(CAST("number" AS BLOB))) AND (SUBSTR(CAST('.' || "text" AS BLOB), "#
                        + #"(LENGTH(CAST('.' || "text" AS BLOB)) - LENGTH(CAST("number" AS BLOB))) + 1) = "#
                        + #"CAST("number" AS BLOB))"#,
                ])
        }
    }

    /// For NULL, both a condition and its negation are unknown.
    @Test func null() throws {
        try withWords { db, _ throws in
            let count = texts.count
            for text in ["", "a", "abc"] {
                func sum(_ condition: SQLExpression) throws -> Int {
                    try Word.filter(condition).fetchCount(db) + Word.filter(!condition).fetchCount(db)
                }
                #expect(try sum(Column("text").contains(text)) == count)
                #expect(try sum(Column("text").hasPrefix(text)) == count)
                #expect(try sum(Column("text").hasSuffix(text)) == count)
                #expect(try sum(Column("text").hasPrefix(text.sqlExpression)) == count)
                #expect(try Word.filter(Column("text").contains(nil as String?)).fetchCount(db) == 0)
            }
        }
    }

    /// A prefix is searched as a range of an index.
    @Test func aPrefixUsesAnIndex() throws {
        try withDatabase { db in
            try db.execute(
                sql: "CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT, number INT); CREATE INDEX i ON word(text)")
            let plan = try Word.filter { $0.text.hasPrefix("ab") }.explain(db).description
            #expect(plan.contains("SEARCH word USING INDEX i (text>? AND text<?)"))
        }
    }

    @Test func functions() throws {
        try withWords { db, log throws in
            func value<T: DatabaseValueConvertible>(_ expression: SQLExpression, as: T.Type) throws -> T? {
                try Word.filter(key: 0).select(expression, as: T?.self).fetchOne(db) ?? nil
            }
            let text = Column("text")
            #expect(try value(substr(text, 1, 3), as: String.self) == "Art")
            #expect(try value(substr(text, -2), as: String.self) == "ur")
            #expect(try value(instr(text, "thu"), as: Int.self) == 3)
            #expect(try value(instr(text, "x"), as: Int.self) == 0)
            #expect(try value(round(Column("id") + 2.567), as: Double.self) == 3)
            #expect(try value(round(Column("id") + 2.567, digits: 1), as: Double.self) == 2.6)
            #expect(try value((Column("id") + 17) % 5, as: Int.self) == 2)
            #expect(try value(17 % (Column("id") + 4), as: Int.self) == 1)
            #expect(try value(Column("id") % 0, as: Int.self) == nil)
            #expect(try value(iif(Column("id") == 0, then: "zero", else: "other"), as: String.self) == "zero")
            #expect(try value(concat(text, "-", nil as Int?, 5), as: String.self) == "Arthur-5")
            #expect(try value(concat(nil as Int?), as: String.self) == "")
            #expect(try value(concat(5), as: DatabaseValue.self) == "5".databaseValue)
            #expect(log().first == #"SELECT SUBSTR("text", 1, 3) FROM "word" WHERE "id" = 0"#)
            if isSQLite(3_044_000) {
                #expect(try value(concat(text, nil as Int?, 5, separator: "/"), as: String.self) == "Arthur/5")
            } else {
                expectError(.SQLITE_ERROR, "no such function: CONCAT_WS") {
                    try value(concat(text, 5, separator: "/"), as: String.self)
                }
            }
        }
    }

    @Test func aggregatesWithFilters() throws {
        try withWords { db, log throws in
            let counts = try Row.fetchOne(
                db,
                Word.select {
                    [
                        count(.allColumns, filter: $0.number == 1), count($0.text, filter: $0.number == 1),
                        count(distinct: $0.number, filter: $0.id > 1 || $0.number == nil),
                    ]
                }.asRequest(of: Row.self))
            #expect(counts.map { Array($0.databaseValues) } == [7.databaseValue, 7.databaseValue, 3.databaseValue])
            #expect(
                log() == [
                    #"SELECT COUNT(*) FILTER (WHERE "number" = 1), COUNT("text") FILTER (WHERE "number" = 1), "#
                        + #"COUNT(DISTINCT "number") FILTER (WHERE ("id" > 1) OR ("number" IS NULL)) FROM "word""#
                ])
            let joined = Word.filter { $0.number == 0 && $0.id < 9 }.select(
                { stringAgg($0.text, "; ") }, as: String.self)
            #expect(try joined.fetchOne(db) == "Arthur; 50x; [x]")
        }
    }

    /// Functions that exist only in some builds of SQLite.
    @Test func functionsOfSomeBuilds() throws {
        try withWords { db, log throws in
            func expect(_ expression: SQLExpression, _ name: String, _ expected: Double, _ sql: String) throws {
                do {
                    #expect(try Word.select(expression, as: Double.self).fetchOne(db) == expected)
                    #expect(log() == [sql])
                } catch let error as DatabaseError {
                    #expect(error.message == "no such function: \(name)")
                    #expect(error.sql == sql.replacing("50.0", with: "?"))
                }
            }
            try expect(median(Column("number")), "MEDIAN", 1, #"SELECT MEDIAN("number") FROM "word""#)
            try expect(
                percentile(Column("number"), 50.0), "PERCENTILE", 1, #"SELECT PERCENTILE("number", 50.0) FROM "word""#)
        }
    }
}
