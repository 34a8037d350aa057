// Migrations in SQL, previews, backups, progress, locks.

import Foundation
import Rowan
import Testing

struct MigrationExtrasTests {
    // MARK: SQL

    @Test func migrationsInSQL() throws {
        let queue = try DatabaseQueue()
        func migrator(_ sql: String) -> DatabaseMigrator {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("swift") { try $0.execute(sql: "CREATE TABLE a (x)") }
            migrator.registerMigration("sql", sql: sql)
            return migrator
        }
        let sql = """
            CREATE TABLE b (x); -- a comment; with a semicolon
            INSERT INTO b VALUES ('é;');
            CREATE TRIGGER t AFTER INSERT ON b BEGIN DELETE FROM b WHERE x = 'no'; END;
            """
        try migrator(sql).migrate(queue)
        #expect(try queue.string("SELECT x FROM b") == "é;")
        try migrator(sql.replacingOccurrences(of: "\n", with: "\r\n")).migrate(queue)
        let edited = migrator(sql + " CREATE TABLE c (x)")
        expectThrown(MigrationError.edited(["sql"])) { try edited.migrate(queue) }
        #expect(
            MigrationError.edited(["sql"]).description
                == "the SQL of migrations that have run was edited: sql. Restore it, and make the change in a new migration"
        )
        #expect(try queue.read(edited.appliedMigrations) == ["swift", "sql"])
        #expect(try queue.read(migrator(sql).hasSchemaChanges) == false)
    }

    /// An edit is noticed before any other migration runs.
    @Test func editsAreNoticedFirst() throws {
        let queue = try DatabaseQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1", sql: "CREATE TABLE a (x)")
        try migrator.migrate(queue)
        var edited = DatabaseMigrator()
        edited.registerMigration("0") { try $0.execute(sql: "CREATE TABLE early (x)") }
        edited.registerMigration("1", sql: "CREATE TABLE a (x, y)")
        expectThrown(MigrationError.edited(["1"])) { [edited] in try edited.migrate(queue) }
        #expect(try queue.read { try $0.tableExists("early") } == false)
    }

    @Test(arguments: ["COMMIT", "BEGIN", "ROLLBACK", "END TRANSACTION"])
    func transactionsInSQL(statement: String) throws {
        let queue = try DatabaseQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1", sql: "CREATE TABLE a (x); \(statement); CREATE TABLE b (x)")
        let error = expectError(.SQLITE_MISUSE) { [migrator] in try migrator.migrate(queue) }
        #expect(
            error?.message
                == "the migration \"1\" begins or ends a transaction: remove this statement, because each migration already runs in a transaction"
        )
        #expect(error?.sql == statement)
        try queue.read { db throws in #expect(try db.schemaObjects().isEmpty) }
    }

    @Test func foldersOfFiles() throws {
        let folder = try TemporaryFolder()
        func write(_ name: String, _ text: String) throws {
            try Data(text.utf8).write(to: folder.url.appendingPathComponent(name))
        }
        try write("10-last.sql", "CREATE TABLE c (x)")
        try write("2-second.sql", "INSERT INTO a VALUES (1); ALTER TABLE a RENAME TO b;")
        try write("1-first.sql", "CREATE TABLE a (x)")
        try write("readme.txt", "nonsense")
        var migrator = DatabaseMigrator()
        try migrator.registerMigrations(in: folder.url)
        #expect(migrator.migrations == ["1-first", "2-second", "10-last"])
        let queue = try DatabaseQueue()
        try migrator.migrate(queue)
        #expect(try queue.int("SELECT x FROM b") == 1)
        var other = DatabaseMigrator()
        expectFailure { try other.registerMigrations(in: folder.url.appendingPathComponent("no")) }
        try Data([0xFF, 0xFE, 0xC3]).write(to: folder.url.appendingPathComponent("3-bad.sql"))
        expectFailure { try other.registerMigrations(in: folder.url) }
        #expect(other.migrations == [])
    }

    // MARK: Previews

    @Test(arguments: ConnectionKind.allCases) func previews(kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        var migrator = libraryMigrator()
        try migrator.migrate(writer, upTo: "authors")
        try writer.write { try $0.execute(sql: "INSERT INTO author (name) VALUES ('O''Brien')") }
        migrator.registerMigration("drop") { db in
            try db.execute(sql: "UPDATE author SET name = ? WHERE id = ?", arguments: ["x'y", 1])
            try db.drop(table: "book")
        }
        let preview = try migrator.preview(writer)
        #expect(preview.steps.map(\.identifier) == ["books", "years", "drop"])
        #expect(
            preview.description == """
                -- books
                CREATE TABLE "book" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "authorId" INTEGER NOT NULL REFERENCES "author"("id") ON DELETE CASCADE, "title" TEXT NOT NULL);
                CREATE INDEX "book_on_authorId" ON "book"("authorId");
                -- years
                ALTER TABLE "author" ADD COLUMN "birthYear" INTEGER;
                -- drop
                UPDATE author SET name = 'x''y' WHERE id = 1;
                DROP TABLE "book";
                -- Changes of the schema:
                --   changes table author: CREATE TABLE "author" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "name" TEXT NOT NULL, "birthYear" INTEGER)
                """)
        #expect(
            try migrator.preview(writer, upTo: "books").differences.map(\.description) == [
                "table book is not expected", "index book_on_authorId is not expected",
            ])
        #expect(try writer.read(migrator.appliedMigrations) == ["authors"])
        #expect(try writer.string("SELECT name FROM author") == "O'Brien")
        expectThrown(MigrationError.unknownTarget("x")) { _ = try migrator.preview(writer, upTo: "x") }
        withExtendedLifetime(folder) {}
    }

    // MARK: Backups

    @Test(arguments: ConnectionKind.allCases) func backups(kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        let path = folder.path("backup.sqlite")
        var migrator = libraryMigrator()
        migrator.backupPath = path
        try migrator.migrate(writer, upTo: "authors")
        try writer.write { try $0.execute(sql: "INSERT INTO author (name) VALUES ('A')") }
        try migrator.migrate(writer)
        func expectBackup() throws {
            let backup = try DatabaseQueue(path: path)
            #expect(try backup.read(migrator.appliedMigrations) == ["authors"])
            #expect(try backup.string("SELECT name FROM author") == "A")
            #expect(try backup.read { try $0.integrityCheck() } == [])
            try backup.close()
        }
        try expectBackup()
        // Nothing runs: the copy stays.
        try migrator.migrate(writer)
        try expectBackup()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasPrefix("backup") } == [
                "backup.sqlite"
            ])
    }

    /// The journal of a previous copy is not read into the new one.
    @Test func staleJournals() throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.path("db.sqlite"))
        var migrator = libraryMigrator()
        migrator.backupPath = folder.path("backup.sqlite")
        try migrator.migrate(pool, upTo: "authors")
        // A program that has opened the copy dies.
        for suffix in ["-wal", "-shm", "-journal"] {
            try Data("stale".utf8).write(to: folder.url.appendingPathComponent("backup.sqlite\(suffix)"))
        }
        try pool.write { try $0.execute(sql: "INSERT INTO author (name) VALUES ('A')") }
        try migrator.migrate(pool)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasPrefix("backup") }
                == ["backup.sqlite"])
        #expect(try DatabaseQueue(path: folder.path("backup.sqlite")).string("SELECT name FROM author") == "A")
    }

    @Test func theDatabaseIsNoBackup() throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.path("db.sqlite"))
        var migrator = libraryMigrator()
        migrator.backupPath = folder.path("./db.sqlite")
        let error = expectError(.SQLITE_MISUSE) { [migrator] in try migrator.migrate(queue) }
        #expect(error?.message?.hasPrefix("the backup before migrations would replace the database itself") == true)
        try queue.read { db throws in #expect(try db.schemaObjects().isEmpty) }
    }

    /// A statement that begins with a comment is none of a trigger.
    @Test func previewsOfCommentedSQL() throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1", sql: "-- first\nCREATE TABLE a (x);-- second\nCREATE TABLE b (x)")
        let statements = try migrator.preview(DatabaseQueue()).steps.first?.statements
        #expect(statements?.count == 2)
        #expect(statements?.first == "-- first\nCREATE TABLE a (x)")
    }

    /// A migration does not run without its backup.
    @Test func failedBackups() throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue()
        var migrator = libraryMigrator()
        migrator.backupPath = folder.path("no/such/folder.sqlite")
        expectError(.SQLITE_CANTOPEN) { [migrator] in try migrator.migrate(queue) }
        try queue.read { db throws in #expect(try db.schemaObjects().isEmpty) }
        try FileManager.default.createDirectory(atPath: folder.path("folder"), withIntermediateDirectories: true)
        try Data().write(to: folder.url.appendingPathComponent("folder/file"))
        migrator.backupPath = folder.path("folder")
        expectError(.SQLITE_CANTOPEN) { [migrator] in try migrator.migrate(queue) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["folder"])
        migrator.backupPath = nil
        try migrator.migrate(queue)
    }

    // MARK: Progress

    @Test func progress() throws {
        let log = Log<String>()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("done") { _ in }
        let queue = try DatabaseQueue()
        try migrator.migrate(queue)
        migrator.registerMigration("short") { _ in }
        migrator.registerMigration("long") { db in
            for count in 1...4 { db.reportMigrationProgress(count, of: 4) }
        }
        migrator.registerMigration("fails") { db in
            db.reportMigrationProgress(5, of: 0)
            throw MigrationFailure()
        }
        migrator.onProgress = { progress in
            log.append(
                "\(progress.index + 1)/\(progress.count) \(progress.identifier) \(progress.fractionCompleted)\(progress.isCommitted ? " committed" : "")"
            )
        }
        expectThrown(MigrationFailure()) { [migrator] in try migrator.migrate(queue) }
        #expect(
            log.elements == [
                "1/3 short 0.0", "1/3 short 1.0 committed", "2/3 long 0.0", "2/3 long 0.25", "2/3 long 0.5",
                "2/3 long 0.75", "2/3 long 1.0", "2/3 long 1.0 committed", "3/3 fails 0.0", "3/3 fails 1.0",
            ])
        queue.inDatabase { $0.reportMigrationProgress(1, of: 2) }
        #expect(log.elements.count == 10)
    }

    // MARK: Locks

    @Test func aLockIsAwaited() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        let other = try DatabaseQueue(path: path)
        let queue = try DatabaseQueue(path: path)
        let isLocked = Gate()
        let release = Gate()
        let holder = Task {
            try await onThread {
                try other.write { db in
                    try db.execute(sql: "CREATE TABLE other (x)")
                    isLocked.open()
                    release.wait()
                }
            }
        }
        await isLocked.opened()
        var impatient = libraryMigrator()
        impatient.lockTimeout = 0.02
        expectError(.SQLITE_BUSY) { [impatient] in try impatient.migrate(queue) }
        // The busy mode of the configuration is back.
        expectError(.SQLITE_BUSY) { try queue.write { try $0.execute(sql: "CREATE TABLE x (x)") } }
        let migration = Task { try await libraryMigrator().asyncMigrate(queue) }
        release.open()
        try await holder.value
        try await migration.value
        #expect(try await queue.read { try $0.tableExists("author") })
    }

    /// Connections that migrate the same file at once run each migration once.
    @Test func eightConnectionsAtOnce() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        let log = Log<String>()
        var migrator = DatabaseMigrator()
        for number in 1...10 {
            migrator.registerMigration("\(number)") { db in
                log.append("\(number)")
                try db.execute(sql: "CREATE TABLE t\(number) (x)")
            }
        }
        let start = Gate()
        async let all: Void = onThreads(8) { [migrator] index in
            let writer: any DatabaseWriter = try DatabaseQueue(path: path)
            start.wait()
            try migrator.migrate(writer)
        }
        start.open()
        try await all
        #expect(log.elements == (1...10).map { "\($0)" })
    }
}

private func expectFailure(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) {
    var isThrown = false
    do { try body() } catch { isThrown = true }
    #expect(isThrown, sourceLocation: sourceLocation)
}
