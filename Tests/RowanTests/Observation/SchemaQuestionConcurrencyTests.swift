// An observation whose fetch queries the schema fetches again when the schema changes.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(2)))
struct SchemaQuestionConcurrencyTests {
    /// The count of a table that may not exist.
    @Test(arguments: ConnectionKind.allCases)
    func aTableThatIsMissing(_ kind: ConnectionKind) async throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        let observation = ValueObservation.tracking { db in
            try db.tableExists("t") ? Table("t").fetchCount(db) : -1
        }
        let recorder = observation.record(in: writer)
        await eventually { recorder.values == [-1] }
        try await writer.write { db in try db.execute(sql: "CREATE TABLE t(x)") }
        await eventually { recorder.values.last == 0 }
        try await writer.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
        await eventually { recorder.values.last == 1 }
        try await writer.write { db in try db.execute(sql: "DROP TABLE t") }
        await eventually { recorder.values.last == -1 }
        recorder.cancel()
        #expect(recorder.errors.isEmpty)
        try writer.close()
    }

    private static let questions: [(String, @Sendable (Database) throws -> Any)] = [
        ("tableExists", { try $0.tableExists("t") }), ("viewExists", { try $0.viewExists("v") }),
        ("triggerExists", { try $0.triggerExists("r") }), ("columns", { try $0.columns(in: "t") }),
        ("primaryKey", { try $0.primaryKey("t") }), ("indexes", { try $0.indexes(on: "t") }),
        ("foreignKeys", { try $0.foreignKeys(on: "t") }), ("unique", { try $0.table("t", hasUniqueKey: ["x"]) }),
        ("schemaObjects", { try $0.schemaObjects() }), ("tables", { try $0.tables() }), ("views", { try $0.views() }),
        ("triggers", { try $0.triggers(on: "t") }),
    ]

    @Test(arguments: questions.indices)
    func regions(_ index: Int) throws {
        let (name, ask) = Self.questions[index]
        try withDatabase { db throws in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, x)")
            for _ in 1...2 {
                let (_, region) = try db.recordingRegion { try ask(db) }
                #expect(region.description == "sqlite_master(*),temp.sqlite_temp_master(*)", "\(name)")
            }
            let (_, region) = try db.recordingRegion { try db.tableExists("t", in: "main") }
            #expect(region.description == "sqlite_master(*)")
        }
    }

    /// Rowan's own schema queries don't count: a request depends only on its rows.
    @Test func requests() throws {
        struct Team: TableRecord { static let players = hasMany(Player.self) }
        struct Player: Codable, FetchableRecord, PersistableRecord {
            var id: Int
            var teamId: Int?
            static let team = belongsTo(Team.self)
        }
        let schema = """
            CREATE TABLE team (id INTEGER PRIMARY KEY);
            CREATE TABLE player (id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team(id));
            INSERT INTO team VALUES (1); INSERT INTO player VALUES (1, 1);
            """
        try inLoggedDatabase(schema) { db, _ throws in
            func region(_ body: () throws -> Any) throws -> String {
                let (_, region) = try db.recordingRegion { try body() }
                return region.description
            }
            let fetches: [() throws -> Any] = [
                { try Player.fetchAll(db) }, { try Player.fetchOne(db, key: 1) as Any }, { try Player.fetchCount(db) },
                { try Row.fetchAll(db, Team.including(all: Team.players)) },
                { try Row.fetchAll(db, Player.including(required: Player.team)) },
                { try Row.fetchAll(db, Team.annotated(with: Team.players.count)) },
                { try Player.all().groupByPrimaryKey().fetchCount(db) },
                { try Player.all().orderByPrimaryKey().fetchOne(db) as Any },
                { try Player(id: 1, teamId: 1).exists(db) }, { try Player.filter(keys: [1, 2]).fetchAll(db) },
                { try Player.filter(key: ["id": 1]).fetchAll(db) },
                { try db.registerAccess(to: Table("player")) },
            ]
            for (number, fetch) in fetches.enumerated() {
                let text = try region(fetch)
                #expect(!text.contains("sqlite_"), "\(number): \(text)")
            }
        }
    }
}
