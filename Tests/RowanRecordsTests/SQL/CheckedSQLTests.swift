// #sql in a program: the values of its expressions, and the schema file.

import Foundation
import RowanRecords
import Testing

private let migrator: DatabaseMigrator = {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("places") { db in
        try db.create(table: "place") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("title", .text).notNull()
            t.column("remark", .text)  // The end of a definition may be a comment.
            t.column("created", .integer)
        }
        try db.create(indexOn: "place", columns: ["title"])
        try db.execute(sql: "CREATE VIEW titled AS SELECT id, title FROM place -- a comment")
        try db.create(virtualTable: "note", using: FTS5()) { t in t.column("text") }
    }
    migrator.registerMigration("towns") { db in
        try db.create(table: "town") { t in t.column("name", .text) }
        try db.execute(sql: "CREATE TRIGGER named AFTER INSERT ON town BEGIN DELETE FROM note; END")
        try db.execute(sql: "CREATE INDEX town_far ON town(distance(name))")
    }
    return migrator
}()

private let configuration: Configuration = {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
        db.add(function: DatabaseFunction("distance", argumentCount: 1, pure: true) { values in values[0] })
    }
    return configuration
}()

@Record("place") private struct Spot: Equatable {
    var id: Int64?
    var title: String
    @Column("remark") var note: String?
    @Column(as: .unixTime) var created: Date?

    /// `Self` is the type that contains the expression.
    static func titled(_ title: String) -> SQLRequest<Spot> {
        #sql("SELECT * FROM \(Self.self) WHERE \(Columns.title) = \(title)")
    }
}

@Suite("Checked SQL")
struct CheckedSQLTests {
    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("schema.sql")

    private func database() throws -> DatabaseQueue {
        let queue = try DatabaseQueue(configuration: configuration)
        try migrator.migrate(queue)
        return queue
    }

    @Test("The schema file of these tests matches the migrations")
    func schemaFile() throws {
        try migrator.verifySchema(in: Self.file, configuration: configuration)
    }

