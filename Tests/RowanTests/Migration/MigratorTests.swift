import Foundation
import Rowan
import Testing

struct MigrationFailure: Error, Equatable {}

/// Three migrations of a library.
func libraryMigrator() -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("authors") { db in
        try db.create(table: "author") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("name", .text).notNull()
        }
    }
    migrator.registerMigration("books") { db in
        try db.create(table: "book") { t in
            t.autoIncrementedPrimaryKey("id")
            t.belongsTo("author", onDelete: .cascade).notNull()
            t.column("title", .text).notNull()
        }
    }
    migrator.registerMigration("years") { db in
        try db.alter(table: "author") { t in t.add(column: "birthYear", .integer) }
    }
    return migrator
}

struct MigratorTests {
    @Test(arguments: ConnectionKind.allCases) func migratesOnce(kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        let migrator = libraryMigrator()
        #expect(migrator.migrations == ["authors", "books", "years"])
        try migrator.migrate(writer, upTo: "books")
        try writer.read { db throws in
            #expect(try db.tables().map(\.name) == ["author", "grdb_migrations", "book"])
            #expect(try db.columns(in: "author").map(\.name) == ["id", "name"])
            #expect(try migrator.appliedMigrations(db) == ["authors", "books"])
            #expect(try !migrator.hasCompletedMigrations(db))
        }
        try writer.write { try $0.execute(sql: "INSERT INTO author (name) VALUES ('A')") }
        try migrator.migrate(writer)
        try migrator.migrate(writer)
        try writer.read { db throws in
            #expect(try Row.fetchAll(db, sql: "SELECT * FROM author") == [["id": 1, "name": "A", "birthYear": nil]])
            #expect(try migrator.appliedMigrations(db) == ["authors", "books", "years"])
            #expect(try migrator.appliedIdentifiers(db) == ["authors", "books", "years"])
            #expect(try migrator.completedMigrations(db) == ["authors", "books", "years"])
            #expect(try migrator.hasCompletedMigrations(db))
            #expect(try !migrator.hasBeenSuperseded(db))
        }
        withExtendedLifetime(folder) {}
    }

