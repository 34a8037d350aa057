import Harness
import Rowan

/// Migrates an empty file through all its versions.
extension Assignment {
    func migrate() throws -> any Run {
        let queue = try makeWriteAheadQueue(path: path)
        var migrator = DatabaseMigrator()
        for number in 0..<count {
            migrator.registerMigration("migration \(number)") { db in
                try db.create(table: "table\(number)") { t in
                    t.autoIncrementedPrimaryKey("id")
                    t.column("name", .text).notNull()
                    if number > 0 { t.belongsTo("previous", inTable: "table\(number - 1)") }
                }
                try db.execute(sql: "INSERT INTO table\(number) (name) VALUES ('first')")
            }
        }
        let migrations = migrator
        return ClosureRun {
            try migrations.migrate(queue)
        } digest: { _, checksum in
            checksum.add(Int64(try queue.read { db in try migrations.appliedMigrations(db).count }))
        } close: {
            try queue.close()
        }
    }
}
