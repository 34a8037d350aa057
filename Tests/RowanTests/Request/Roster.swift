// Four players in three teams, for the tests of requests.

import Rowan

enum Roster {
    struct Player: Codable, Hashable, FetchableRecord, PersistableRecord, Identifiable {
        var id: Int64
        var name: String
        var score: Int
        var team: String?
        enum Columns {
            static let id = Column("id")
            static let name = Column("name")
            static let score = Column("score")
            static let team = Column("team")
        }
    }

    static let schema = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE, score INTEGER, team TEXT, info TEXT);
        INSERT INTO player VALUES (1, 'Arthur', 10, 'Reds', '{"score": 7}'), (2, 'barbara', 20, 'Reds', NULL),
            (3, 'Craig', 30, 'Blues', NULL), (4, 'david', 5, NULL, NULL);
        """

    static func run(_ body: (Database, SQLLog) throws -> Void) throws { try inLoggedDatabase(schema, body) }
}
