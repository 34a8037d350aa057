// Associations compare keys as SQLite enforces foreign keys: with the collation and affinity of the referenced column,
// in both directions and in all verbs.

import Foundation
import Rowan
import Testing

private struct Team: FetchableRecord, PersistableRecord {
    var code: DatabaseValue
    static let players = hasMany(Player.self)
    static let captain = hasOne(Player.self).forKey("captain")
    static let roles = hasMany(Role.self)
    static let members = hasMany(Player.self, through: roles, using: Role.player).forKey("members")
    var players: QueryInterfaceRequest<Player> { request(for: Team.players) }
    var members: QueryInterfaceRequest<Player> { request(for: Team.members) }

    init(code: DatabaseValue) { self.code = code }
    init(row: Row) { code = row["code"] }
    func encode(to container: inout PersistenceContainer) { container["code"] = code }
}

private struct Player: FetchableRecord, PersistableRecord {
    var id: Int
    var teamCode: DatabaseValue
    static let team = belongsTo(Team.self)
    var team: QueryInterfaceRequest<Team> { request(for: Player.team) }

    init(row: Row) { (id, teamCode) = (row["id"], row["teamCode"]) }
    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["teamCode"] = teamCode
    }
}

private struct Role: TableRecord {
    static let player = belongsTo(Player.self)
}

/// Tables whose keys are equal for SQLite but differ as values: player N belongs to the team in row N.
struct EnforcedKeys: Sendable, CustomTestStringConvertible {
    var parent: String
    var child: String
    var parents: [String]
    var children: [String]
    /// The options of the tables that refer to the other one.
    var options = ""
    var testDescription: String { "\(child) REFERENCES \(parent)" }

    static let all = [
        EnforcedKeys(
            parent: "TEXT UNIQUE COLLATE NOCASE", child: "TEXT", parents: ["'Reds'", "'blues'"],
            children: ["'reds'", "'BLUES'"]),
        EnforcedKeys(
            parent: "TEXT UNIQUE COLLATE RTRIM", child: "TEXT COLLATE NOCASE", parents: ["'a'", "'A '"],
            children: ["'a  '", "'A'"]),
        EnforcedKeys(
            parent: "INTEGER PRIMARY KEY", child: "TEXT", parents: ["1", "2"], children: ["'01'", "'2.0'"]),
        EnforcedKeys(parent: "INTEGER PRIMARY KEY", child: "", parents: ["1", "2"], children: ["'1'", "'2'"]),
        EnforcedKeys(
            parent: "INTEGER PRIMARY KEY", child: "TEXT", parents: ["1", "2"],
            children: ["char(9) || '1'", "' +2' || char(10)"]),
        EnforcedKeys(parent: "REAL UNIQUE", child: "BLOB", parents: ["1.5", "2"], children: ["'1.5'", "'2.0'"]),
        // A numeric column may contain texts.
        EnforcedKeys(parent: "NUMERIC UNIQUE", child: "TEXT", parents: ["7", "'abc'"], children: ["'7.0'", "'abc'"]),
        EnforcedKeys(parent: "TEXT UNIQUE", child: "TEXT", parents: ["'a'", "'A'"], children: ["'a'", "'A'"]),
        // Such a column converts nothing.
        EnforcedKeys(
            parent: "INTEGER PRIMARY KEY", child: "ANY", parents: ["1", "2"], children: ["'1'", "'2'"],
            options: " STRICT"),
    ]

    var schema: String {
        """
        CREATE TABLE team (code \(parent));
        CREATE TABLE player (id INTEGER PRIMARY KEY, teamCode \(child) REFERENCES team(code))\(options);
        CREATE TABLE role (teamCode \(child) REFERENCES team(code), playerId INTEGER REFERENCES player(id))\(options);
        INSERT INTO team VALUES (\(parents[0])), (\(parents[1]));
        INSERT INTO player VALUES (1, \(children[0])), (2, \(children[1])), (3, \(children[1])), (4, NULL);
        INSERT INTO role VALUES (\(children[0]), 1), (\(children[1]), 2), (\(children[1]), 3);
        """
    }
}

