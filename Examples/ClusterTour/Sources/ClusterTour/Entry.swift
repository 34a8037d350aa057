// The tour writes numbered entries, so that lost and duplicate ones are detected.

import RowanRecords

@Record("entry") struct Entry {
    var id: Int64?
    var number: Int
}

var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("create entry") { db in
        // There is no unique index, so that a duplicate entry is detected.
        try db.create(table: "entry") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("number", .integer).notNull()
        }
    }
    return migrator
}
