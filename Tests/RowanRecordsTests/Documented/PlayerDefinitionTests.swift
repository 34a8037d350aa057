// Players: with and without Codable, with generated and given keys, and for reading or writing only.

import Foundation
import Rowan
import RowanRecords
import Testing

private enum Documented {
    struct CodablePlayer: Codable, FetchableRecord, MutablePersistableRecord {
        static let databaseTableName = "player"
        var id: Int64?
        var name: String
        var score: Int
        var createdAt: Date?

        enum Columns {
            static let id = Column(CodingKeys.id)
            static let name = Column(CodingKeys.name)
            static let score = Column(CodingKeys.score)
        }

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    struct PlainPlayer: FetchableRecord, MutablePersistableRecord {
        static let databaseTableName = "player"
        var id: Int64?
        var name: String
        var score: Int
        var createdAt: Date?

        enum Columns: String, ColumnExpression { case id, name, score, createdAt }

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["name"] = name
            container["score"] = score
            container["createdAt"] = createdAt
        }

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    /// A player whose id is never nil.
    struct IdentifiedPlayer: Codable, Identifiable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "player"
        var id: Int64
        var name: String
        var score: Int
        var createdAt: Date?

        enum Columns {
            static let name = Column(CodingKeys.name)
            static let score = Column(CodingKeys.score)
        }
    }

}

extension Documented.PlainPlayer {
    init(row: Row) throws {
        id = row["id"]
        name = row["name"]
        score = row["score"]
        createdAt = row["createdAt"]
    }
}

private enum ByMacro {
    @Record struct Player {
        var id: Int64?
        var name: String
        var score: Int
        var createdAt: Date?
    }

    @Record("player") struct IdentifiedPlayer {
        var id: Int64
        var name: String
        var score: Int
        var createdAt: Date?
    }

}

@Suite("Documented players")
struct PlayerDefinitionTests {
    private static let schema = """
        CREATE TABLE player (
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, score INTEGER NOT NULL DEFAULT 7,
            createdAt DATETIME DEFAULT '2024-01-02 03:04:05.678')
        """

    private func use<Player>(
        _ make: (Int, String, Int, Date?) -> Player, change: @escaping (inout Player, Int) -> Void,
        requests: () -> [QueryInterfaceRequest<Player>]
    ) -> Use<Player> {
        let players = ["Arthur", "Barbara", "O'Brien", "Craig", "", "Élise"].enumerated().map { number, name in
            make(number + 1, name, number * 100, number % 2 == 0 ? nil : Date(timeIntervalSince1970: 1e9 + 0.125))
        }
        return Use(
            samples: Array(players[..<3]), spares: Array(players[3...]), column: "score", value: 100.databaseValue,
            change: change, requests: requests())
    }

    private var player: Use<ByMacro.Player> {
        use({ ByMacro.Player(id: nil, name: $1, score: $2, createdAt: $3) }) {
            $0.score += $1
            if $1 % 3 == 0 { $0.createdAt = nil }
        } requests: {
            [
                ByMacro.Player.filter { $0.name == "Arthur" }, ByMacro.Player.filter { $0.score >= 100 },
                ByMacro.Player.order(\.score.desc).limit(10),
                ByMacro.Player.filter { ["Craig", "Élise"].contains($0.name) },
            ]
        }
    }

    @Test("A Codable player")
    func codable() throws {
        let documented = use({ Documented.CodablePlayer(id: nil, name: $1, score: $2, createdAt: $3) }) {
            $0.score += $1
            if $1 % 3 == 0 { $0.createdAt = nil }
        } requests: {
            [
                Documented.CodablePlayer.filter { $0.name == "Arthur" },
                Documented.CodablePlayer.filter { $0.score >= 100 },
                Documented.CodablePlayer.order(\.score.desc).limit(10),
                Documented.CodablePlayer.filter { ["Craig", "Élise"].contains($0.name) },
            ]
        }
        try expectSame(
            Self.schema, documented: documented, byMacro: player, .columnsAreListed(ByMacro.Player.self))
    }

    @Test("A player with handwritten conformances")
    func plain() throws {
        let documented = use({ Documented.PlainPlayer(id: nil, name: $1, score: $2, createdAt: $3) }) {
            $0.score += $1
            if $1 % 3 == 0 { $0.createdAt = nil }
        } requests: {
            let columns = Documented.PlainPlayer.Columns.self
            return [
                Documented.PlainPlayer.filter(columns.name == "Arthur"),
                Documented.PlainPlayer.filter(columns.score >= 100),
                Documented.PlainPlayer.order(columns.score.desc).limit(10),
                Documented.PlainPlayer.filter(["Craig", "Élise"].contains(columns.name)),
            ]
        }
        try expectSame(
            Self.schema, documented: documented, byMacro: player, .columnsAreListed(ByMacro.Player.self))
    }

    @Test("A player whose id is never nil")
    func identified() throws {
        let documented = use({ Documented.IdentifiedPlayer(id: Int64($0), name: $1, score: $2, createdAt: $3) }) {
            $0.score += $1
        } requests: {
            [
                Documented.IdentifiedPlayer.filter(id: 2), Documented.IdentifiedPlayer.filter(ids: [1, 2]),
                Documented.IdentifiedPlayer.filter { $0.name == "Arthur" },
            ]
        }
        let byMacro = use({ ByMacro.IdentifiedPlayer(id: Int64($0), name: $1, score: $2, createdAt: $3) }) {
            $0.score += $1
        } requests: {
            [
                ByMacro.IdentifiedPlayer.filter(id: 2), ByMacro.IdentifiedPlayer.filter(ids: [1, 2]),
                ByMacro.IdentifiedPlayer.filter { $0.name == "Arthur" },
            ]
        }
        try expectSame(
            Self.schema, documented: documented, byMacro: byMacro, .columnsAreListed(ByMacro.IdentifiedPlayer.self))
    }
}
