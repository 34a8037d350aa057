// What a cluster does not do is refused by name, and what it does has the results of a local database.

import Foundation
import Testing

@testable import Rowan
@testable import RowanCluster

@Suite(.enabled(if: TestCluster.isAvailable, TestCluster.missing))
struct ClusterRefusalTests {
    private func error(_ body: () throws -> Void) -> DatabaseError? {
        #expect(throws: DatabaseError.self) { try body() }
    }

    private func message(_ body: () throws -> Void) -> String? { error(body)?.message }

    @Test func moreArgumentsThanANodeTakes() throws {
        let cluster = try DatabaseCluster.new()
        let list = (0..<256).map { _ in "?" }.joined(separator: ",")
        let arguments = StatementArguments((0..<256).map { $0 })
        let error = error {
            try cluster.read { _ = try Int.fetchOne($0, sql: "SELECT 1 WHERE 1 IN (\(list))", arguments: arguments) }
        }
        #expect(error?.message == "too many SQL variables")
        #expect(
            error?.hint == "a statement takes at most 255 here: pass several values as one argument, as JSON")
    }

    @Test func copiesIntoFiles() throws {
        let cluster = try DatabaseCluster.new()
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        #expect(
            message { try cluster.vacuum(into: path) }
                == "a cluster does not run VACUUM INTO: the file would belong to a node; use dump(to:)")
        #expect(
            message { try cluster.vacuum() }
                == "a cluster does not run VACUUM: the nodes keep their files compact themselves")
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func scopes() throws {
        let cluster = try DatabaseCluster.new()
        let scope = DatabaseScope().reading(Table("player").all())
        let expected = "a cluster does not run scopes: read a copy of the database, from DatabaseCluster.dump(to:)"
        #expect(message { try cluster.read(in: scope) { _ in } } == expected)
        #expect(message { try cluster.write(in: scope) { _ in } } == expected)
    }

    /// Options of a file.
    @Test func ignoredOptions() throws {
        func refusal(_ change: (inout Configuration) -> Void) -> String? {
            var configuration = DatabaseCluster.defaultConfiguration
            change(&configuration)
            return message { _ = try DatabaseCluster.new(configuration: configuration) }
        }
        func expected(_ option: String) -> String {
            "a cluster has no file of its own, so `\(option)` has no effect: remove it from the configuration"
        }
        #expect(refusal { $0.vfs = "unix-none" } == expected("vfs"))
        #expect(refusal { $0.journalMode = .wal } == expected("journalMode"))
        #expect(refusal { $0.mmapSize = 1 << 20 } == expected("mmapSize"))
        #expect(refusal { $0.walSizeLimit = 1 << 20 } == expected("walSizeLimit"))
        #expect(refusal { $0.replicatedByLitestream = true } == expected("replicatedByLitestream"))
        #expect(refusal { $0.persistentReadOnlyConnections = true } == expected("persistentReadOnlyConnections"))
        #expect(refusal { $0.allowsExtensions = true } == expected("allowsExtensions"))
    }

    @Test func countersAfterBatches() throws {
        func counters(_ writer: any DatabaseWriter) throws -> [[Int64]] {
            try writer.write { db in
                try db.createPlayers()
                var all: [[Int64]] = []
                func note() { all.append([db.lastInsertedRowID, Int64(db.changesCount), Int64(db.totalChangesCount)]) }
                let players = ["a", "b", "c"].map { Player(name: $0, score: 1) }
                #expect(try Player.insertAllAndFetch(db, players).map(\.id) == [1, 2, 3])
                note()
                _ = try Player.insertAll(db, ["d", "e"].map { Player(name: $0, score: 1) })
                note()
                _ = try Player.updateAll(db, Player.Columns.score.set(to: 2))
                note()
                _ = try Player.filter(Player.Columns.id > 3).deleteAll(db)
                note()
                _ = try Player.upsertAllAndFetch(
                    db, ["a", "f"].map { Player(name: $0, score: 3) }, onConflict: ["name"])
                note()
                return all
            }
        }
        #expect(try counters(DatabaseCluster.new()) == counters(DatabaseQueue()))
    }

    @Test func erasedDatabases() throws {
        let cluster = try DatabaseCluster.new()
        try cluster.write { db in
            try db.createPlayers()
            try db.execute(
                sql: """
                    INSERT INTO player (name, score) VALUES ('a', 1), ('b', 2);
                    CREATE VIEW best AS SELECT * FROM player;
                    CREATE TRIGGER t AFTER INSERT ON player BEGIN SELECT 1; END;
                    CREATE TABLE parent (id INTEGER PRIMARY KEY);
                    CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent(id));
                    INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1, 1);
                    CREATE VIRTUAL TABLE text USING fts5(body);
                    INSERT INTO text VALUES ('some words');
                    ANALYZE; PRAGMA user_version = 7; PRAGMA application_id = 9;
                    """)
        }
        try cluster.erase()
        func rest(_ writer: any DatabaseReader) throws -> [[DatabaseValue]] {
            try writer.read { db in
                let tables = try Row.fetchAll(
                    db,
                    sql: "SELECT name FROM sqlite_master WHERE name NOT LIKE 'rowan%' AND tbl_name NOT LIKE 'rowan%'")
                let numbers = try ["user_version", "application_id"]
                    .map { try DatabaseValue.fetchOne(db, sql: "PRAGMA \($0)") ?? .null }
                return tables.map { Array($0.databaseValues) } + [numbers]
            }
        }
        #expect(try rest(cluster) == [[0.databaseValue, 0.databaseValue]])
        #expect(try rest(cluster.another()) == [[0.databaseValue, 0.databaseValue]])
        // Numbers begin again.
        try cluster.write { db in
            try db.createPlayers()
            var player = Player(name: "a", score: 1)
            try player.insert(db)
            #expect(player.id == 1)
        }
    }
}
