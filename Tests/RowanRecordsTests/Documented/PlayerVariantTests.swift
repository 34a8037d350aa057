// Players without an id, with a conflict policy, and players of which only some columns are written or read.

import Foundation
import Rowan
import RowanRecords
import Testing

private enum Documented {
    /// The key is the hidden rowid; the address is unique.
    struct AddressedPlayer: FetchableRecord, MutablePersistableRecord {
        static let databaseTableName = "addressedPlayer"
        var email: String
        var name: String
        var score: Int

        func encode(to container: inout PersistenceContainer) {
            container["email"] = email
            container["name"] = name
            container["score"] = score
        }
    }

    struct ReplacedPlayer: Codable, FetchableRecord, MutablePersistableRecord {
        static let databaseTableName = "player"
        static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace, update: .replace)
        var id: Int64?
        var name: String
        var score: Int

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    /// Only writes, and only some of the columns.
    struct PartialPlayer: MutablePersistableRecord {
        static let databaseTableName = "player"
        var name: String
        func encode(to container: inout PersistenceContainer) { container["name"] = name }
    }

    /// Only reads.
    struct FullPlayer: FetchableRecord, TableRecord, Decodable {
        static let databaseTableName = "player"
        var id: Int64
        var name: String
        var score: Int
        var createdAt: Date
    }
}

extension Documented.AddressedPlayer {
    init(row: Row) throws {
        email = row["email"]
        name = row["name"]
        score = row["score"]
    }
}

private enum ByMacro {
    @Record struct AddressedPlayer {
        var email: String
        var name: String
        var score: Int
    }

    @Record("player") struct ReplacedPlayer {
        static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace, update: .replace)
        var id: Int64?
        var name: String
        var score: Int
    }

    @Record("player") struct PartialPlayer { var name: String }

    @Record("player") struct FullPlayer {
        var id: Int64
        var name: String
        var score: Int
        var createdAt: Date
    }
}

private let schema = """
    CREATE TABLE player (
        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, score INTEGER NOT NULL DEFAULT 7,
        createdAt DATETIME DEFAULT '2024-01-02 03:04:05.678')
    """

@Suite("Documented variants of players")
struct PlayerVariantTests {
    private func reads<T>(_ type: T.Type) -> Bool { type is any FetchableRecord.Type }
    private func insertsConstants<T>(_ type: T.Type) -> Bool { type is any PersistableRecord.Type }
    private func writes<T>(_ type: T.Type) -> Bool { type is any EncodableRecord.Type }

    @Test("A player with a unique address and the rowid as its key")
    func addressed() throws {
        func use<Player>(
            _ make: (String, String, Int) -> Player, _ change: @escaping (inout Player, Int) -> Void
        )
            -> Use<Player>
        {
            let players = (1...6).map { make("\($0)@example.com", "player \($0)", $0) }
            return Use(
                samples: Array(players[..<3]), spares: Array(players[3...]), key: ["email"], column: "score",
                value: 2.databaseValue, change: change, insertsConstants: false)
        }
        // A difference: without an optional key, the macro chooses the protocol that can insert constants.
        #expect(!insertsConstants(Documented.AddressedPlayer.self))
        #expect(insertsConstants(ByMacro.AddressedPlayer.self))
        let schema = "CREATE TABLE addressedPlayer (email TEXT UNIQUE, name TEXT NOT NULL, score INTEGER NOT NULL)"
        try expectSame(
            schema, documented: use(Documented.AddressedPlayer.init(email:name:score:)) { $0.score += $1 },
            byMacro: use(ByMacro.AddressedPlayer.init(email:name:score:)) { $0.score += $1 },
            .columnsAreListed(ByMacro.AddressedPlayer.self))
    }

    @Test("A player that replaces rows")
    func replaced() throws {
        func use<Player>(
            _ make: (Int64?, String, Int) -> Player, _ change: @escaping (inout Player, Int) -> Void
        )
            -> Use<Player>
        {
            let players = (1...6).map { make(nil, "player \($0)", $0) }
            return Use(
                samples: Array(players[..<3]), spares: Array(players[3...]), column: "score", value: 2.databaseValue,
                change: change)
        }
        let documented = use(Documented.ReplacedPlayer.init(id:name:score:)) { $0.score += $1 }
        let byMacro = use(ByMacro.ReplacedPlayer.init(id:name:score:)) { $0.score += $1 }
        try expectSame(
            "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, score INTEGER NOT NULL)",
            documented: documented, byMacro: byMacro,
            .columnsAreListed(ByMacro.ReplacedPlayer.self))
    }

    @Test("A player with some of the columns is inserted, and a full one is fetched")
    func partial() throws {
        func trail<Partial: MutablePersistableRecord, Full: FetchableRecord & TableRecord>(
            _ make: (String) -> Partial, _ full: Full.Type
        ) throws -> Trail {
            try .of(schema) { db, trail in
                for name in ["Arthur", "Barbara", "Craig"] {
                    var player = make(name)
                    trail.note("insertAndFetch") { try player.insertAndFetch(db, as: Full.self) }
                    trail.note("insert") { try player.insert(db) }
                    trail.note("update") { try player.update(db) }
                    trail.note("exists") { try player.exists(db) }
                }
                trail.note("find") { try Full.find(db, key: 2) }
                trail.note("fetch") { try Full.filter(Column("name") == "Arthur").fetchAll(db) }
                trail.note("delete") { try Full.deleteAll(db, keys: [1, 2]) }
            }
        }
        expectSame(
            try trail(Documented.PartialPlayer.init(name:), Documented.FullPlayer.self),
            try trail(ByMacro.PartialPlayer.init(name:), ByMacro.FullPlayer.self),
            .columnsAreListed(ByMacro.FullPlayer.self))
        // A macro record both reads and writes; each documented one does only one of them.
        #expect(!reads(Documented.PartialPlayer.self))
        #expect(reads(ByMacro.PartialPlayer.self))
        #expect(!writes(Documented.FullPlayer.self))
        #expect(writes(ByMacro.FullPlayer.self))
    }
}
