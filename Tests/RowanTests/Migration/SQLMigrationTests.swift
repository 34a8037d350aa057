// Migrations in SQL: texts and files, and the detection of their edits.

import Foundation
import Rowan
import Testing

struct SQLMigrationTests {
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
        #expect(try queue.read(edited.editedMigrations) == ["sql"])
        #expect(try queue.read(migrator(sql).editedMigrations) == [])
        #expect(
            MigrationError.edited(["sql"]).description
                == "the SQL of migrations that have run was edited: sql. Restore it, and make the change in a new migration"
        )
        #expect(try queue.read(edited.appliedMigrations) == ["swift", "sql"])
        #expect(try queue.read(migrator(sql).hasSchemaChanges) == false)
    }

    /// An edit is detected before any other migration runs.
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

    @Test("Numbers in the names of files are ordered as Foundation orders them")
    func orderOfFiles() throws {
        let folder = try TemporaryFolder()
        var random = SeededGenerator(11)
        let parts = ["0", "1", "01", "2", "10", "9", "007", "12345678", "a", "B", "b", "-", "_", ".", " "]
        var names = Set<String>()
        while names.count < 300 {
            names.insert(
                (0..<Int.random(in: 1...5, using: &random)).map { _ in
                    parts.randomElement(using: &random)!
                }.joined())
        }
        for name in names { try Data().write(to: folder.url.appendingPathComponent("\(name).sql")) }
        var migrator = DatabaseMigrator()
        try migrator.registerMigrations(in: folder.url)
        let expected = names.map { "\($0).sql" }.sorted {
            let order = $0.compare($1, options: .numeric)
            return order == .orderedSame ? $0 < $1 : order == .orderedAscending
        }
        #expect(
            migrator.migrations.map { "\($0).sql" }
                == expected.filter { URL(fileURLWithPath: $0).pathExtension == "sql" })
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
        let page = try #require(URL(string: "https://example.com\(folder.url.path)"))
        expectFailure { try other.registerMigrations(in: page) }
        try Data([0xFF, 0xFE, 0xC3]).write(to: folder.url.appendingPathComponent("3-bad.sql"))
        expectFailure { try other.registerMigrations(in: folder.url) }
        #expect(other.migrations == [])
    }
}

private func expectFailure(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) {
    var isThrown = false
    do { try body() } catch { isThrown = true }
    #expect(isThrown, sourceLocation: sourceLocation)
}
