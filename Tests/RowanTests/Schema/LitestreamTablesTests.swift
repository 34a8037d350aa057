// The tables that Litestream creates in a replicated database are not part of the program's schema and rows.

@testable import Rowan
import Foundation
import Testing

struct LitestreamTablesTests {
    private static let tables = """
        CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);
        CREATE TABLE _litestream_lock (id INTEGER);
        INSERT INTO _litestream_seq VALUES (1, 42);
        """

    private var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("player") { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
        }
        return migrator
    }

    /// A migrated database that Litestream has replicated.
    private func replicated() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try migrator.migrate(queue)
        try queue.write { db in
            try db.execute(sql: Self.tables)
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Arthur')")
        }
        return queue
    }

    @Test func names() {
        #expect(HiddenTables.standard.contains("_litestream_seq"))
        #expect(HiddenTables.standard.contains("_LITESTREAM_lock"))
        #expect(!HiddenTables.standard.contains("litestream"))
        #expect(!HiddenTables.standard.contains("player"))
    }

    @Test func driftReports() throws {
        let queue = try replicated()
        #expect(try queue.read(migrator.schemaDifferences) == [])
        #expect(try !queue.read(migrator.hasSchemaChanges))
        // Other objects are still reported.
        try queue.write { try $0.execute(sql: "CREATE TABLE stray (a)") }
        #expect(try queue.read(migrator.schemaDifferences).map(\.description) == ["table stray is not expected"])
    }

    @Test func schemaSnapshots() throws {
        let queue = try replicated()
        let snapshot = try queue.read { try SchemaSnapshot($0) }
        let definitions = try snapshot.definitions.map(\.sql)
        #expect(!definitions.contains { $0.contains("_litestream") })
        #expect(definitions.contains { $0.contains("player") })
        let preview = try migrator.preview(queue)
        #expect(preview.differences == [])
    }

    /// The file contains the schema of the migrations, even if Litestream's tables exist.
    @Test func verifiedSchemaFile() throws {
        let folder = try TemporaryFolder()
        let file = URL(fileURLWithPath: folder.path("schema.sql"))
        var replicated = migrator
        replicated.registerMigration("litestream") { try $0.execute(sql: Self.tables) }
        try replicated.writeSchema(to: file)
        #expect(!(try String(contentsOf: file, encoding: .utf8)).contains("_litestream"))
        try replicated.verifySchema(in: file)
        try migrator.verifySchema(in: file)
    }

    @Test func recordChecks() throws {
        struct Player: Codable, Identifiable, FetchableRecord, PersistableRecord {
            var id: Int64
            var name: String
        }
        #expect(try replicated().read { try $0.checkSchema(of: Player.self) }.isEmpty)
    }

    @Test func dumps() throws {
        let queue = try replicated()
        let content = try dumped { try queue.dumpContent(to: $0) }
        #expect(content.contains("Arthur"))
        #expect(!content.contains("_litestream"))
        let schema = try dumped { try queue.dumpSchema(to: $0) }
        #expect(schema.contains("player"))
        #expect(!schema.contains("_litestream"))
        // A table named by the program is included.
        let table = try dumped { try queue.dumpTables(["_litestream_seq"], to: $0) }
        #expect(table.contains("42"))
    }

    @Test func scripts() throws {
        let script = try dumped { try replicated().dumpScript(to: $0) }
        #expect(script.contains("Arthur"))
        #expect(script.contains("grdb_migrations"))
        #expect(!script.contains("_litestream"))
    }

    @Test func regions() throws {
        let own = DatabaseRegion(.init(schema: "main", name: "player"))
        let litestreams = DatabaseRegion(.init(schema: "main", name: "_litestream_seq"))
        let all = DatabaseRegion.fullDatabase
        #expect(all.intersects(own) && own.intersects(all))
        #expect(all.intersects(own.union(litestreams)))
        #expect(!all.intersects(litestreams) && !litestreams.intersects(all))
        #expect(all.intersects(all))
        #expect(!all.isModified(byEventsOfKind: .insert(tableName: "_litestream_seq")))
        #expect(all.isModified(byEventsOfKind: .insert(tableName: "player")))
        // A table named by the program is included.
        #expect(litestreams.intersects(litestreams))
        #expect(litestreams.isModified(byEventsOfKind: .insert(tableName: "_litestream_seq")))
    }

    @Test func observations() throws {
        let queue = try replicated()
        let changes = Log<Int>()
        let observation = DatabaseRegionObservation(tracking: .fullDatabase)
        let cancellable = observation.start(
            in: queue, onError: { Issue.record("\($0)") }, onChange: { _ in changes.append(1) })
        defer { cancellable.cancel() }
        try queue.write { db in
            try db.execute(sql: "UPDATE _litestream_seq SET seq = seq + 1")
            try db.execute(sql: "INSERT INTO _litestream_lock VALUES (1)")
            try db.execute(sql: "DELETE FROM _litestream_lock")
        }
        #expect(changes.elements.isEmpty)
        try queue.write { db in
            try db.execute(sql: "UPDATE _litestream_seq SET seq = seq + 1")
            try db.execute(sql: "UPDATE player SET name = 'Barbara'")
        }
        #expect(changes.elements.count == 1)
    }
}
