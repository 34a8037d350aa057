// Schema changes by this connection, by another one, by a rollback. No result is based on an older schema.

import Foundation
import Testing

@testable import Rowan

@Suite(.tags(.runsOnClusters))
struct SchemaFreshnessTests {
    private struct Item: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "t"
        var rowid: Int64
    }

    private struct Team: Codable, FetchableRecord, PersistableRecord, TableRecord {
        var id: Int64
        var name: String
        static let players = hasMany(Player.self)
    }

    private struct Player: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var teamId: Int64
        var name: String
        static let team = belongsTo(Team.self)
    }

    private struct PlayerName: Decodable, FetchableRecord, TableRecord {
        static let databaseTableName = "player"
        var name: String
    }

    private struct PlayerInfo: Decodable, FetchableRecord, Equatable {
        struct Name: Decodable, Equatable { var name: String }
        var name: String
        var team: Name
    }

    private struct TeamInfo: Decodable, FetchableRecord {
        var name: String
        var players: [Player]
    }

    /// A database of a kind with players and teams, and another connection to the same file.
    private func withTwoConnections(
        _ kind: ConnectionKind, _ body: (any DatabaseWriter, DatabaseQueue) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        let writer = try kind.make(path: path)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE team(a, id INTEGER PRIMARY KEY, b, name TEXT);
                    CREATE TABLE player(p, id INTEGER PRIMARY KEY, q, teamId REFERENCES team, name TEXT);
                    INSERT INTO team(id, name) VALUES (1, 'Reds');
                    INSERT INTO player(id, teamId, name) VALUES (1, 1, 'Arthur');
                    """)
        }
        let other = try DatabaseQueue(path: path)
        try withExtendedLifetime(folder) { try body(writer, other) }
    }

    /// Another connection adds and drops columns before others, and scopes keep their positions.
    @Test(arguments: ConnectionKind.files)
    func anotherConnectionChangesColumns(_ kind: ConnectionKind) throws {
        try withTwoConnections(kind) { writer, other in
            let expected = [PlayerInfo(name: "Arthur", team: .init(name: "Reds"))]
            func infos() throws -> [PlayerInfo] {
                try writer.read { try PlayerInfo.fetchAll($0, Player.including(required: Player.team)) }
            }
            func names() throws -> [String] {
                try writer.read { db in
                    try TeamInfo.fetchAll(db, Team.including(all: Team.players)).flatMap { $0.players.map(\.name) }
                }
            }
            for change in [
                "ALTER TABLE player DROP COLUMN p", "ALTER TABLE team DROP COLUMN a", "ALTER TABLE player ADD COLUMN r",
                "ALTER TABLE team ADD COLUMN c", "ALTER TABLE player DROP COLUMN q; ALTER TABLE player DROP COLUMN r",
                "ALTER TABLE team RENAME COLUMN b TO d",
            ] {
                try #expect(infos() == expected)
                try #expect(names() == ["Arthur"])
                try other.write { try $0.execute(sql: change) }
                try #expect(infos() == expected, "\(change)")
                try other.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS x(y); DROP TABLE x") }
                try #expect(names() == ["Arthur"], "\(change)")
            }
        }
    }

    /// Outside a transaction, an access sees the changes of other connections between two statements.
    @Test(arguments: ConnectionKind.files)
    func anotherConnectionChangesColumnsBeforeAPage(_ kind: ConnectionKind) throws {
        try withTwoConnections(kind) { writer, other in
            try writer.writeWithoutTransaction { db in
                func names() throws -> [String] {
                    try Player.order(Column("name")).page(size: 1).fetch(db).elements.map(\.name)
                }
                for change in ["DROP COLUMN p", "ADD COLUMN r", "RENAME COLUMN q TO s"] {
                    #expect(try names() == ["Arthur"])
                    try other.write { try $0.execute(sql: "ALTER TABLE player \(change)") }
                    #expect(try names() == ["Arthur"], "\(change)")
                }
            }
        }
    }

    @Test(arguments: ConnectionKind.files)
    func anotherConnectionRenamesTheKey(_ kind: ConnectionKind) throws {
        try withTwoConnections(kind) { writer, other in
            func count() throws -> Int { try writer.read { try Row.fetchAll($0, Player.filter(keys: [1, 2])).count } }
            try #expect(count() == 1)
            try other.write { try $0.execute(sql: "ALTER TABLE player RENAME COLUMN id TO number") }
            try #expect(count() == 1)
        }
    }

    /// Fetches use the primary key of the table as the access sees it.
    @Test(arguments: ConnectionKind.files)
    func anotherConnectionMovesTheKey(_ kind: ConnectionKind) throws {
        try withTwoConnections(kind) { writer, other in
            func name(_ key: Int64) throws -> String? { try writer.read { try Player.fetchOne($0, key: key)?.name } }
            try #expect(name(1) == "Arthur")
            let move = """
                DROP TABLE player;
                CREATE TABLE player(id, number INTEGER PRIMARY KEY, teamId, name);
                INSERT INTO player VALUES (1, 7, 1, 'Barbara');
                """
            try other.write { try $0.execute(sql: move) }
            try #expect(name(7) == "Barbara")
            try #expect(name(1) == nil)
            try writer.write { db in
                try db.execute(
                    sql: "DROP TABLE player; CREATE TABLE player(id INTEGER PRIMARY KEY, number, teamId, name)")
                try db.execute(sql: "INSERT INTO player VALUES (1, 7, 1, 'Craig')")
            }
            try #expect(name(1) == "Craig")
            try #expect(name(7) == nil)
        }
    }

    /// Schema queries are answered for the schema that the access sees.
    @Test(arguments: ConnectionKind.files)
    func anotherConnectionChangesWhatIsAskedFor(_ kind: ConnectionKind) throws {
        try withTwoConnections(kind) { writer, other in
            func columns() throws -> Int { try writer.read { try $0.columns(in: "team").count } }
            func exists() throws -> Bool { try writer.unsafeRead { try $0.tableExists("other") } }
            try #expect(columns() == 4)
            try #expect(!exists())
            try other.write { try $0.execute(sql: "ALTER TABLE team ADD COLUMN c; CREATE TABLE other(x)") }
            try #expect(columns() == 5)
            try #expect(exists())
            try other.write { try $0.execute(sql: "DROP TABLE other") }
            try #expect(!exists())
        }
    }

    /// Rowan's version queries are not traced, because traces show the program's statements.
    @Test func versionsAreAskedForSilently() throws {
        try withDatabase { db in
            let log = Log<String>()
            db.trace { log.append($0.description) }
            try db.execute(sql: "CREATE TABLE t(x)")
            try db.execute(sql: "ALTER TABLE t ADD COLUMN y")
            try db.execute(sql: "SELECT * FROM t")
            try db.readOnly { try db.execute(sql: "PRAGMA cache_size = 10") }
            #expect(
                log.elements == [
                    "CREATE TABLE t(x)", "ALTER TABLE t ADD COLUMN y", "SELECT * FROM t", "PRAGMA cache_size = 10",
                ])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func columnsAfterAlter(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            try writer.writeWithoutTransaction { db in
                let sql = "SELECT * FROM t"
                let kept = try db.makeStatement(sql: sql)
                let cached = try db.cachedStatement(sql: sql)
                for count in 2...4 {
                    try db.execute(sql: "ALTER TABLE t ADD COLUMN c\(count)")
                    #expect(kept.columnCount == count)
                    #expect(cached.columnNames.count == count)
                    try #expect(db.cachedStatement(sql: sql).columnCount == count)
                    try #expect(Row.fetchOne(db, sql: sql)?.count == count)
                    try #expect(Row.fetchOne(kept)?.count == count)
                    try #expect(db.columns(in: "t").count == count)
                    try #expect(Item.numberOfSelectedColumns(db) == count)
                }
            }
        }
    }

    /// The version of the schema is the same after both creations.
    @Test(arguments: ConnectionKind.allCases)
    func aCreationThatIsRolledBack(_ kind: ConnectionKind) throws {
        struct Refusal: Error {}
        try withTable(kind) { writer in
            try writer.writeWithoutTransaction { db in
                try db.inTransaction {
                    try db.execute(sql: "CREATE TABLE u(a)")
                    #expect(try db.columns(in: "u").map(\.name) == ["a"])
                    #expect(try Row.fetchAll(db, sql: "SELECT * FROM u").isEmpty)
                    return .rollback
                }
                try #expect(!db.tableExists("u"))
                try db.execute(sql: "CREATE TABLE u(a, b); INSERT INTO u VALUES (1, 2)")
                let row = try Row.fetchOne(db, sql: "SELECT * FROM u")
                #expect(row == ["a": 1, "b": 2])
                let names = try db.columns(in: "u").map(\.name)
                #expect(names == ["a", "b"])
            }
        }
    }

    @Test func attachedDatabases() throws {
        try withDatabase { db in
            try db.execute(sql: "ATTACH ':memory:' AS other; CREATE TABLE other.t(x)")
            try #expect(db.tableExists("t"))
            try #expect(db.columns(in: "t").map(\.name) == ["x"])
            // Names are looked up in main first.
            try db.execute(sql: "CREATE TABLE main.t(y, z)")
            try #expect(db.columns(in: "t").map(\.name) == ["y", "z"])
            try db.execute(sql: "DROP TABLE main.t")
            try #expect(db.columns(in: "t").map(\.name) == ["x"])
            try db.execute(sql: "DETACH other")
            try #expect(!db.tableExists("t"))
            expectError(.SQLITE_ERROR) { try db.columns(in: "t") }
        }
    }

    /// A read spawned by the writer sees the writer's latest changes.
    @Test(arguments: ConnectionKind.allCases)
    func aConcurrentReadAfterAlter(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            _ = try await writer.read { try $0.columns(in: "t") }
            let counts = Log<Int>()
            let isDone = Gate()
            try await writer.writeWithoutTransaction { db in
                try db.execute(sql: "ALTER TABLE t ADD COLUMN y")
                writer.spawnConcurrentRead { result in
                    counts.append((try? result.get().columns(in: "t").count) ?? -1)
                    counts.append((try? Row.fetchOne(result.get(), sql: "SELECT * FROM t")?.count) ?? -1)
                    isDone.open()
                }
            }
            await isDone.opened()
            #expect(counts.elements == [2, 2])
        }
    }

    /// A reader's cached schema remains valid despite the pool's writes.
    @Test(arguments: ConnectionKind.allCases)
    func writesKeepTheCachesOfReaders(_ kind: ConnectionKind) throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        try withTable(kind, configuration) { writer in
            let epochs = Log<Int>()
            for value in 3...5 {
                try writer.read { db in
                    _ = try Item.fetchOne(db, key: 99)
                    epochs.append(db.connection.schemaEpoch)
                }
                try writer.write { try $0.insert(value) }
                try? writer.write { db in
                    try db.insert(value)
                    throw CancellationError()
                }
            }
            #expect(Set(epochs.elements).count == 1)
        }
    }

    /// The key is renamed, so the cached statement no longer compiles.
    @Test(arguments: ConnectionKind.files)
    func anotherConnectionRenamesTheKeyOfAFetch(_ kind: ConnectionKind) throws {
        try withTwoConnections(kind) { writer, other in
            func name() throws -> String? { try writer.read { try PlayerName.fetchOne($0, key: 1)?.name } }
            try #expect(name() == "Arthur")
            try other.write { try $0.execute(sql: "ALTER TABLE player RENAME COLUMN id TO number") }
            try #expect(name() == "Arthur")
        }
    }

    /// A cache miss rolls back the read, without clearing any cache.
    @Test(arguments: ConnectionKind.allCases)
    func aMissKeepsTheCaches(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            func find() throws -> Int {
                var epoch = 0
                do {
                    try writer.read { db in
                        epoch = db.connection.schemaEpoch
                        _ = try Item.find(db, key: 99)
                    }
                } catch is RecordError {}
                return epoch
            }
            let first = try find()
            try #expect(find() == first)
            try #expect(find() == first)
        }
    }

    /// A schema that can't be read throws an error, rather than appearing without the table.
    @Test func aBusySchemaIsThrown() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT)") }
        let other = try DatabaseQueue(path: path)
        try queue.inTransaction(.exclusive) { _ in
            expectError(.SQLITE_BUSY) { try other.unsafeRead { try $0.columns(in: "team") } }
            expectError(.SQLITE_BUSY) { try other.unsafeRead { try $0.tableExists("team") } }
            expectError(.SQLITE_BUSY) { try other.unsafeRead { try Table<Row>("team").filter(key: 1).fetchAll($0) } }
            return .commit
        }
        withExtendedLifetime(folder) {}
    }

    /// SQLite recompiles a statement for the pattern of a LIKE, although the schema is unchanged.
    @Test func aBoundPatternMovesNothing() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x TEXT COLLATE NOCASE); CREATE INDEX i ON t(x)")
            let sql = "SELECT x FROM t WHERE x LIKE ?"
            _ = try String.fetchAll(db, sql: sql, arguments: ["a%"])
            _ = try String.fetchAll(db, sql: sql, arguments: ["b%"])
            let epoch = db.connection.schemaEpoch
            _ = try String.fetchAll(db, sql: sql, arguments: ["c%"])
            #expect(db.connection.schemaEpoch == epoch)
        }
    }
}