struct EnforcedKeyTests {
    private func withTables(_ keys: EnforcedKeys, _ body: (Database, [Team]) throws -> Void) throws {
        // Foreign keys are enforced, so SQLite itself confirms that the rows belong together.
        try inLoggedDatabase(keys.schema) { db, _ throws in
            let teams = try Team.order(sql: "rowid").fetchAll(db)
            #expect(teams.count == 2)
            try body(db, teams)
        }
    }

    @Test(arguments: EnforcedKeys.all)
    func reads(_ keys: EnforcedKeys) throws {
        try withTables(keys) { db, teams throws in
            #expect(try teams[0].players.order(Column("id")).fetchAll(db).map(\.id) == [1])
            #expect(try teams[1].players.order(Column("id")).fetchAll(db).map(\.id) == [2, 3])
            #expect(try teams[1].members.order(Column("id")).fetchAll(db).map(\.id) == [2, 3])
            let players = try Player.order(Column("id")).fetchAll(db)
            #expect(
                try players.map { try $0.team.fetchOne(db)?.code } == [
                    teams[0].code, teams[1].code, teams[1].code, nil,
                ])

            let all = Team.order(sql: "team.rowid")
            func prefetched(_ request: QueryInterfaceRequest<Team>, _ name: String) throws -> [[Int]] {
                try Row.fetchAll(db, request).map { $0.prefetchedRows[name]!.map { $0["id"] as Int }.sorted() }
            }
            #expect(try prefetched(all.including(all: Team.players), "players") == [[1], [2, 3]])
            #expect(try prefetched(all.filter(sql: "1").including(all: Team.players), "players") == [[1], [2, 3]])
            #expect(try prefetched(all.limit(1).including(all: Team.players), "players") == [[1]])
            #expect(try prefetched(all.including(all: Team.members), "members") == [[1], [2, 3]])
            #expect(
                try prefetched(all.including(all: Team.players.order(Column("id").desc).limit(1)), "players")
                    == [[1], [3]])

            let joined = all.joining(required: Team.players).select(sql: "team.rowid").order(sql: "team.rowid")
            #expect(try Int.fetchAll(db, joined) == [1, 2, 2])
            let through = all.joining(required: Team.members).select(sql: "team.rowid").order(sql: "team.rowid")
            #expect(try Int.fetchAll(db, through) == [1, 2, 2])
            #expect(try Player.joining(required: Player.team).fetchCount(db) == 3)