    @Test("SQL and arguments")
    func statements() throws {
        let (title, ids, nothing) = ("a", [1, 2, 3], nil as Int?)
        try database().write { db in
            func build(_ sql: SQL) throws -> (String, StatementArguments) { try sql.build(db) }
            var found = try build(
                #sql("SELECT id FROM place WHERE title = \(title) OR id IN \(ids) OR id = \(nothing)"))
            #expect(found.0 == "SELECT id FROM place WHERE title = ? OR id IN (?,?,?) OR id = NULL")
            #expect(found.1 == ["a", 1, 2, 3])
            found = try build(
                #sql(
                    """
                    UPDATE \(Spot.self)
                    SET \(Spot.Columns.title) = upper(\(Column("title"))), remark = \(Data([1]))
                    """))
            #expect(found.0 == "UPDATE \"place\"\nSET \"title\" = upper(\"title\"), remark = ?")
            #expect(found.1 == [Data([1])])
            found = try build(#sql("SELECT id FROM place WHERE id IN \([] as Set<Int>)"))
            #expect(found.0 == "SELECT id FROM place WHERE id IN (SELECT NULL WHERE NULL)")
        }
    }

    @Test("Requests and statements that write")
    func execution() throws {
        try database().write { db in
            for title in ["a", "b"] {
                try db.execute(literal: #sql("INSERT INTO place (title, created) VALUES (\(title), 60)"))
            }
            let ids: SQLRequest<Int64> = #sql("SELECT id FROM place WHERE distance(title) <> \("b")")
            #expect(try ids.fetchAll(db) == [1])
            let spot = Spot(id: 2, title: "b", note: nil, created: Date(timeIntervalSince1970: 60))
            #expect(try Spot.titled("b").fetchOne(db) == spot)
            try db.execute(literal: #sql("DELETE FROM place WHERE id IN \([2, 3]); DELETE FROM note"))
            #expect(try Spot.fetchCount(db) == 1)
        }
    }

    @Test("A request for values of a method's generic type, and a literal")
    func requestsInPlace() throws {
        try database().write { db in
            try db.execute(literal: #sql("INSERT INTO place (title) VALUES (\("a")), (\("b"))"))
            let ids = try Int64.fetchAll(db, SQLRequest(literal: #sql("SELECT id FROM place")))
            let spots: SQLRequest<Spot> = #sql("SELECT * FROM \(Spot.self)")
            #expect(try ids == [1, 2] && spots.fetchAll(db).map(\.title) == ["a", "b"])
            let untyped = #sql("SELECT id FROM place")
            #expect(try untyped.build(db).sql == "SELECT id FROM place")
        }
    }

    /// A type with the name of the declared record, but stored in another table.
    private enum Other {
        struct Spot: TableRecord { static let databaseTableName = "town" }
    }

    @Test("A type stored in another table than the checked one")
    func otherTable() throws {
        try database().read { db in
            let request: SQLRequest<Row> = #sql("SELECT title FROM \(Other.Spot.self)")
            let error = #expect(throws: DatabaseError.self) { try request.fetchAll(db) }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            #expect(
                error?.message
                    == "#sql has checked this SQL with the table place, but Spot is stored in the table town: "
                    + "declare it in schema.sql with '-- rowan: record Spot town'")
        }
    }

    /// A column whose name differs from its property.
    private struct Renamed {
        enum Columns { static let title = Column("remark") }
    }

    @Test("A column with another name than the checked one")
    func otherColumn() throws {
        try database().read { db in
            let request: SQLRequest<Row> = #sql("SELECT \(Renamed.Columns.title) FROM place")
            let error = #expect(throws: DatabaseError.self) { try request.fetchAll(db) }
            #expect(
                error?.message
                    == "#sql has checked this SQL with the column title, but the column is remark: write its name as text"
            )
        }
    }

    // MARK: The file

    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Rowan-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // The system deletes leftover temporary files.
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appendingPathComponent("schema.sql"))
    }

    @Test("The text of the file, whose declarations are preserved")
    func writtenFile() throws {
        try inFolder { url in
            try migrator.writeSchema(to: url, configuration: configuration)
            let text = """
                -- The schema that the migrations create. DatabaseMigrator.writeSchema(to:) writes it, #sql reads it.

                CREATE TABLE "place" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "title" TEXT NOT NULL, "remark" TEXT, \
                "created" INTEGER);

                CREATE VIRTUAL TABLE "note" USING fts5(text);

                CREATE TABLE "town" ("name" TEXT);

                CREATE INDEX "index_place_on_title" ON "place"("title");

                CREATE INDEX town_far ON town(distance(name));

                CREATE VIEW titled AS SELECT id, title FROM place -- a comment
                ;

                CREATE TRIGGER named AFTER INSERT ON town BEGIN DELETE FROM note; END;

                """
            #expect(try String(contentsOf: url, encoding: .utf8) == text)
            try migrator.verifySchema(in: url, configuration: configuration)
            // The schema file of these tests declares the function.
            let declarations = "-- rowan: function distance/1\n-- rowan: record Spot place"
            let declared = text.replacingOccurrences(of: "reads it.\n", with: "reads it.\n\(declarations)\n")
            #expect(try String(contentsOf: Self.file, encoding: .utf8) == declared)
            try Data("-- old\n\(declarations)\nCREATE TABLE old (a);".utf8).write(to: url)
            try migrator.writeSchema(to: url, configuration: configuration)
            #expect(try String(contentsOf: url, encoding: .utf8) == declared)
            let written = try FileManager.default.attributesOfItem(atPath: url.path)[.systemFileNumber] as? Int
            try migrator.writeSchema(to: url, configuration: configuration)
            // The contents are unchanged, so the file is not replaced.
            #expect(try FileManager.default.attributesOfItem(atPath: url.path)[.systemFileNumber] as? Int == written)
        }
    }

    @Test("Definitions that end in a comment, and declarations in other places")
    func unusualFiles() throws {
        try inFolder { url in
            var migrator = DatabaseMigrator()
            migrator.registerMigration("1") { db in
                try db.execute(sql: "CREATE TABLE a (b) -- c")
                try db.execute(sql: "CREATE VIEW v AS SELECT b FROM a /* open")
                try db.execute(sql: "CREATE VIEW w AS SELECT 1 -- /*")
                try db.execute(
                    sql: """
                        CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1;
                        -- rowan: function inside
                        END
                        """)
            }
            let declaration = "-- rowan: function outside"
            try Data("CREATE TABLE old (a);\n\(declaration)\n".utf8).write(to: url)
            for _ in 1...3 {
                try migrator.writeSchema(to: url)
                let text = try String(contentsOf: url, encoding: .utf8)
                #expect(text.contains("SELECT b FROM a /* open */;\n\nCREATE VIEW w AS SELECT 1 -- /*\n;\n"))
                #expect(text.components(separatedBy: declaration).count == 2)
                #expect(text.components(separatedBy: "-- rowan: function inside").count == 2)
                try migrator.verifySchema(in: url)
            }
        }
    }

    @Test("A file that differs from the migrations")
    func differentFile() throws {
        try inFolder { url in
            var migrator = DatabaseMigrator()
            migrator.registerMigration("1", sql: "CREATE TABLE place (id INTEGER PRIMARY KEY, title TEXT)")
            try Data("create table place (id integer primary key); CREATE TABLE other (a)".utf8).write(to: url)
            let error = #expect(throws: SchemaFileError.self) { try migrator.verifySchema(in: url) }
            #expect(
                error?.description
                    == "\(url.path) is not the schema of the migrations: write it again with writeSchema(to:).\n"
                    + "table place: the column title is missing\ntable other is not expected")
            #expect(error?.differences.count == 2)
            try Data("create table place (id integer primary key, TITLE text)".utf8).write(to: url)
            try migrator.verifySchema(in: url)
            try Data("CREATE TABLE place (".utf8).write(to: url)
            #expect(throws: DatabaseError.self) { try migrator.verifySchema(in: url) }
            try Data([0xFF]).write(to: url)
            #expect(throws: CocoaError.self) { try migrator.verifySchema(in: url) }
            #expect(throws: CocoaError.self) { try migrator.writeSchema(to: url) }
            #expect(try Data(contentsOf: url) == Data([0xFF]))
        }
    }
}
