// Accesses, records, transactions and the schema on a cluster.

import Foundation
import Rowan
import Synchronization
import Testing

@testable import RowanCluster

struct Player: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
    var id: Int64?
    var name: String
    var score: Int
    enum Columns {
        static let id = Column("id")
        static let score = Column("score")
    }
    static let databaseTableName = "player"
    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

extension DatabaseCluster {
    /// A new database on the shared cluster.
    static func new(
        _ name: String = #function, options: ClusterOptions = ClusterOptions(),
        configuration: Configuration = DatabaseCluster.defaultConfiguration
    ) throws -> DatabaseCluster {
        try DatabaseCluster(
            addresses: TestCluster.shared.addresses.map(\.description),
            database: TestCluster.newDatabaseName(String(name.prefix { $0 != "(" })),
            configuration: configuration, options: options)
    }

    /// Another client of the database.
    func another() throws -> DatabaseCluster {
        try DatabaseCluster(
            addresses: TestCluster.shared.addresses.map(\.description), database: path, configuration: configuration,
            options: options)
    }
}

extension Database {
    func createPlayers() throws {
        try create(table: "player") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("name", .text).notNull().unique()
            t.column("score", .integer).notNull()
        }
    }
}

@Suite(.enabled(if: TestCluster.isAvailable, TestCluster.missing))
struct ClusterBasicTests {
    /// Each statement is a round trip. In a file, these records would be inserted one by one, because of the index.
    @Test func manyRecordsAreFewStatements() throws {
        let texts = Mutex<[String]>([])
        var configuration = DatabaseCluster.defaultConfiguration
        configuration.prepareDatabase { db in
            db.trace { event in
                let sql = event.description
                if sql.hasPrefix("INSERT INTO \"player\"") { texts.withLock { $0.append(sql) } }
            }
        }
        let cluster = try DatabaseCluster.new(configuration: configuration)
        let count = try cluster.write { db in
            try db.createPlayers()
            try Player.insertAll(db, (1...100).map { Player(name: "\($0)", score: $0) })
            return try Player.fetchCount(db)
        }
        #expect(count == 100)
        // The first record alone, to find out about callbacks; then 64; then the rest.
        #expect(texts.withLock(\.count) == 3)
        let error = #expect(throws: DatabaseError.self) {
            try cluster.write { db in
                try Player.insertAll(db, [200, 201, 7, 202].map { Player(name: "\($0)", score: 0) })
            }
        }
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
        #expect(error?.message?.hasSuffix("inserting the record at index 2") == true)
    }

    @Test func recordsAreWrittenAndRead() throws {
        let cluster = try DatabaseCluster.new()
        try cluster.write { db in
            try db.createPlayers()
            var player = Player(name: "Arthur", score: 10)
            try player.insert(db)
            #expect(player.id == 1)
            player.score = 20
            try player.update(db)
            #expect(db.changesCount == 1)
        }
        let players = try cluster.read { try Player.order { $0.id }.fetchAll($0) }
        #expect(players == [Player(id: 1, name: "Arthur", score: 20)])
        #expect(try cluster.read { try Player.fetchOne($0, key: 1) } == players[0])
        #expect(try cluster.read { try Player.filter { $0.score > 10 }.fetchCount($0) } == 1)
        try cluster.close()
    }

    @Test func aFailedTransactionChangesNothing() throws {
        let cluster = try DatabaseCluster.new()
        try cluster.write { try $0.createPlayers() }
        let error = #expect(throws: DatabaseError.self) {
            try cluster.write { db in
                try db.execute(sql: "INSERT INTO player (name, score) VALUES ('Arthur', 1)")
                try db.execute(sql: "INSERT INTO player (name, score) VALUES ('Arthur', 2)")
            }
        }
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
        #expect(error?.message == "UNIQUE constraint failed: player.name")
        #expect(error?.sql == "INSERT INTO player (name, score) VALUES ('Arthur', 2)")
        #expect(try cluster.read { try Player.fetchCount($0) } == 0)
    }

    @Test func readsRefuseWrites() throws {
        let cluster = try DatabaseCluster.new()
        try cluster.write { try $0.createPlayers() }
        let error = #expect(throws: DatabaseError.self) {
            try cluster.read { try $0.execute(sql: "DELETE FROM player") }
        }
        #expect(error?.resultCode == .SQLITE_READONLY)
    }

    @Test func savepointsAndRollbacks() throws {
        let cluster = try DatabaseCluster.new()
        try cluster.write { db in
            try db.createPlayers()
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO player (name, score) VALUES ('Arthur', 1)")
                return .rollback
            }
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO player (name, score) VALUES ('Barbara', 1)")
                return .commit
            }
            // A failing statement leaves the transaction open.
            #expect(throws: DatabaseError.self) {
                try db.execute(sql: "INSERT INTO player (name, score) VALUES ('Barbara', 1)")
            }
            try db.execute(sql: "INSERT INTO player (name, score) VALUES ('Craig', 1)")
        }
        #expect(
            try cluster.read { try String.fetchAll($0, sql: "SELECT name FROM player ORDER BY name") } == [
                "Barbara", "Craig",
            ])
        try cluster.writeWithoutTransaction { db in
            try db.execute(sql: "SAVEPOINT a; INSERT INTO player (name, score) VALUES ('Dora', 1); RELEASE a")
            #expect(!db.isInsideTransaction)
            try db.execute(sql: "BEGIN; INSERT INTO player (name, score) VALUES ('Eva', 1); ROLLBACK")
        }
        #expect(try cluster.read { try Player.fetchCount($0) } == 3)
    }

    @Test func returningAndAutocommit() throws {
        let cluster = try DatabaseCluster.new()
        try cluster.write { try $0.createPlayers() }
        try cluster.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO player (name, score) VALUES ('Arthur', 1)")
            #expect(db.lastInsertedRowID == 1)
            let id = try Int64.fetchOne(
                db, sql: "INSERT INTO player (name, score) VALUES ('Barbara', 1) RETURNING id")
            #expect(id == 2)
            #expect(db.lastInsertedRowID == 2)
            #expect(!db.isInsideTransaction)
        }
        #expect(try cluster.read { try Player.fetchCount($0) } == 2)
    }

    @Test func allValuesSurvive() throws {
        let cluster = try DatabaseCluster.new()
        let values: [DatabaseValue] = [
            .null, 1.databaseValue, (-1).databaseValue, Int64.min.databaseValue, 1.5.databaseValue, "".databaseValue,
            "é🦊".databaseValue, Data().databaseValue, Data([0, 1, 255]).databaseValue,
            String(repeating: "x", count: 10_000).databaseValue,
        ]
        try cluster.write { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
            for value in values { try db.execute(sql: "INSERT INTO t (v) VALUES (?)", arguments: [value]) }
        }
        let read = try cluster.read { try DatabaseValue.fetchAll($0, sql: "SELECT v FROM t ORDER BY id") }
        #expect(read == values)
        for (index, value) in values.enumerated() {
            let one = try cluster.read {
                try DatabaseValue.fetchOne($0, sql: "SELECT v FROM t WHERE id = ?", arguments: [index + 1])
            }
            #expect(one == value)
        }
    }

    @Test func longResultsAndNestedQueries() throws {
        let cluster = try DatabaseCluster.new()
        try cluster.write { db in
            try db.createPlayers()
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                    INSERT INTO player (name, score) SELECT 'player ' || i, i FROM n
                    """)
            #expect(db.changesCount == 20_000)
        }
        try cluster.read { db in
            #expect(try Player.fetchAll(db).count == 20_000)
            let cursor = try Player.order { $0.id }.fetchCursor(db)
            var sum = 0
            while let player = try cursor.next() {
                if player.score % 5_000 == 1 {
                    #expect(try Player.fetchOne(db, key: player.id)?.score == player.score)
                }
                sum += player.score
            }
            #expect(sum == 200_010_000)
            // The other rows are never read.
            #expect(try Player.order { $0.id }.fetchOne(db)?.id == 1)
            #expect(try Player.fetchCount(db) == 20_000)
        }
        #expect(try cluster.read { try Player.fetchCount($0) } == 20_000)
    }

    @Test func anotherClientChangesTheSchema() throws {
        let cluster = try DatabaseCluster.new()
        let other = try cluster.another()
        try cluster.write { try $0.createPlayers() }
        try other.write { db in
            var player = Player(name: "Arthur", score: 1)
            try player.insert(db)
        }
        #expect(try cluster.read { try Row.fetchOne($0, sql: "SELECT * FROM player") }?.count == 3)
        try other.write { try $0.execute(sql: "ALTER TABLE player DROP COLUMN score") }
        let row = try cluster.read { try Row.fetchOne($0, sql: "SELECT * FROM player") }
        #expect(row == ["id": 1, "name": "Arthur"])
        try other.write { try $0.execute(sql: "ALTER TABLE player ADD COLUMN team TEXT DEFAULT 'Reds'") }
        #expect(
            try cluster.write { try Row.fetchOne($0, sql: "SELECT * FROM player") } == [
                "id": 1, "name": "Arthur", "team": "Reds",
            ])
        #expect(try cluster.read { try $0.columns(in: "player").map(\.name) } == ["id", "name", "team"])
        try other.write { try $0.drop(table: "player") }
        let error = #expect(throws: DatabaseError.self) {
            try cluster.read { try Row.fetchOne($0, sql: "SELECT * FROM player") }
        }
        #expect(error?.message == "no such table: player")
    }

    @Test func migrations() throws {
        let cluster = try DatabaseCluster.new()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { try $0.createPlayers() }
        migrator.registerMigration("v2") { db in
            try db.alter(table: "player") { $0.add(column: "at", .datetime) }
            try db.create(indexOn: "player", columns: ["score"])
        }
        try migrator.migrate(cluster)
        try migrator.migrate(cluster.another())
        #expect(try cluster.read(migrator.appliedMigrations) == ["v1", "v2"])
        try cluster.write { db in
            try db.execute(sql: "INSERT INTO player (name, score, at) VALUES ('Arthur', 1, NULL)")
            #expect(try DatabaseValue.fetchOne(db, sql: "SELECT at FROM player") == .null)
        }
    }
}