            let counts = all.annotated(
                with: Team.players.count.forKey("playerCount"), Team.members.count.forKey("memberCount"),
                Team.players.isEmpty.forKey("none"))
            #expect(
                try Row.fetchAll(db, counts).map { [$0["playerCount"], $0["memberCount"], $0["none"]] as [Int] }
                    == [[1, 1, 0], [2, 2, 0]])
            #expect(try all.having(Team.players.count > 1).fetchCount(db) == 1)
            #expect(try all.having(Team.members.isEmpty).fetchCount(db) == 0)
        }
    }

    @Test(arguments: EnforcedKeys.all)
    func writes(_ keys: EnforcedKeys) throws {
        try withTables(keys) { db, teams throws in
            let players = try Player.order(Column("id")).fetchAll(db)
            // Adding a member with another spelling of the key keeps it once.
            #expect(try teams[1].add(db, [players[1], players[3]], to: Team.members) == 1)
            #expect(try teams[1].members.fetchCount(db) == 3)
            #expect(try teams[1].remove(db, [players[1]], from: Team.members) == 1)
            try teams[1].set(db, [players[0]], in: Team.members)
            #expect(try teams[1].members.fetchAll(db).map(\.id) == [1])
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM role") == 2)
            try db.execute(sql: "DELETE FROM role")
            #expect(try Player.joining(required: Player.team.filter(sql: "team.rowid = 2")).deleteAll(db) == 2)
            #expect(try teams[0].players.deleteAll(db) == 1)
            #expect(try Player.fetchAll(db).map(\.id) == [4])
            #expect(try Team.deleteAll(db) == 2)
        }
    }

    @Test func sql() throws {
        let schema = EnforcedKeys.all[0].schema
        try inLoggedDatabase(schema) { db, log throws in
            _ = log.takeExpanded()
            _ = try Team(code: "Reds".databaseValue).players.fetchAll(db)
            #expect(log.takeExpanded().last == #"SELECT * FROM "player" WHERE "teamCode" = 'Reds' COLLATE NOCASE"#)
            _ = try Row.fetchAll(db, Team.joining(required: Team.players))
            #expect(
                log.takeExpanded().last
                    == #"SELECT "team".* FROM "team" JOIN "player" ON "player"."teamCode" = "team"."code" COLLATE NOCASE"#
            )
            _ = try Row.fetchAll(db, Team.filter(sql: "1").including(all: Team.players))
            #expect(
                log.takeExpanded().last
                    == #"SELECT * FROM "player" WHERE ("teamCode" COLLATE NOCASE) IN (SELECT +value FROM json_each('["Reds","blues"]'))"#
            )
            _ = try Row.fetchAll(db, Player.including(required: Player.team))
            #expect(
                log.takeExpanded().last
                    == #"SELECT "player".*, "team".* FROM "player" JOIN "team" ON "team"."code" = "player"."teamCode" COLLATE NOCASE"#
            )
        }
        try inLoggedDatabase(EnforcedKeys.all[2].schema) { db, log throws in
            _ = log.takeExpanded()
            _ = try Team(code: 1.databaseValue).players.fetchAll(db)
            #expect(log.takeExpanded().last == #"SELECT * FROM "player" WHERE "teamCode" = CAST(1 AS NUMERIC)"#)
            _ = try Row.fetchAll(db, Team.filter(sql: "1").including(all: Team.players))
            #expect(
                log.takeExpanded().last
                    == #"SELECT * FROM "player" WHERE "teamCode" IN (WITH "keys"("key0") AS (SELECT +value FROM json_each('[1,2]')) SELECT CAST("key0" AS NUMERIC) FROM "keys")"#
            )
        }
    }

    /// A foreign key with two columns, one of which needs a conversion, and a long list of keys.
    @Test func composites() throws {
        let schema = """
            CREATE TABLE team (tenant INTEGER, code TEXT COLLATE NOCASE, UNIQUE (tenant, code));
            CREATE TABLE player (id INTEGER PRIMARY KEY, tenant TEXT, teamCode TEXT,
                FOREIGN KEY (tenant, teamCode) REFERENCES team(tenant, code));
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
                INSERT INTO team SELECT i, 'Team' || i FROM n;
            INSERT INTO player SELECT rowid, '0' || tenant, upper(code) FROM team;
            """
        struct Pair: TableRecord {
            static let databaseTableName = "team"
            static let players = hasMany(
                Player.self, using: ForeignKey(["tenant", "teamCode"], to: ["tenant", "code"]))
        }
        try inLoggedDatabase(schema) { db, _ throws in
            for request in [Pair.all(), Pair.filter(sql: "1"), Pair.limit(3)] {
                let rows = try Row.fetchAll(db, request.order(Column("tenant")).including(all: Pair.players))
                #expect(rows.count == (try request.fetchCount(db)))
                #expect(
                    rows.map { $0.prefetchedRows["players"]!.map { $0["id"] as Int } } == (1...rows.count).map { [$0] })
            }
            #expect(try Pair.joining(required: Pair.players).fetchCount(db) == 1_500)
        }
    }

    /// Cached schema information is not used after a schema change.
    @Test func aChangedSchema() throws {
        try inLoggedDatabase(EnforcedKeys.all[0].schema) { db, _ throws in
            #expect(try Team.joining(required: Team.players).fetchCount(db) == 3)
            try db.execute(
                sql: """
                    PRAGMA defer_foreign_keys = ON;
                    DROP TABLE role; DROP TABLE player; DROP TABLE team;
                    CREATE TABLE team (code TEXT UNIQUE);
                    CREATE TABLE player (id INTEGER PRIMARY KEY, teamCode TEXT COLLATE NOCASE REFERENCES team(code));
                    INSERT INTO team VALUES ('a'), ('A');
                    INSERT INTO player VALUES (1, 'a');
                    """)
            #expect(try Team.joining(required: Team.players).fetchCount(db) == 1)
            let rows = try Row.fetchAll(db, Team.order(sql: "rowid").including(all: Team.players))
            #expect(rows.map { $0.prefetchedRows["players"]!.count } == [1, 0])
        }
    }
}
