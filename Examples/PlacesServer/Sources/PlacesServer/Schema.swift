// The schema as migrations, which run when the server starts.

import RowanJobs
import RowanRecords

let migrator = {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("places") { db in
        try db.create(table: "place", options: .strict) { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("name", .text).notNull().unique()
            t.column("country", .text).notNull()
            t.column("latitude", .real).notNull()
            t.column("longitude", .real).notNull()
            t.column("population", .integer).notNull()
            t.column("version", .integer).notNull()
        }
        try db.create(virtualTable: "placeText", using: FTS5()) { t in
            t.synchronize(withTable: "place")
            t.tokenizer = .unicode61()
            t.column("name")
            t.column("country")
        }
    }
    // Reconnecting clients receive the changes that they have missed, also after a restart.
    migrator.registerMigration("changes") { db in
        try db.create(table: "change", options: .strict) { t in
            t.autoIncrementedPrimaryKey("revision")
            t.column("placeID", .integer).notNull()
        }
        for (event, row) in [("INSERT", "new"), ("UPDATE", "new"), ("DELETE", "old")] {
            try db.execute(
                sql: """
                    CREATE TRIGGER change\(event) AFTER \(event) ON place BEGIN
                        INSERT INTO change (placeID) VALUES (\(row).id);
                        DELETE FROM change WHERE revision <= last_insert_rowid() - \(EventFeed.window);
                    END
                    """)
        }
    }
    migrator.registerMigration("countries") { db in
        try Jobs.createTables(db)
        try db.create(table: "country", options: .strict) { t in
            t.primaryKey("code", .text)
            t.column("places", .integer).notNull()
            t.column("population", .integer).notNull()
        }
    }
    return migrator
}()
