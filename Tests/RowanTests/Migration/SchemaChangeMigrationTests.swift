import Rowan
import Testing

private func migrator(_ migrations: [(String, String)], erases: Bool = true) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.eraseDatabaseOnSchemaChange = erases
    for (identifier, sql) in migrations { migrator.registerMigration(identifier) { try $0.execute(sql: sql) } }
    return migrator
}

private let player = ("player", "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
private let index = ("index", "CREATE INDEX player_on_name ON player(name)")

struct SchemaChangeMigrationTests {
    private func migratedQueue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try migrator([player, index]).migrate(queue)
        try queue.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'A')") }
        return queue
    }

    /// Equivalent definitions of the same migrations.
    static let sameSchemas: [[(String, String)]] = [
        [player, index], [player, index, ("next", "CREATE TABLE team (id INTEGER PRIMARY KEY)")],
        [
            ("player", "create table \"player\" ( -- the players\n [id] integer PRIMARY  KEY,\n`name` TEXT /* x */)"),
            index,
        ],
        [("player", "CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT); ALTER TABLE p RENAME TO player"), index],
        [
            player,
            ("index", "CREATE INDEX IF NOT EXISTS PLAYER_ON_NAME ON Player(name); INSERT INTO player VALUES (9, 'Z')"),
        ],
    ]

    @Test(arguments: sameSchemas.indices) func dataIsKept(index: Int) throws {
        let queue = try migratedQueue()
        let migrator = migrator(Self.sameSchemas[index])
        #expect(try queue.read(migrator.hasSchemaChanges) == false)
        try migrator.migrate(queue)
        #expect(try queue.string("SELECT name FROM player WHERE id = 1") == "A")
    }

    static let otherSchemas: [[(String, String)]] = [
        [player], [player, ("renamed", index.1)], [player, ("index", "SELECT 1")],
        [("player", "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)"), index],
        [("player", "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT DEFAULT 'a')"), index],
        [player, ("index", "CREATE UNIQUE INDEX player_on_name ON player(name)")],
        [player, ("index", "\(index.1); CREATE VIEW v AS SELECT 1")],
    ]

    @Test(arguments: otherSchemas.indices) func theDatabaseIsErased(index: Int) throws {
        let queue = try migratedQueue()
        let migrator = migrator(Self.otherSchemas[index])
        #expect(try queue.read(migrator.hasSchemaChanges) == true)
        try migrator.migrate(queue)
        #expect(try queue.int("SELECT COUNT(*) FROM player") == 0)
        #expect(try queue.read(migrator.hasSchemaChanges) == false)
        #expect(try queue.read(migrator.hasCompletedMigrations) == true)
    }

    /// If no migration has run, none has changed.
    @Test func aDatabaseWithoutMigrationsIsKept() throws {
        let queue = try DatabaseQueue()
        try queue.write {
            try $0.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY); INSERT INTO player VALUES (1)")
        }
        let migrator = migrator([("team", "CREATE TABLE team (id INTEGER PRIMARY KEY)")])
        #expect(try queue.read(migrator.hasSchemaChanges) == false)
        #expect(try queue.read(migrator.schemaDifferences).map(\.description) == ["table player is not expected"])
        try DatabaseMigrator().migrate(queue)
        try migrator.migrate(queue)
        #expect(try queue.int("SELECT COUNT(*) FROM player") == 1)
    }

    /// Quotes around the parts of a name don't matter.
    @Test func qualifiedNames() throws {
        let table = "CREATE TABLE t (a, b DEFAULT 1.5)"
        let queue = try DatabaseQueue()
        try migrator([("1", "\(table); CREATE VIEW v AS SELECT t.a FROM t")]).migrate(queue)
        try queue.write { try $0.execute(sql: "INSERT INTO t (a) VALUES (1)") }
        try migrator([("1", "\(table); CREATE VIEW v AS SELECT \"t\".[a] FROM \"t\"")]).migrate(queue)
        #expect(try queue.int("SELECT COUNT(*) FROM t") == 1)
        try migrator([("1", "CREATE TABLE t (a, b DEFAULT 1.25); CREATE VIEW v AS SELECT t.a FROM t")]).migrate(queue)
        #expect(try queue.int("SELECT COUNT(*) FROM t") == 0)
    }

    /// A database is copied before it is erased.
    @Test(arguments: ConnectionKind.allCases) func backupsOfErasedDatabases(kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        try migrator([player]).migrate(writer)
        try writer.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'A')") }
        var other = migrator([("other", "CREATE TABLE other (x)")])
        other.backupPath = folder.path("backup.sqlite")
        try other.migrate(writer)
        #expect(try writer.read { try $0.tableExists("player") } == false)
        let backup = try DatabaseQueue(path: folder.path("backup.sqlite"))
        #expect(try backup.string("SELECT name FROM player") == "A")
        try backup.close()
    }

    @Test func withoutTheOptionNothingIsErased() throws {
        let queue = try migratedQueue()
        try migrator([player, ("renamed", "SELECT 1")], erases: false).migrate(queue)
        #expect(try queue.string("SELECT name FROM player") == "A")
    }

    /// Objects added by SQLite and its modules don't count as changes to migrations.
    @Test func tablesOfSQLite() throws {
        let queue = try DatabaseQueue()
        let migrations = [
            player,
            ("text", "CREATE VIRTUAL TABLE t USING fts5(a); CREATE TABLE s (id INTEGER PRIMARY KEY AUTOINCREMENT)"),
        ]
        try migrator(migrations).migrate(queue)
        try queue.inDatabase { db in
            try db.execute(
                sql:
                    "INSERT INTO player VALUES (1, 'A'); INSERT INTO t VALUES ('x'); INSERT INTO s DEFAULT VALUES; ANALYZE"
            )
        }
        #expect(try queue.read(migrator(migrations).hasSchemaChanges) == false)
        try migrator(migrations).migrate(queue)
        #expect(try queue.string("SELECT name FROM player") == "A")
    }

    /// The database used for comparing schemas has the configuration's functions and collations.
    @Test func configurations() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(
                function: DatabaseFunction("double", argumentCount: 1, pure: true) { Int.fromDatabaseValue($0[0])! * 2 }
            )
        }
        let queue = try DatabaseQueue(configuration: configuration)
        let migrations = [("1", "CREATE TABLE t (a, b AS (double(a)) STORED); INSERT INTO t VALUES (2)")]
        try migrator(migrations).migrate(queue)
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (5)") }
        try migrator(migrations).migrate(queue)
        #expect(try queue.int("SELECT SUM(b) FROM t") == 14)
    }

    @Test(arguments: ConnectionKind.allCases) func erasingWorksEverywhere(kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        try migrator([player]).migrate(writer)
        try writer.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'A')") }
        try migrator([index].map { ($0.0, "CREATE TABLE other (x)") }).migrate(writer)
        try writer.read { db throws in #expect(try db.tables().map(\.name).sorted() == ["grdb_migrations", "other"]) }
        withExtendedLifetime(folder) {}
    }

    @Test func differences() throws {
        let queue = try DatabaseQueue()
        let migrator = migrator(
            [
                (
                    "1",
                    """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER NOT NULL DEFAULT 0, gone);
                    CREATE TABLE team (id INTEGER PRIMARY KEY, CHECK (id > 0));
                    CREATE INDEX byName ON player(name); CREATE VIEW v AS SELECT name FROM player;
                    """
                )
            ], erases: false)
        try migrator.migrate(queue)
        #expect(try queue.read(migrator.schemaDifferences) == [])
        try queue.inDatabase { db in
            try db.execute(
                sql: """
                    DROP TABLE player; DROP VIEW v; DROP TABLE team;
                    CREATE TABLE player (id TEXT PRIMARY KEY, name TEXT, score INTEGER, other);
                    CREATE TABLE team (id INTEGER PRIMARY KEY, CHECK (id > 1));
                    CREATE TRIGGER g AFTER INSERT ON player BEGIN SELECT 1; END;
                    CREATE VIEW v AS SELECT id FROM player;
                    """)
        }
        let differences = try queue.read(migrator.schemaDifferences)
        #expect(
            differences.map(\.description) == [
                """
                table player: the column id has the type TEXT instead of the type INTEGER, \
                the column score has no NOT NULL instead of NOT NULL, \
                the column score has no default instead of the default 0, the column gone is missing, \
                the column other is not expected
                """,
                """
                table team is defined as: CREATE TABLE team (id INTEGER PRIMARY KEY, CHECK (id > 1)) - \
                instead of: CREATE TABLE team (id INTEGER PRIMARY KEY, CHECK (id > 0))
                """,
                "index byName is missing",
                "view v is defined as: CREATE VIEW v AS SELECT id FROM player - instead of: CREATE VIEW v AS SELECT name FROM player",
                "trigger g is not expected",
            ])
        #expect(differences.map(\.object.name) == ["player", "team", "byName", "v", "g"])
    }
}
