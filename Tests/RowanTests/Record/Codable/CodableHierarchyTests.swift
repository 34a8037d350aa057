// Codable records with more than one keyed container: class hierarchies, wrapped records, scopes.

import Rowan
import Testing

private class Animal: Codable {
    var id: Int64
    var name: String

    enum CodingKeys: String, CodingKey { case id, name }

    init(id: Int64, name: String) {
        self.id = id
        self.name = name
    }
}

private final class Cat: Animal, FetchableRecord, PersistableRecord {
    var lives: Int

    private enum CatKeys: String, CodingKey { case lives }

    init(id: Int64, name: String, lives: Int) {
        self.lives = lives
        super.init(id: id, name: name)
    }

    required init(from decoder: any Decoder) throws {
        lives = try decoder.container(keyedBy: CatKeys.self).decode(Int.self, forKey: .lives)
        try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: CatKeys.self)
        try container.encode(lives, forKey: .lives)
    }
}

private final class Dog: Animal, FetchableRecord, PersistableRecord {
    var breed: String?

    private enum DogKeys: String, CodingKey { case breed }

    init(id: Int64, name: String, breed: String?) {
        self.breed = breed
        super.init(id: id, name: name)
    }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: DogKeys.self)
        breed = try container.decodeIfPresent(String.self, forKey: .breed)
        try super.init(from: try container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: DogKeys.self)
        try container.encodeIfPresent(breed, forKey: .breed)
        try super.encode(to: container.superEncoder())
    }
}

private struct Player: Codable, Equatable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
}

private struct Team: Codable, Equatable, FetchableRecord, TableRecord {
    var id: Int64
    var title: String
}

private struct Wrapped: Codable, Equatable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "player"
    var player: Player

    init(player: Player) { self.player = player }
    init(from decoder: any Decoder) throws { player = try decoder.singleValueContainer().decode(Player.self) }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(player)
    }
}

struct CodableHierarchyTests {
    @Test func severalContainers() throws {
        try inLoggedDatabase("CREATE TABLE cat (id INTEGER PRIMARY KEY, name, lives)") { db, log throws in
            try Cat(id: 1, name: "Tom", lives: 9).insert(db)
            #expect(log.takeExpanded() == [#"INSERT INTO "cat" ("id", "name", "lives") VALUES (1,'Tom',9)"#])
            let cat = try Cat.find(db, key: 1)
            #expect(cat.name == "Tom")
            #expect(cat.lives == 9)
            cat.lives -= 1
            try cat.update(db)
            #expect(try Cat.find(db, key: 1).lives == 8)
        }
    }

    @Test func superEncoderAndSuperDecoder() throws {
        try inLoggedDatabase("CREATE TABLE dog (id INTEGER PRIMARY KEY, name, breed)") { db, log throws in
            try Dog(id: 1, name: "Rex", breed: nil).insert(db)
            try Dog(id: 2, name: "Laika", breed: "mixed").insert(db)
            let columns = log.take().map { $0.prefix { $0 != ")" } }
            #expect(columns[0].contains("\"id\"") && columns[0].contains("\"name\""))
            let dogs = try Dog.fetchAll(db)
            #expect(dogs.map(\.name) == ["Rex", "Laika"])
            #expect(dogs.map(\.breed) == [nil, "mixed"])
        }
    }

    @Test func aRecordThatEncodesAsAnother() throws {
        try inLoggedDatabase("CREATE TABLE player (id INTEGER PRIMARY KEY, name)") { db, log throws in
            let wrapped = Wrapped(player: Player(id: 1, name: "Arthur"))
            try wrapped.insert(db)
            try wrapped.update(db)
            #expect(
                log.takeExpanded() == [
                    #"INSERT INTO "player" ("id", "name") VALUES (1,'Arthur')"#,
                    #"UPDATE "player" SET "name"='Arthur' WHERE "id"=1"#,
                ])
            #expect(try Wrapped.fetchOne(db) == wrapped)
        }
    }

    @Test func scopesDecodeNestedRecords() throws {
        struct PlayerInfo: Decodable, Equatable, FetchableRecord {
            var player: Player
            var team: Team?
            var rank: Int
        }
        let adapter = ScopeAdapter(["player": RangeRowAdapter(0..<2), "team": RangeRowAdapter(2..<4)])
        try inLoggedDatabase { db, _ throws in
            let sql = "SELECT 1 AS id, 'Arthur' AS name, 2 AS id, 'Reds' AS title, 3 AS rank"
            let info = try PlayerInfo.fetchOne(db, sql: sql, adapter: adapter)
            #expect(
                info
                    == PlayerInfo(
                        player: Player(id: 1, name: "Arthur"), team: Team(id: 2, title: "Reds"), rank: 3))
            let nulls = "SELECT 1 AS id, 'Arthur' AS name, NULL AS id, NULL AS title, 3 AS rank"
            #expect(try PlayerInfo.fetchOne(db, sql: nulls, adapter: adapter)?.team == nil)
            let without = ScopeAdapter(["player": RangeRowAdapter(0..<2)])
            #expect(try PlayerInfo.fetchOne(db, sql: sql, adapter: without)?.team == nil)
            let noPlayer = ScopeAdapter(["team": RangeRowAdapter(2..<4)])
            // A record that is part of another one decodes from its row.
            #expect(try PlayerInfo.fetchOne(db, sql: sql, adapter: noPlayer)?.player.name == "Arthur")
        }
    }

    @Test func scopesOfScopes() throws {
        struct Inner: Decodable, Equatable { var a: Int }
        struct Middle: Decodable, Equatable {
            var inner: Inner
            var b: Int
        }
        struct Outer: Decodable, Equatable, FetchableRecord {
            var middle: Middle
            var c: Int
        }
        let inner = ScopeAdapter(base: RangeRowAdapter(1..<2), scopes: ["inner": RangeRowAdapter(0..<1)])
        try inLoggedDatabase { db, _ throws in
            let outer = try Outer.fetchOne(
                db, sql: "SELECT 1 AS a, 2 AS b, 3 AS c", adapter: ScopeAdapter(["middle": inner]))
            #expect(outer == Outer(middle: Middle(inner: Inner(a: 1), b: 2), c: 3))
        }
    }

    @Test func rowsDecodeScopes() throws {
        let adapter = ScopeAdapter(["team": RangeRowAdapter(1..<3)])
        try inLoggedDatabase { db, _ throws in
            let row = try #require(
                try Row.fetchOne(db, sql: "SELECT 1 AS n, 2 AS id, 'Reds' AS title", adapter: adapter))
            let team: Team = row["team"]
            #expect(team.title == "Reds")
            let nobody: Team? = row["nobody"]
            #expect(nobody == nil)
            #expect(try row.decode(Team.self, forKey: "team") == team)
            #expect(throws: RowDecodingError.self) { try row.decode(Team.self, forKey: "nobody") }
        }
    }

    @Test func anArrayOrAScalarIsNoRecord() throws {
        struct List: Encodable, PersistableRecord {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode(1)
            }
        }
        struct Scalar: Encodable, PersistableRecord {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(1)
            }
        }
        try inLoggedDatabase("CREATE TABLE list (a); CREATE TABLE scalar (a)") { db, _ throws in
            #expect(throws: EncodingError.self) { try List().insert(db) }
            #expect(throws: EncodingError.self) { try Scalar().insert(db) }
        }
    }
}
