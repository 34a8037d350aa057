// The progress reports of a running migration.

import Rowan
import Testing

struct MigrationProgressTests {
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
}
