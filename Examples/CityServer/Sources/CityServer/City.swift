import RowanRecords

@Record("city") struct City: Codable, Equatable {
    var id: Int64?
    var name: String
    var population: Int
}

let migrator = {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("cities") { db in
        try db.create(table: "city", options: .strict) { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("name", .text).notNull().unique()
            t.column("population", .integer).notNull().check { $0 >= 0 }
        }
    }
    return migrator
}()
