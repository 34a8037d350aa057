// Records that select some of their table's columns, more than its columns, or a view, and how macro records differ.

import Foundation
import Rowan
import RowanRecords
import Testing

private enum Documented {
    struct RestrictedPlayer: Codable, FetchableRecord, MutablePersistableRecord {
        static let databaseTableName = "player"
        static var databaseSelection: [any SQLSelectable] { [Column("id"), Column("name")] }
        var id: Int64?
        var name: String
        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    struct ExtendedPlayer: FetchableRecord, MutablePersistableRecord {
        static let databaseTableName = "badge"
        static var databaseSelection: [any SQLSelectable] { [.allColumns, .rowID] }
        var name: String
        var score: Int
        var rowid: Int64?

        init(name: String, score: Int) { (self.name, self.score) = (name, score) }

        init(row: Row) {
            name = row["name"]
            score = row["score"]
            rowid = row[.rowID]
        }

        func encode(to container: inout PersistenceContainer) {
            container["name"] = name
            container["score"] = score
            container[.rowID] = rowid
        }

        mutating func didInsert(_ inserted: InsertionSuccess) { rowid = inserted.rowID }
    }

    struct Summary: Decodable, FetchableRecord, TableRecord {
        static let databaseTableName = "summary"
        var name: String
        var playerCount: Int
    }

    struct Player: Codable, FetchableRecord, MutablePersistableRecord {
        var id: Int64?
        var name: String
        var score: Int
        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    final class PlayerObject: FetchableRecord, PersistableRecord {
        static let databaseTableName = "player"
        var id: Int64?
        var name: String
        var score: Int

        init(id: Int64?, name: String, score: Int) { (self.id, self.name, self.score) = (id, name, score) }

        init(row: Row) {
            id = row["id"]
            name = row["name"]
            score = row["score"]
        }

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["name"] = name
            container["score"] = score
        }

        func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }
}

private enum ByMacro {
    @Record("player") struct RestrictedPlayer {
        var id: Int64?
        var name: String
    }

    @Record("badge") struct ExtendedPlayer {
        static var databaseSelection: [any SQLSelectable] { [.allColumns, .rowID] }
        var name: String
        var score: Int
        @PrimaryKey var rowid: Int64?

        init(name: String, score: Int) { (self.name, self.score) = (name, score) }
        mutating func didInsert(_ inserted: InsertionSuccess) { rowid = inserted.rowID }
    }

    @Record("badge") struct Badge {
        var name: String
        var score: Int
        @PrimaryKey var rowid: Int64?
    }

    @Record struct Summary {
        var name: String
        var playerCount: Int
    }

    @Record struct Player {
        var id: Int64?
        var name: String
        var score: Int
    }
}

@Suite("Documented selections")
struct SelectionDefinitionTests {
    private static let schema = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, score INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE badge (name TEXT NOT NULL UNIQUE, score INTEGER NOT NULL);
        """

    private func use<Player>(
        _ make: (Int) -> Player, key: String, change: @escaping (inout Player, Int) -> Void
    ) -> Use<Player> {
        Use(
            samples: (1...3).map(make), spares: (4...6).map(make), key: [key], column: "name", value: "2".databaseValue,
            change: change)
    }

    @Test("Some of the columns: the SQL is exactly the same")
    func restricted() throws {
        try expectSame(
            Self.schema,
            documented: use({ Documented.RestrictedPlayer(id: nil, name: "\($0)") }, key: "id") { $0.name += "\($1)" },
            byMacro: use({ ByMacro.RestrictedPlayer(id: nil, name: "\($0)") }, key: "id") { $0.name += "\($1)" })
    }

    @Test("The hidden rowid, with a selection declared by the struct")
    func extended() throws {
        try expectSame(
            Self.schema,
            documented: use({ Documented.ExtendedPlayer(name: "\($0)", score: $0) }, key: "rowid") {
                $0.score += $1
            },
            byMacro: use({ ByMacro.ExtendedPlayer(name: "\($0)", score: $0) }, key: "rowid") { $0.score += $1 })
    }

    @Test("The macro stores a rowid, hidden or not, where the documented record needs didInsert")
    func hiddenRowID() throws {
        try inDatabase(Self.schema) { db in
            for name in ["Arthur", "Barbara", "Craig"] {
                var badge = ByMacro.Badge(name: name, score: 1)
                try badge.insert(db)
                #expect(badge.rowid == db.lastInsertedRowID)
                var player = ByMacro.ExtendedPlayer(name: name + "2", score: 1)
                try player.insert(db)
                #expect(player.rowid == db.lastInsertedRowID)
            }
            #expect(try ByMacro.Badge.fetchAll(db).map(\.rowid) == [1, 2, 3, 4, 5, 6])
        }
    }

    @Test("A view")
    func view() throws {
        func trail<Summary: FetchableRecord & TableRecord>(
            _ type: Summary.Type, _ request: QueryInterfaceRequest<Summary>
        ) throws -> Trail {
            let schema = """
                \(Self.schema)
                CREATE VIEW summary AS SELECT substr(name, 1, 1) AS name, COUNT(*) AS playerCount FROM player GROUP BY 1;
                INSERT INTO player (name) VALUES ('Ann'), ('Amy'), ('Bob');
                """
            return try .of(schema) { db, trail in
                trail.note("all") { try (Summary.fetchAll(db), Summary.fetchCount(db), Summary.fetchOne(db)) }
                trail.note("request") { try (request.fetchAll(db), request.fetchCount(db)) }
            }
        }
        expectSame(
            try trail(Documented.Summary.self, Documented.Summary.filter(Column("playerCount") > 1)),
            try trail(ByMacro.Summary.self, ByMacro.Summary.filter { $0.playerCount > 1 }),
            .columnsAreListed(ByMacro.Summary.self))
    }

    @Test("A difference: a struct replaces a documented class and writes the same")
    func classes() throws {
        func trail<Player: FetchableRecord & MutablePersistableRecord>(_ make: (String) -> Player) throws -> Trail {
            try .of(Self.schema) { db, trail in
                for name in ["Arthur", "Barbara", "Craig"] {
                    var player = make(name)
                    trail.note("insert") {
                        try player.insert(db)
                        return player
                    }
                    trail.note("update") { try player.update(db) }
                    trail.note("save") { try player.save(db) }
                    trail.note("upsert") { try player.upsert(db) }
                }
                trail.note("all") { try Player.fetchAll(db) }
                trail.note("delete") { try Player.fetchOne(db)?.delete(db) as Any }
            }
        }
        expectSame(
            try trail { Documented.PlayerObject(id: nil, name: $0, score: 1) },
            try trail { ByMacro.Player(id: nil, name: $0, score: 1) }, .columnsAreListed(ByMacro.Player.self))
        let problems = expansion("@Record class Player { var id: Int64? }", type: "Player")
        #expect(problems.first?.hasPrefix("@Record needs a struct: a class 'Player' can't have it:") == true)
    }

    @Test("An ignored conflict leaves the id unset")
    func ignoredConflicts() throws {
        try inDatabase(Self.schema) { db in
            for name in ["Arthur", "Barbara"] {
                var documented = Documented.Player(id: nil, name: name, score: 1)
                try documented.insert(db)
                #expect(documented.id != nil)
                var same = Documented.Player(id: nil, name: name, score: 1)
                try same.insert(db, onConflict: .ignore)
                #expect(same.id == nil)
                var byMacro = ByMacro.Player(id: nil, name: name, score: 1)
                try byMacro.insert(db, onConflict: .ignore)
                #expect(byMacro.id == nil)
            }
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") == 2)
        }
    }
}
