// A row that does not have the columns of a record names the record.

import Rowan
import Testing

struct WrongRecordTypeTests {
    struct Team: Decodable, FetchableRecord, TableRecord {
        var id: Int64
        var color: Int
    }

    struct Player: FetchableRecord, TableRecord {
        static let team = belongsTo(Team.self)
        var id: Int64
        var name: String
        init(row: Row) throws {
            id = try row.decode(forColumn: "id")
            name = try row.decode(forColumn: "name")
        }
    }

    struct PlayerAndTeam: Decodable, FetchableRecord {
        var id: Int64
        var team: Team
    }

    struct TeamOfRow: FetchableRecord {
        var team: Team
        init(row: Row) throws { team = try row.decode(forKey: "team") }
    }

    private static func withPlayers(_ body: (Database) throws -> Void) throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE team(id INTEGER PRIMARY KEY, color TEXT);
                    CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, teamId INTEGER REFERENCES team);
                    INSERT INTO team VALUES (1, NULL);
                    INSERT INTO player VALUES (1, NULL, 1);
                    """)
            try body(db)
        }
    }

    @Test func recordsByHandAndDecodableOnes() throws {
        try Self.withPlayers { db in
            let value = expectDecodingError("- record: Player, column: \"name\", column index: 1") {
                try Player.fetchAll(db)
            }
            #expect(value?.record == "Player")
            let missing = expectDecodingError("column not found: \"name\" - record: Player") {
                try Player.fetchOne(db, sql: "SELECT * FROM team")
            }
            #expect(missing?.record == "Player")
            let team = expectDecodingError("- record: Team, column: \"color\"") { try Team.fetchAll(db) }
            #expect(team?.record == "Team")
            let other = expectDecodingError("record: Team") { try Team.fetchAll(db, sql: "SELECT * FROM player") }
            #expect(other?.column == "color")
        }
    }

    /// The record of an association is named, not the one that contains it.
    @Test func recordsInRecords() throws {
        try Self.withPlayers { db in
            let request = Player.including(required: Player.team)
            let team = expectDecodingError("record: Team") { try PlayerAndTeam.fetchAll(db, request) }
            #expect(team?.record == "Team")
            let decoded = expectDecodingError("record: Team") { try TeamOfRow.fetchAll(db, request) }
            #expect(decoded?.record == "Team")
        }
    }

    @Test func rowsAndValuesHaveNone() throws {
        try Self.withPlayers { db in
            let value = expectDecodingError("could not decode Int") { try Int.fetchAll(db, sql: "SELECT NULL") }
            #expect(value?.record == nil)
            let row = try #require(try Row.fetchOne(db, sql: "SELECT NULL AS a"))
            let column = expectDecodingError("could not decode Int") { try row.decode(Int.self, forColumn: "a") }
            #expect(column?.record == nil)
        }
    }
}
