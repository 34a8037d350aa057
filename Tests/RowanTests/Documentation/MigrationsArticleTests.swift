import Rowan
import Testing

/// The lines printed by the article.
private let printed = Log<String>()

private func print(_ text: Any) { printed.append("\(text)") }

private func createAuthors(_ db: Database) throws {
    try db.execute(sql: "CREATE TABLE author (id INTEGER PRIMARY KEY)")
}
private func createBooks(_ db: Database) throws { try db.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY)") }

struct MigrationsArticleTests {
    @Test func article() throws {
        let queue = try DatabaseQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("Create authors") { db in
            try db.create(table: "author") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
            }
        }
        migrator.registerMigration("Create books") { db in
            try db.create(table: "book") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("author", onDelete: .cascade).notNull()
                t.column("title", .text).notNull()
            }
        }

        try migrator.migrate(queue)

        let isTooOld = try queue.read { db in try !migrator.hasCompletedMigrations(db) }
        let isTooNew = try queue.read { db in try migrator.hasBeenSuperseded(db) }
        let applied = try queue.read { db in try migrator.appliedMigrations(db) }
        #expect(!isTooOld && !isTooNew && applied == ["Create authors", "Create books"])

        registerChecked(&migrator)
        try check(&migrator, queue)
        try checkMerge()
        try Article("Migrations").check(ran: [])
    }

    private func registerChecked(_ migrator: inout DatabaseMigrator) {
        // Checks the tables that the migration may have changed, and those that refer to them.
        migrator.registerMigration("Trim titles", foreignKeyChecks: .changedTables) { db in
            try db.execute(sql: "UPDATE book SET title = trim(title)")
        }
        // Enforces foreign keys at each statement. Such a migration can't create tables anew.
        migrator.registerMigration("Rename books", foreignKeyChecks: .immediate) { db in
            try db.rename(table: "book", to: "publication")
        }

        // swift-format-ignore
        migrator.registerMigration("Create reviews", sql: """
            CREATE TABLE review (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
            CREATE INDEX review_on_text ON review(text);
            """)
    }

    private func check(_ migrator: inout DatabaseMigrator, _ queue: DatabaseQueue) throws {
        let preview = try migrator.preview(queue)
        print(preview)
        #expect(
            printed.elements.first?.contains("-- Rename books\nALTER TABLE \"book\" RENAME TO \"publication\";") == true
        )

        let differences = try queue.read { db in try migrator.schemaDifferences(db) }
        #expect(differences.isEmpty)

        migrator.registerMigration("Fill texts") { db in
            for number in 1...100 {
                try db.execute(sql: "INSERT INTO review (text) VALUES (?)", arguments: ["review \(number)"])
                db.reportMigrationProgress(number, of: 100)
            }
        }
        migrator.onProgress = { progress in
            print("\(progress.identifier): \(Int(progress.fractionCompleted * 100)) %")
        }
        migrator.strict = true
        #if DEBUG
        migrator.eraseDatabaseOnSchemaChange = true
        #endif
        try migrator.migrate(queue)
        #expect(try queue.int("SELECT COUNT(*) FROM review") == 100)
        #expect(printed.elements.last == "Fill texts: 100 %")
        #expect(printed.elements.contains("Fill texts: 42 %"))
    }

    private func checkMerge() throws {
        var merged = DatabaseMigrator()
        merged.registerMigration("Create the library", merging: ["Create authors", "Create books"]) { db, applied in
            if !applied.contains("Create authors") { try createAuthors(db) }
            if !applied.contains("Create books") { try createBooks(db) }
        }
        let queue = try DatabaseQueue()
        try merged.migrate(queue)
        #expect(try queue.read(merged.appliedMigrations) == ["Create the library"])
    }
}
