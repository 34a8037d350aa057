// Names of collations are quoted wherever they are written: they may contain any character, and may come from a user.

import Foundation
import Rowan
import Testing

private let frenchName = Database.CollationName(rawValue: "fr-FR")
private let hostileName = Database.CollationName(rawValue: #"NOCASE"; DROP TABLE "player"; --"#)

@Suite struct CollationNameTests {
    private func run(_ body: (Database) throws -> Void) throws {
        try inLoggedDatabase("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)") { db, _ throws in
            for name in ["fr-FR", "group", hostileName.rawValue] {
                db.add(collation: DatabaseCollation(name) { $0.caseInsensitiveCompare($1) })
            }
            try db.execute(sql: "INSERT INTO player VALUES (1, 'b'), (2, 'A'), (3, 'a')")
            try body(db)
        }
    }

    @Test(arguments: ["fr-FR", "group", #"NOCASE"; DROP TABLE "player"; --"#])
    func aTableWithACollation(name: String) throws {
        try run { db throws in
            try db.create(table: "city") { $0.column("name", .text).collate(Database.CollationName(rawValue: name)) }
            try db.create(table: "town") {
                $0.column("name", .text).collate(DatabaseCollation(name) { $0.compare($1) })
            }
            try db.alter(table: "player") {
                $0.add(column: "city", .text).collate(Database.CollationName(rawValue: name))
            }
            let sql = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = 'city'")
            #expect(sql == #"CREATE TABLE "city" ("name" TEXT COLLATE \#(name.quotedDatabaseIdentifier))"#)
            #expect(try db.tableExists("player"))
            try db.create(index: "byCity", on: "player", expressions: [Column("city").collating(.init(rawValue: name))])
            try db.execute(sql: "INSERT INTO city VALUES ('x'), ('X')")
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(DISTINCT name) FROM city") == 1)
        }
    }

    @Test(arguments: ["fr-FR", "group", #"NOCASE"; DROP TABLE "player"; --"#])
    func anOrderAndALiteralWithACollation(name: String) throws {
        try run { db throws in
            let collation = Database.CollationName(rawValue: name)
            let byName = Table("player").order(Column("name").collating(collation), Column("id"))
            #expect(try statementText(db, byName).sql.contains("COLLATE \(name.quotedDatabaseIdentifier), "))
            #expect(try byName.select(Column("id"), as: Int.self).fetchAll(db) == [2, 3, 1])
            let literal: SQLRequest<Int> = "SELECT id FROM player ORDER BY name COLLATE \(collation), id"
            #expect(try literal.fetchAll(db) == [2, 3, 1])
            let object = DatabaseCollation(name) { $0.compare($1) }
            let other: SQLRequest<Int> = "SELECT id FROM player ORDER BY name COLLATE \(object), id"
            #expect(try other.fetchAll(db) == [2, 3, 1])
            #expect(try db.tableExists("player"))
        }
    }

    @Test func theCollationsOfSQLiteAreWrittenAsTheyAre() throws {
        try run { db throws in
            try db.create(table: "city") { $0.column("name", .text).collate(.nocase) }
            let sql = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = 'city'")
            #expect(sql == #"CREATE TABLE "city" ("name" TEXT COLLATE NOCASE)"#)
            #expect(expressionText(Column("a").collating(.binary)).sql == #""a" COLLATE BINARY"#)
            #expect(expressionText(Column("a").collating(.init(rawValue: "rtrim"))).sql == #""a" COLLATE rtrim"#)
        }
    }

    @Test func aCollationWithoutIndexIsReindexed() throws {
        try run { db throws in
            try db.reindex(collation: .localizedCompare)
            try db.reindex(collation: DatabaseCollation.unicodeCompare)
            try db.reindex(collation: frenchName)
            try db.reindex(collation: .nocase)
            expectError(.SQLITE_ERROR, "no such collation sequence: missing") {
                try db.reindex(collation: Database.CollationName(rawValue: "missing"))
            }
        }
    }
}
