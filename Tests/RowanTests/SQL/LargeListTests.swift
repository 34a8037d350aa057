import Rowan
import Testing

struct LargeListTests {
    private let schema = "CREATE TABLE t (a, n INTEGER)"

    @Test func aLongListIsOneArgument() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let request = Table("t").all().filter(Array(1...1000).contains(Column("n")))
            let (sql, arguments) = try statementText(db, request)
            #expect(sql == #"SELECT * FROM "t" WHERE "n" IN (SELECT +value FROM json_each(?))"#)
            #expect(arguments == ["[\((1...1000).map(String.init).joined(separator: ","))]"])
            let short = try statementText(db, Table("t").all().filter(Array(1...999).contains(Column("n"))))
            #expect(short.arguments.description.split(separator: ",").count == 999)
        }
    }

    @Test func findsTheSameValues() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let texts = ["", "a", "é", "🌳", "\"", "\\", "'", "a\u{1}\u{1F}\n\tb", "1", "[", "null"]
            let numbers: [Int64] = [.min, -1, 0, 1, .max]
            var values: [DatabaseValue] = texts.map { $0.databaseValue }
            values += numbers.map { $0.databaseValue }
            values += [(0.5).databaseValue, .null]
            for value in values { try db.execute(sql: "INSERT INTO t (a) VALUES (?)", arguments: [value]) }
            let padding = (0..<1000).map { "padding \($0)" }
            for text in texts {
                let found = try Table("t").all().filter((padding + [text]).contains(Column("a"))).fetchAll(db)
                #expect(found.map { $0["a"] as DatabaseValue } == [text.databaseValue])
            }
            for number in numbers {
                let candidates = Array(1000...2000) + [number]
                let found = try Table("t").all().filter(candidates.contains(Column("a"))).fetchAll(db)
                #expect(found.map { $0["a"] as DatabaseValue } == [number.databaseValue])
            }
        }
    }

    @Test func theAffinityOfTheColumnApplies() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            try db.execute(sql: "INSERT INTO t (n) VALUES (7)")
            let texts = (0..<2000).map(String.init)
            #expect(try Table("t").all().filter(texts.contains(Column("n"))).fetchCount(db) == 1)
        }
    }

    @Test func whatJSONDoesNotTellStaysAList() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let lists: [[any SQLExpressible]] = [
                Array(repeating: 1e300, count: 1000), Array(repeating: "a\0b", count: 1000),
                Array(repeating: Column("n"), count: 1000),
            ]
            for list in lists {
                let (sql, _) = try statementText(db, Table("t").all().filter(list.contains(Column("a"))))
                #expect(!sql.contains("json"))
            }
            try db.execute(sql: "INSERT INTO t (a) VALUES (?)", arguments: ["a\0b"])
            let found = try Table("t").all().filter(lists[1].contains(Column("a"))).fetchCount(db)
            #expect(found == 1)
        }
    }

    @Test func interpolatedListsToo() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            try db.execute(sql: "INSERT INTO t (n) VALUES (7)")
            let request: SQLRequest<Int> = "SELECT n FROM t WHERE n IN \(Array(0..<300_000))"
            #expect(try request.fetchAll(db) == [7])
        }
    }
}
