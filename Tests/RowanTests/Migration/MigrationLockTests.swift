// Connections that migrate the same file at the same time.

import Rowan
import Testing

struct MigrationLockTests {
    @Test func aLockIsAwaited() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        // Its commit may coincide with a read by the migration, which queries the schema.
        var patient = Configuration()
        patient.busyMode = .timeout(60)
        let other = try DatabaseQueue(path: path, configuration: patient)
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
        // The busy mode of the configuration is restored.
        expectError(.SQLITE_BUSY) { try queue.write { try $0.execute(sql: "CREATE TABLE x (x)") } }
        let migration = Task { try await libraryMigrator().asyncMigrate(queue) }
        release.open()
        try await holder.value
        try await migration.value
        #expect(try await queue.read { try $0.tableExists("author") })
    }

    /// Connections that migrate the same file simultaneously run each migration once.
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
