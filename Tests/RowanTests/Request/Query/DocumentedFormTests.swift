// Forms of the documented API in addition to those in its examples.

import Foundation
import Rowan
import Testing

private struct Player: Codable, Identifiable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String?
    var score: Int

    enum Columns: String, ColumnExpression { case id, name, score }
}

private struct Keyed: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "player"
    var id: Int64
    var name: String?

    enum CodingKeys: String, CodingKey, ColumnExpression {
        case id
        case name = "name"
    }
    typealias Columns = CodingKeys
}

private struct Computed: Decodable, FetchableRecord, TableRecord, Identifiable {
    static let databaseTableName = "player"
    static var databaseSelection: [any SQLSelectable] {
        [Column("id"), (Column("score") + 1).forKey("next")]
    }
    var id: Int64
    var next: Int
}

struct DocumentedFormTests {
    private let schema = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
        INSERT INTO player VALUES (1, 'Arthur', 10), (2, 'Barbara', 20), (3, NULL, 30);
        """

    private func run(_ body: (Database, SQLLog) throws -> Void) throws { try inLoggedDatabase(schema, body) }

    @Test func columnsOfEnumerations() throws {
        try run { db, _ throws in
            #expect(try Player.filter(Player.Columns.score > 10).order(Player.Columns.name.desc).fetchCount(db) == 2)
            #expect(try Player.filter { _ in Player.Columns.name == nil }.fetchAll(db).map(\.id) == [3])
            #expect(try Keyed.filter(Keyed.CodingKeys.name == "Arthur").fetchAll(db).map(\.id) == [1])
            #expect(try Row.fetchOne(db, Player.all())?[Player.Columns.score] as Int? == 10)
        }
    }

    @Test func aLiteralBesideSQLIsAValue() throws {
        let name = SQL("LOWER(name)")
        try run { db, _ throws in
            let text = try statementText(db, Player.filter(name == "arthur"))
            #expect(text.sql == #"SELECT * FROM "player" WHERE (LOWER(name)) = ?"#)
            #expect(text.arguments == ["arthur"])
            #expect(try Player.filter("arthur" == name).fetchCount(db) == 1)
            #expect(try Player.filter(name != "arthur").fetchCount(db) == 1)
            #expect(try Player.filter("arthur" != name).fetchCount(db) == 1)
            #expect(try Player.filter(name == SQL("'barbara'")).fetchAll(db).map(\.id) == [2])
        }
    }

    @Test func databaseValuesAreExpressions() throws {
        try run { db, _ throws in
            #expect(try Player.filter(1.databaseValue).fetchCount(db) == 3)
            #expect(try Player.filter(0.databaseValue).fetchCount(db) == 0)
            let kinds = Player.select("x".databaseValue.forKey("kind"), length("abc".databaseValue).forKey("length"))
            #expect(try Row.fetchOne(db, kinds) == ["kind": "x", "length": 3])
            #expect(1.databaseValue == 1.databaseValue)
        }
    }

    @Test func collationsByName() throws {
        try run { db, _ throws in
            let ordered = Player.order { $0.name.collating(.localizedCaseInsensitiveCompare) }
            #expect(try statementText(db, ordered).sql.hasSuffix(#"COLLATE "swiftLocalizedCaseInsensitiveCompare""#))
            #expect(try ordered.fetchAll(db).map(\.id) == [3, 1, 2])
            let found = Player.filter { $0.name.collating(.caseInsensitiveCompare) == "ARTHUR" }
            #expect(try found.fetchAll(db).map(\.id) == [1])
            let literal: SQLRequest<Int> = "SELECT id FROM player ORDER BY name COLLATE \(.unicodeCompare) DESC"
            #expect(try literal.fetchAll(db) == [2, 1, 3])
            try db.create(table: "city") { $0.column("name", .text).collate(.localizedCaseInsensitiveCompare) }
            let sql = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = 'city'")
            #expect(sql == #"CREATE TABLE "city" ("name" TEXT COLLATE "swiftLocalizedCaseInsensitiveCompare")"#)
        }
    }

    @Test func requestsOfRowsNeedNoType() throws {
        try run { db, _ throws in
            let request = SQLRequest(sql: "SELECT MAX(score) AS m FROM player")
            let row: Row? = try request.fetchOne(db)
            #expect(row == ["m": 30])
            #expect(
                try Player.filter { $0.score == SQLRequest(literal: "SELECT MAX(score) FROM player") }
                    .fetchAll(db).map(\.id) == [3])
            #expect(try Int.fetchOne(db, request) == 30)
        }
    }

    @Test func requestsAreSendable() async throws {
        let queue = try DatabaseQueue()
        try await queue.write { db in try db.execute(sql: schema) }
        let request: SQLRequest<Player> = "SELECT * FROM player WHERE score > \(10)"
        let any: any FetchRequest<Player> = request.adapted { _ in SuffixRowAdapter(fromIndex: 0) }
        let counts = try await queue.read { db in try [request.fetchCount(db), any.fetchCount(db)] }
        #expect(counts == [2, 2])
    }

    @Test func aKeyIsFoundBesideASelectedValue() throws {
        try run { db, _ throws in
            #expect(try Computed.find(db, key: 2).next == 21)
            #expect(try Computed.fetchOne(db, key: 3)?.next == 31)
            #expect(try Computed.fetchOne(db, id: 1)?.next == 11)
            let id: Int64? = 2
            #expect(try Computed.fetchOne(db, id: id)?.next == 21)
            #expect(try Computed.fetchOne(db, id: nil)?.next == nil)
            #expect(try Computed.fetchOne(db, key: 0)?.next == nil)
            #expect(try Computed.fetchOne(db, key: 2)?.next == 21)
        }
    }

    @Test func columnsOfARecordAreQualified() throws {
        struct Narrow: TableRecord {
            static let databaseTableName = "player"
            static var databaseSelection: [any SQLSelectable] { [.allColumns(excluding: ["score"])] }
        }
        struct Renamed: TableRecord {
            static let databaseTableName = "player"
            static var databaseSelection: [any SQLSelectable] {
                [Column("id"), Column("name").forKey("n"), (Column("score") + 1).forKey("m")]
            }
        }
        try run { db, _ throws in
            let narrow: SQLRequest<Row> = """
                SELECT \(columnsOf: Narrow.self, tableAlias: "a"), \(columnsOf: Renamed.self, tableAlias: "b")
                FROM player a JOIN player b ON b.id = a.id + 1 WHERE a.id = 1
                """
            let row = try #require(try narrow.fetchOne(db))
            #expect(row == ["id": 1, "name": "Arthur", "id": 2, "n": "Barbara", "m": 21])
        }
    }

    @Test func anArgumentHasOneValue() throws {
        try run { db, _ throws in
            let request = Player.filter(sql: "score > :s", arguments: ["s": 5])
            #expect(try request.filter(sql: "score < :s + 20", arguments: ["s": 5]).fetchCount(db) == 2)
            let error = #expect(throws: (any Error).self) {
                try request.filter(sql: "score < :s", arguments: ["s": 25]).fetchAll(db)
            }
            #expect(
                "\(error!)"
                    == "two parts of a request give different values to argument :s: give them different names")
        }
    }

    @Test func tablesByID() throws {
        try run { db, _ throws in
            let table = Table<Player>("player")
            #expect(try table.exists(db, id: 2))
            #expect(try table.deleteOne(db, id: 2))
            #expect(try !table.exists(db, id: 2))
            #expect(try table.deleteAll(db, ids: [1, 2, 3]) == 2)
        }
    }

    @Test func reversingAndUnorderingReachJoinedOrders() throws {
        try Library.run { db, _ throws in
            let books = Library.Book.joining(required: Library.Book.author.order(\.name))
            #expect(try books.order(\.year).reversed().fetchAll(db).map(\.id) == [1, 2, 3])
            #expect(try books.fetchAll(db).map(\.id) == [3, 1, 2])
            #expect(
                try statementText(db, books.reversed()).sql.hasSuffix(#"ORDER BY "author"."name" DESC"#))
            let own = Library.Book.joining(required: Library.Book.author.order(\.name).reversed())
            #expect(try statementText(db, own).sql.hasSuffix(#"ORDER BY "author"."name" DESC"#))
            #expect(try statementText(db, own.reversed()).sql.hasSuffix(#"ORDER BY "author"."name""#))
            #expect(try !statementText(db, books.unordered()).sql.contains("ORDER BY"))
        }
    }
}
