// Crafted files: no operation of Rowan on their schema runs the code hidden in it.

import Foundation
import Testing

@testable import Rowan

struct CraftedSchemaTests {
    private static let attack = "; DELETE FROM victim; ATTACH ':memory:' AS stranger"

    /// Each object's name, type and definition.
    private static let objects = [
        ("t", "table", "CREATE TABLE t(id INTEGER PRIMARY KEY, a)"),
        ("f", "table", "CREATE VIRTUAL TABLE f USING fts5(a)"),
        ("i", "index", "CREATE INDEX i ON t(a)"),
        ("u", "index", "CREATE UNIQUE INDEX u ON t(a)"),
        ("v", "view", "CREATE VIEW v AS SELECT a FROM t"),
        ("g", "trigger", "CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; END"),
    ]

    /// Runs the closure with a file in which one definition has another ending.
    private func withFile(_ name: String, ending: String, _ body: (Database) throws -> Void) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("crafted.sqlite")
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in
            for (_, _, sql) in Self.objects { try db.execute(sql: sql) }
            try db.execute(
                sql: """
                    CREATE TABLE victim(a); INSERT INTO victim VALUES (1), (2); INSERT INTO t VALUES (1, 'x');
                    PRAGMA writable_schema = ON;
                    """)
            try db.execute(sql: "UPDATE sqlite_master SET sql = sql || ? WHERE name = ?", arguments: [ending, name])
            #expect(db.changesCount == 1)
        }
        try queue.close()
        let crafted = try DatabaseQueue(path: path)
        try crafted.inDatabase { db throws in
            try body(db)
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM victim") == 2)
            #expect(try !String.fetchAll(db, sql: "SELECT name FROM pragma_database_list").contains("stranger"))
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master") == 12)
        }
        try crafted.close()
        withExtendedLifetime(folder) {}
    }

    private func expectRefusal(_ type: String, _ name: String, _ body: () throws -> Void) {
        do {
            try body()
            Issue.record("no error for \(type) \(name)")
        } catch {
            let error = error as? DatabaseError
            #expect(error?.resultCode == .SQLITE_CORRUPT)
            #expect(
                error?.message?.hasPrefix("the definition of \(type) \(name) in the schema ") == true, "\(error as Any)"
            )
        }
    }

    @Test(arguments: ["i", "u", "g"]) func rebuild(_ name: String) throws {
        let type = name == "g" ? "trigger" : "index"
        try withFile(name, ending: Self.attack) { db throws in
            expectRefusal(type, name) { try db.rebuild(table: "t") { $0.column("a", .text) } }
            #expect(try Row.fetchAll(db, sql: "SELECT * FROM t") == [["id": 1, "a": "x"]])
            #expect(try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == true)
        }
    }

    @Test func rebuildWithTemporaryTrigger() throws {
        try withFile("v", ending: "") { db throws in
            try db.execute(
                sql: "CREATE TEMP TRIGGER own AFTER INSERT ON t BEGIN SELECT 1; END; PRAGMA writable_schema = ON")
            try db.execute(sql: "UPDATE sqlite_temp_master SET sql = sql || ?", arguments: [Self.attack])
            expectRefusal("trigger", "own") { try db.rebuild(table: "t") { $0.column("a", .text) } }
        }
    }

    @Test(arguments: CraftedSchemaTests.objects.map { ($0.0, $0.1) }) func scripts(
        _ name: String, _ type: String
    ) throws {
        try withFile(name, ending: Self.attack) { db throws in
            expectRefusal(type, name) { _ = try dumped { try db.dumpScript(to: $0) } }
            expectRefusal(type, name) { _ = try dumped { try db.dumpSchema(to: $0) } }
            expectRefusal(type, name) { _ = try dumped { try db.dumpContent(to: $0) } }
            expectRefusal(type, name) { _ = try SchemaSnapshot(db).definitions }
        }
    }

    /// An unterminated comment would swallow the rest of a script.
    @Test(arguments: CraftedSchemaTests.objects.map(\.0)) func openComments(_ name: String) throws {
        try withFile(name, ending: " /* open ; '") { db throws in
            let script = try dumped { try db.dumpScript(to: $0) }
            let restored = try DatabaseQueue()
            try restored.write { try $0.execute(sql: script) }
            try restored.read { other throws in
                let names = "SELECT name FROM sqlite_master ORDER BY name"
                #expect(try String.fetchAll(other, sql: names) == String.fetchAll(db, sql: names))
                #expect(try Int.fetchOne(other, sql: "SELECT COUNT(*) FROM victim") == 2)
                #expect(try Row.fetchAll(other, sql: "SELECT * FROM t") == [["id": 1, "a": "x"]])
            }
            let schema = try dumped { try db.dumpSchema(to: $0) }
            try DatabaseQueue().write { db in
                try db.execute(sql: String(schema.dropFirst("sqlite_master\n".count)))
                #expect(try Set(db.tables(in: "main").map(\.name)) == ["f", "t", "victim"])
                #expect(try db.views(in: "main").map(\.name) == ["v"])
            }
        }
    }

    @Test func schemaFiles() throws {
        let folder = try TemporaryFolder()
        let url = URL(fileURLWithPath: folder.path("schema.sql"))
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(sql: "CREATE TABLE t(a); CREATE INDEX i ON t(a); PRAGMA writable_schema = ON")
            try db.execute(sql: "UPDATE sqlite_master SET sql = sql || '; DROP TABLE victim' WHERE name = 'i'")
        }
        expectRefusal("index", "i") { try migrator.writeSchema(to: url) }
        #expect(!FileManager.default.fileExists(atPath: url.path))
        withExtendedLifetime(folder) {}
    }

    /// Everything in a preview except the migrations' statements is a comment.
    @Test func previews() throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE t(a CHECK (a <> 1))") }
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(sql: "DROP TABLE t; CREATE TABLE t(a CHECK (a <> 2\n))")
        }
        let lines = try migrator.preview(queue).description.split(separator: "\n").map(String.init)
        let start = try #require(lines.firstIndex(of: "-- Changes of the schema:"))
        #expect(lines.count == start + 3)
        #expect(lines[start...].allSatisfy { $0.hasPrefix("--") }, "\(lines)")
    }

    /// SQLite removes the quotes of a type.
    @Test func referencedTypes() throws {
        let types = [
            "x); DELETE FROM victim; --", "INTEGER REFERENCES victim", "a\"b", "DOUBLE PRECISION", "VARCHAR(10)",
        ]
        for type in types {
            try DatabaseQueue().write { db throws in
                try db.execute(
                    sql: """
                        CREATE TABLE victim(a); INSERT INTO victim VALUES (1);
                        CREATE TABLE parent(id \(type.quotedDatabaseIdentifier) PRIMARY KEY)
                        """)
                try db.create(table: "child") { t in
                    t.autoIncrementedPrimaryKey("id")
                    t.belongsTo("parent")
                }
                #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM victim") == 1, "\(type)")
                let column = try #require(try db.columns(in: "child").last)
                #expect(column.type == type.uppercased())
                #expect(try db.foreignKeys(on: "child").map(\.destinationTable) == ["parent"])
            }
        }
    }

    @Test func clusters() throws {
        let objects = [
            RemoteSchema.Object(type: "table", name: "victim", table: "victim", sql: "CREATE TABLE victim(a)"),
            RemoteSchema.Object(type: "table", name: "t", table: "t", sql: "CREATE TABLE t(a)"),
            RemoteSchema.Object(
                type: "index", name: "i", table: "t", sql: "CREATE INDEX i ON t(a); ATTACH ':memory:' AS stranger"),
        ]
        try DatabaseQueue().writeWithoutTransaction { db throws in
            expectRefusal("index", "i") {
                try ShadowSchema(db.connection).replace(with: RemoteSchema(version: 7, objects: objects))
            }
            #expect(try !String.fetchAll(db, sql: "SELECT name FROM pragma_database_list").contains("stranger"))
            try ShadowSchema(db.connection).replace(with: RemoteSchema(version: 8, objects: Array(objects.dropLast())))
            #expect(try Set(db.tables(in: "main").map(\.name)) == ["victim", "t"])
        }
    }
}
