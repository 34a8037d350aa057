// What the tour writes: numbered entries, in which one that is lost or doubled would be seen.

import RowanRecords

@Record("entry") struct Entry {
    var id: Int64?
    var number: Int
}

var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("create entry") { db in
        // Without a unique index: an entry that is written twice must be seen.
        try db.create(table: "entry") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("number", .integer).notNull()
        }
    }
    return migrator
}