    /// The program has a table with the name of the migrator's table.
    @Test func anotherTableOfThisName() throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE grdb_migrations (id INTEGER PRIMARY KEY)") }
        let message =
            "the table grdb_migrations has no column identifier, so it does not list migrations: rename it before "
            + "the database is migrated"
        expectError(.SQLITE_ERROR, message) { try libraryMigrator().migrate(queue) }
        expectError(.SQLITE_ERROR, message) { try queue.read { try libraryMigrator().appliedMigrations($0) } }
        expectError(.SQLITE_ERROR, message) { try queue.read { try libraryMigrator().hasCompletedMigrations($0) } }
        #expect(try queue.read { try $0.tables().map(\.name) } == ["grdb_migrations"])
    }

    /// The table is the one that the documented API creates.
    @Test func theTableOfAppliedMigrations() throws {
        let queue = try DatabaseQueue()
        try queue.inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES ('authors');
                    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL)
                    """)
        }
        try libraryMigrator().migrate(queue)
        try queue.read { db throws in
            #expect(try db.tableExists("book"))
            #expect(
                try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations ORDER BY rowid")
                    == ["authors", "books", "years"])
        }
    }

    @Test func aMigratorWithoutMigrations() throws {
        let queue = try DatabaseQueue()
        try DatabaseMigrator().migrate(queue)
        try queue.read { db throws in
            #expect(try db.tables().isEmpty)
            #expect(try DatabaseMigrator().hasCompletedMigrations(db))
            #expect(try !DatabaseMigrator().hasBeenSuperseded(db))
        }
    }

    @Test func appliedMigrationsTakeNoLock() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        let queue = try DatabaseQueue(path: path)
        let migrator = libraryMigrator()
        try migrator.migrate(queue)
        let other = try DatabaseQueue(path: path)
        try other.inDatabase { db in
            try db.beginTransaction(.immediate)
            try migrator.migrate(queue)
            try db.rollback()
        }
    }

    @Test func states() throws {
        let queue = try DatabaseQueue()
        let migrator = libraryMigrator()
        func expectState(
            _ applied: [String], completed: [String], hasCompleted: Bool, isSuperseded: Bool,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            try queue.read { db throws in
                #expect(try migrator.appliedMigrations(db) == applied, sourceLocation: sourceLocation)
                #expect(try migrator.completedMigrations(db) == completed, sourceLocation: sourceLocation)
                #expect(try migrator.hasCompletedMigrations(db) == hasCompleted, sourceLocation: sourceLocation)
                #expect(try migrator.hasBeenSuperseded(db) == isSuperseded, sourceLocation: sourceLocation)
            }
        }
        try expectState([], completed: [], hasCompleted: false, isSuperseded: false)
        var partial = DatabaseMigrator()
        partial.registerMigration("years") { _ in }
        try partial.migrate(queue)
        try expectState(["years"], completed: [], hasCompleted: false, isSuperseded: false)
        partial.registerMigration("authors") { _ in }
        try partial.migrate(queue)
        try expectState(["authors", "years"], completed: ["authors"], hasCompleted: false, isSuperseded: false)
        partial.registerMigration("later") { _ in }
        partial.registerMigration("books") { _ in }
        try partial.migrate(queue)
        try expectState(
            ["authors", "books", "years"], completed: ["authors", "books", "years"], hasCompleted: true,
            isSuperseded: true)
    }

    @Test func targets() throws {
        let queue = try DatabaseQueue()
        let migrator = libraryMigrator()
        expectThrown(MigrationError.unknownTarget("x")) { try migrator.migrate(queue, upTo: "x") }
        try migrator.migrate(queue, upTo: "books")
        try migrator.migrate(queue, upTo: "books")
        expectThrown(MigrationError.migratedBeyond(target: "authors", applied: "books")) {
            try migrator.migrate(queue, upTo: "authors")
        }
        #expect(
            MigrationError.migratedBeyond(target: "authors", applied: "books").description
                == "the database is already migrated beyond \"authors\", up to \"books\": migrations only run forward")
        #expect(
            MigrationError.unknownTarget("x").description
                == "no migration \"x\" is registered: migrate up to one of the migrator's migrations")
    }

    /// Earlier migrations have run, the failed one leaves nothing, and later ones don't run.
    @Test(arguments: ConnectionKind.allCases) func failures(kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        func migrator(fails: Bool) -> DatabaseMigrator {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("1") { try $0.execute(sql: "CREATE TABLE a (x); INSERT INTO a VALUES (1)") }
            migrator.registerMigration("2") { db in
                try db.execute(sql: "CREATE TABLE b (x); UPDATE a SET x = 2; DROP TABLE a")
                if fails { throw MigrationFailure() }
            }
            migrator.registerMigration("3") { try $0.execute(sql: "CREATE TABLE c (x)") }
            return migrator
        }
        expectThrown(MigrationFailure()) { try migrator(fails: true).migrate(writer) }
        try writer.read { db throws in
            #expect(try db.tables().map(\.name) == ["a", "grdb_migrations"])
            #expect(try Int.fetchAll(db, sql: "SELECT x FROM a") == [1])
            #expect(try migrator(fails: true).appliedIdentifiers(db) == ["1"])
        }
        try expectForeignKeysEnforced(writer)
        try migrator(fails: false).migrate(writer)
        try writer.read { db throws in #expect(try db.tables().map(\.name).sorted() == ["b", "c", "grdb_migrations"]) }
        withExtendedLifetime(folder) {}
    }

    @Test func theFirstMigrationLeavesNothingWhenItFails() throws {
        let queue = try DatabaseQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { try $0.execute(sql: "CREATE TABLE a (x); nonsense") }
        expectError(.SQLITE_ERROR) { try migrator.migrate(queue) }
        try queue.read { db throws in #expect(try db.schemaObjects().isEmpty) }
    }

    @Test func openTransactions() throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.inDatabase { try $0.beginTransaction() }
        expectError(
            .SQLITE_MISUSE, "migrations can't run inside a transaction: end it before you migrate the database"
        ) { try libraryMigrator().migrate(queue) }
        try queue.inDatabase { try $0.rollback() }
        try libraryMigrator().migrate(queue)
    }

    /// Each migration runs in the same transaction as its record, and can't end it.
    @Test(arguments: ["COMMIT", "END", "ROLLBACK", "BEGIN", "BEGIN IMMEDIATE"])
    func migrationsThatEndTheirTransaction(_ sql: String) throws {
        let message = """
            the migration "1" begins or ends a transaction: remove this statement, because each migration already runs in a \
            transaction
            """
        func check(
            sourceLocation: SourceLocation = #_sourceLocation, _ migrate: @escaping @Sendable (Database) throws -> Void
        ) throws {
            let queue = try DatabaseQueue()
            var migrator = DatabaseMigrator()
            migrator.registerMigration("1", migrate: migrate)
            let failing = migrator
            let error = expectError(.SQLITE_MISUSE, message, sourceLocation: sourceLocation) {
                try failing.migrate(queue)
            }
            #expect(error?.sql == sql, sourceLocation: sourceLocation)
            try queue.read { db throws in
                #expect(try db.schemaObjects().isEmpty, sourceLocation: sourceLocation)
                #expect(try failing.appliedIdentifiers(db).isEmpty, sourceLocation: sourceLocation)
            }
            try expectForeignKeysEnforced(queue)
            // The connection works, and the program controls its transactions again.
            try queue.inDatabase { db in
                try db.execute(sql: "BEGIN; CREATE TABLE b (x); COMMIT; DROP TABLE b")
            }
        }
        try check { db in try db.execute(sql: "CREATE TABLE a (x); \(sql)") }
        try check { db in
            try db.execute(sql: "CREATE TABLE a (x)")
            let statement = try db.makeStatement(sql: sql)
            try statement.execute()
        }
        // Statements after a rejected one are not committed either.
        try check { db in
            do { try db.execute(sql: sql) } catch {
                try db.execute(sql: "CREATE TABLE a (x)")
                throw error
            }
        }
    }

    @Test func methodsThatEndTransactions() throws {
        for end: @Sendable (Database) throws -> Void in [{ try $0.commit() }, { try $0.rollback() }] {
            let queue = try DatabaseQueue()
            var migrator = DatabaseMigrator()
            migrator.registerMigration("1") { db in
                try db.execute(sql: "CREATE TABLE a (x)")
                try end(db)
            }
            let failing = migrator
            expectError(.SQLITE_MISUSE) { try failing.migrate(queue) }
            try queue.read { db throws in #expect(try db.schemaObjects().isEmpty) }
            try expectForeignKeysEnforced(queue)
        }
    }

    /// Savepoints within a migration are allowed.
    @Test func savepointsInMigrations() throws {
        let queue = try DatabaseQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.inSavepoint {
                try db.execute(sql: "CREATE TABLE a (x)")
                return .commit
            }
            try db.execute(sql: "SAVEPOINT s; CREATE TABLE b (x); ROLLBACK TO s; RELEASE s")
        }
        try migrator.migrate(queue)
        try queue.read { db throws in
            #expect(try db.tableExists("a"))
            #expect(try !db.tableExists("b"))
        }
    }

    @Test func manyMigrations() throws {
        var migrator = DatabaseMigrator()
        for number in 1...20_000 { migrator.registerMigration("\(number)") { _ in } }
        #expect(migrator.migrations.count == 20_000)
        #expect(migrator.migrations.last == "20000")
    }

    @Test func closedConnections() throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.path("db.sqlite"))
        try queue.close()
        expectError(.SQLITE_MISUSE) { try libraryMigrator().migrate(queue) }
    }

    @Test func readOnlyDatabases() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        let migrator = libraryMigrator()
        try migrator.migrate(DatabaseQueue(path: path), upTo: "books")
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        #expect(try queue.read(migrator.appliedMigrations) == ["authors", "books"])
        expectError(.SQLITE_READONLY) { try migrator.migrate(queue) }
        try migrator.migrate(queue, upTo: "books")
    }

    @Test(arguments: ConnectionKind.allCases) func asyncForms(kind: ConnectionKind) async throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        let migrator = libraryMigrator()
        try await migrator.asyncMigrate(writer, upTo: "books")
        #expect(try await writer.read { try migrator.appliedMigrations($0) } == ["authors", "books"])
        try await migrator.asyncMigrate(writer)
        let applied = try await withCheckedThrowingContinuation { continuation in
            migrator.asyncMigrate(writer) { result in
                continuation.resume(with: Result { try migrator.appliedMigrations(result.get()) })
            }
        }
        #expect(applied == ["authors", "books", "years"])
        var failing = migrator
        failing.registerMigration("fails") { _ in throw MigrationFailure() }
        await expectThrown(MigrationFailure()) { [failing] in
            try await withCheckedThrowingContinuation { continuation in
                failing.asyncMigrate(writer) { result in continuation.resume(with: result.map { _ in }) }
            }
        }
        await expectThrown(MigrationFailure()) { [failing] in try await failing.asyncMigrate(writer) }
        withExtendedLifetime(folder) {}
    }

    /// Cancelling rolls back the current migration, and later ones don't run.
    @Test func cancellation() async throws {
        let queue = try DatabaseQueue()
        let hasStarted = Gate()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { try $0.execute(sql: "CREATE TABLE a (x)") }
        migrator.registerMigration("2") { db in
            hasStarted.open()
            try db.execute(
                sql: """
                    CREATE TABLE b (x);
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) INSERT INTO b SELECT i FROM n
                    """)
        }
        migrator.registerMigration("3") { try $0.execute(sql: "CREATE TABLE c (x)") }
        let task = Task { [migrator] in try await migrator.asyncMigrate(queue) }
        await hasStarted.opened()
        task.cancel()
        let result = await task.result
        #expect(isCancellation(result))
        try await queue.read { db throws in #expect(try db.tables().map(\.name) == ["a", "grdb_migrations"]) }
        try expectForeignKeysEnforced(queue)
    }
}

func expectForeignKeysEnforced(_ writer: any DatabaseWriter, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let isEnforced = try writer.writeWithoutTransaction { db throws in try Bool.fetchOne(db, sql: "PRAGMA foreign_keys")
    }
    #expect(isEnforced == true, sourceLocation: sourceLocation)
}

private func isCancellation(_ result: Result<Void, any Error>) -> Bool {
    if case .failure(is CancellationError) = result { true } else { false }
}
