// Migration tests: the snapshots of released versions.

import Foundation
import Rowan
import RowanTestKit
import Synchronization
import Testing

/// The migrations of the snapshots in `Schemas`.
private let places = {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("place", sql: "CREATE TABLE place (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    migrator.registerMigration("upper") { db in try db.execute(sql: "UPDATE place SET name = upper(name)") }
    return migrator
}()

@Suite("Tests of migrations")
struct MigrationTestTests {
    /// The migrations of two versions; the second one optionally loses rows.
    private func migrator(losesRows: Bool = false) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration(
            "1", sql: "CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE old (a)")
        migrator.registerMigration("2") { db in
            try db.execute(sql: "ALTER TABLE city ADD COLUMN population INTEGER; DROP TABLE old")
            if losesRows { try db.execute(sql: "DELETE FROM city WHERE name = 'Ulm'") }
        }
        return migrator
    }

    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("RowanTest-\(UUID().uuidString)")
        // The system deletes leftover temporary files.
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    /// The texts of the issues of a closure.
    private func issues(_ body: () throws -> Void) throws -> [String] {
        let found = Mutex<[String]>([])
        try withKnownIssue {
            try body()
        } matching: { issue in
            found.withLock { $0.append(issue.comments.map(\.rawValue).joined()) }
            return true
        }
        return found.withLock { $0 }
    }

    @Test("Snapshots of versions migrate, and lost rows are found")
    func versions() throws {
        try inFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            #expect(
                try issues { try MigrationTest(migrator(), folder: folder).run() } == [
                    "there is no snapshot in \(folder.path): write one with record(version:) before a version is released"
                ])
            let released = MigrationTest(migrator(), folder: folder)
            try released.record(version: "1.0", upTo: "1") { db in
                try db.execute(sql: "INSERT INTO city (name) VALUES ('Ulm'), ('Bonn'); INSERT INTO old VALUES (1)")
            }
            try released.record(version: "2.0") { db in try db.execute(sql: "INSERT INTO city (name) VALUES ('Köln')") }
            try released.run()
            let error = #expect(throws: MigrationTest.ExistingVersionError.self) {
                try released.record(version: "1.0") { _ in }
            }
            #expect(error?.description.hasPrefix("\(folder.path)/1.0.sql exists, and ") == true)
            #expect(
                try issues { try MigrationTest(migrator(losesRows: true), folder: folder).run() } == [
                    "1.0.sql: the table city has lost 1 of 2 rows, first id 1"
                ])
        }
    }

    @Test("An edited migration is detected by the schema of versions that have run it")
    func editedMigration() throws {
        try inFolder { folder in
            try MigrationTest(migrator(), folder: folder).record(version: "1.0", upTo: "1") { _ in }
            var edited = DatabaseMigrator()
            edited.registerMigration("1", sql: "CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
            let found = try issues { try MigrationTest(edited, folder: folder).run() }
            try #require(found.count == 2)
            #expect(found[0] == "1.0.sql: a migration was edited after this version: 1")
            #expect(found[1].hasPrefix("1.0.sql: it can't be migrated: "))
            #expect(found[1].contains("edited: 1. Restore it"))
            var inSwift = DatabaseMigrator()
            inSwift.registerMigration("1") { db in
                try db.execute(sql: "CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
            }
            #expect(
                try issues { try MigrationTest(inSwift, folder: folder).run() } == [
                    "1.0.sql: a migration was edited after this version: 1",
                    "1.0.sql: table city: the column name has no NOT NULL instead of NOT NULL",
                    "1.0.sql: table old is not expected",
                ])
        }
    }

    /// A version 1 with rows, and a version 2 that a test gives.
    private func test(_ second: String, _ body: (MigrationTest) throws -> Void) throws {
        try inFolder { folder in
            var migrator = DatabaseMigrator()
            migrator.registerMigration(
                "1",
                sql: """
                    CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, size REAL); CREATE TABLE note (text TEXT);
                    CREATE TABLE pair (a, b, c, PRIMARY KEY (b, a)) WITHOUT ROWID
                    """)
            try MigrationTest(migrator, folder: folder).record(version: "1.0") { db in
                try db.execute(
                    sql: """
                        INSERT INTO city VALUES (1, 'Ulm', 1), (2, 'Bonn', 2), (3, 'Köln', 3);
                        INSERT INTO note VALUES ('a'), ('b'); INSERT INTO pair VALUES (1, 2, 3), (2, 1, 3)
                        """)
            }
            migrator.registerMigration("2", sql: second)
            try body(MigrationTest(migrator, folder: folder))
        }
    }

    @Test(
        "Lost and changed rows are found",
        arguments: [
            (
                "UPDATE city SET name = upper(name) WHERE id > 1",
                ["the table city has other values of name in 2 rows, first id 2: \"Bonn\" became \"BONN\""]
            ),
            (
                "UPDATE city SET size = CAST(size AS TEXT) WHERE id = 3; UPDATE city SET name = NULL WHERE id = 1",
                ["the table city has other values of name in 1 rows, first id 1: \"Ulm\" became NULL"]
            ),
            (
                "DELETE FROM note WHERE text = 'b'; DELETE FROM pair WHERE a = 2",
                [
                    "the table note has lost 1 of 2 rows, first rowid 2",
                    "the table pair has lost 1 of 2 rows, first b 1, a 2",
                ]
            ),
            (
                "CREATE TABLE new (key INTEGER PRIMARY KEY, text); INSERT INTO new SELECT rowid, text FROM note LIMIT 1; "
                    + "DROP TABLE note; ALTER TABLE new RENAME TO note",
                ["the table note had 2 rows, and has 1"]
            ),
            // What is new, dropped, renamed or declared differently is no loss.
            (
                "ALTER TABLE city ADD COLUMN x DEFAULT 5; INSERT INTO city (name) VALUES ('new'); "
                    + "ALTER TABLE city DROP COLUMN size; ALTER TABLE note RENAME TO remark; DROP TABLE pair", []
            ),
            // The same values with other numbers of rows in the middle.
            (
                "DELETE FROM city WHERE id = 2; INSERT INTO city VALUES (4, 'Bonn', 2)",
                [
                    "the table city has lost 1 of 3 rows, first id 2"
                ]
            ),
        ])
    func lostAndChangedRows(second: String, problems: [String]) throws {
        try test(second) { released in
            if problems.isEmpty { return try released.run() }
            #expect(try issues { try released.run() } == problems.map { "1.0.sql: \($0)" })
        }
    }

    @Test(
        "Names that are equal for Swift only, columns that are called rowid, equal keys, and as many columns as possible"
    )
    func oddTables() throws {
        try inFolder { folder in
            let columns = (0..<1_999).map { "c\($0)" }.joined(separator: ", ")
            func migrator(_ second: String) -> DatabaseMigrator {
                var migrator = DatabaseMigrator()
                migrator.registerMigration(
                    "1",
                    sql: """
                        CREATE TABLE "é" (a); CREATE TABLE "e\u{301}" (a); CREATE TABLE "Ä" (a); CREATE TABLE "ä" (a);
                        CREATE TABLE named (rowid, text); CREATE TABLE same (key TEXT PRIMARY KEY, text);
                        CREATE TABLE wide (\(columns))
                        """)
                migrator.registerMigration("2", sql: second)
                return migrator
            }
            try MigrationTest(migrator(""), folder: folder).record(version: "1", upTo: "1") { db in
                try db.execute(
                    sql: """
                        INSERT INTO "é" VALUES (1); INSERT INTO "e\u{301}" VALUES (2); INSERT INTO "Ä" VALUES (3);
                        INSERT INTO "ä" VALUES (4); INSERT INTO named VALUES (7, 'a'), (7, 'b');
                        INSERT INTO same VALUES (NULL, 'a'), (NULL, 'b'); INSERT INTO wide (c0) VALUES (1), (2)
                        """)
            }
            try MigrationTest(migrator("SELECT 1"), folder: folder).run()
            let losses =
                "DELETE FROM named WHERE text = 'b'; DELETE FROM same WHERE text = 'b'; DELETE FROM wide WHERE c0 = 1"
            #expect(
                try issues { try MigrationTest(migrator("\(losses); UPDATE \"ä\" SET a = 5"), folder: folder).run() }
                    == [
                        "1.sql: the table named has lost 1 of 2 rows, first _rowid_ 2",
                        "1.sql: the table same had 2 rows, and has 1",
                        "1.sql: the table wide has lost 1 of 2 rows, first rowid 1",
                        "1.sql: the table ä has other values of a in 1 rows, first rowid 1: 4 became 5",
                    ])
        }
    }

    @Test("What migrations change on purpose, and the checks of the program")
    func onPurpose() throws {
        try test("UPDATE city SET name = upper(name); DELETE FROM note") { released in
            #expect(
                try issues { try released.run(changing: ["CITY": ["Name"]]) } == [
                    "1.0.sql: the table note has lost 2 of 2 rows, first rowid 1"
                ])
            try released.run(changing: ["city": ["name"]], losing: ["note"])
            var versions: [String] = []
            try released.run(changing: ["city": ["name"]], losing: ["note"]) { db, version in
                versions.append(version)
                let name = try String.fetchOne(db, sql: "SELECT name FROM city WHERE id = 1")
                #expect(name == "ULM")
            }
            #expect(versions == ["1.0"])
            struct Wrong: Error {}
            #expect(
                try issues {
                    try released.run(changing: ["city": ["name"]], losing: ["note"]) { _, _ in throw Wrong() }
                } == ["1.0.sql: the check has failed: Wrong()"])
        }
        try test("UPDATE city SET name = upper(name)") { released in
            try released.run(changing: ["city": ["name"]]) { db, version in
                let isNameless = try Bool.fetchOne(db, sql: "SELECT count(*) > 0 FROM city WHERE name = ''")
                #expect(isNameless == false, "\(version)")
            }
        }
    }

    @Test(
        "Rows made from the schema show what a migration loses or changes",
        arguments: [
            ("", []),
            ("DELETE FROM city WHERE name IS NULL", ["it can't be migrated: SQLite error 19: FOREIGN KEY constraint"]),
            ("DELETE FROM visit WHERE text IS NULL", ["the table visit has lost 2 of 10 rows, first id 9"]),
            ("UPDATE city SET name = trim(name)", ["the table city has other values of name in 2 rows, first id"]),
            ("UPDATE city SET size = CAST(size AS INTEGER)", ["the table city has other values of size in "]),
            (
                """
                CREATE TABLE new (id INTEGER PRIMARY KEY, cityID INTEGER NOT NULL REFERENCES city, text TEXT);
                INSERT INTO new SELECT visit.* FROM visit JOIN city ON city.id = visit.cityID AND city.size > 0;
                DROP TABLE visit; ALTER TABLE new RENAME TO visit
                """, ["the table visit has lost "]
            ),
            (
                "UPDATE visit SET text = substr(text, 1, 255)",
                ["the table visit has other values of text in 1 rows, first id"]
            ),
            ("ALTER TABLE city ADD COLUMN code TEXT; CREATE INDEX visits ON visit (cityID)", []),
        ])
    func sampleRows(second: String, problems: [String]) throws {
        try inFolder { folder in
            var migrator = DatabaseMigrator()
            migrator.registerMigration(
                "1",
                sql: """
                    CREATE TABLE visit (id INTEGER PRIMARY KEY, cityID INTEGER NOT NULL REFERENCES city, text TEXT);
                    CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, size REAL)
                    """)
            try MigrationTest(migrator, folder: folder).record(version: "1.0")
            migrator.registerMigration("2", sql: second.isEmpty ? "SELECT 1" : second)
            let released = MigrationTest(migrator, folder: folder)
            if problems.isEmpty { return try released.run() }
            let found = try issues { try released.run() }
            #expect(found.count == problems.count)
            for (issue, problem) in zip(found, problems) { #expect(issue.hasPrefix("1.0.sql: \(problem)")) }
        }
    }

    @Test("Own rows next to those made from the schema")
    func ownAndSampleRows() throws {
        try inFolder { folder in
            var migrator = DatabaseMigrator()
            migrator.registerMigration(
                "1", sql: "CREATE TABLE city (code TEXT PRIMARY KEY CHECK (secret(code)), name TEXT)")
            var configuration = Configuration()
            configuration.prepareDatabase { db in
                let secret = DatabaseFunction("secret", argumentCount: 1, pure: true) {
                    $0[0] == "DE-ULM".databaseValue
                }
                db.add(function: secret)
            }
            let released = MigrationTest(migrator, folder: folder, configuration: configuration)
            #expect(throws: SampleRowsError.self) { try released.record(version: "1.3") }
            try released.record(version: "1.3") { db in
                try db.execute(sql: "INSERT INTO city (code) VALUES ('DE-ULM')")
                try db.insertSampleRows()
            }
            try released.run()
        }
    }

    @Test("The edited migration is named among several")
    func editedAmongSeveral() throws {
        try inFolder { folder in
            func migrator(_ index: String) -> DatabaseMigrator {
                var migrator = DatabaseMigrator()
                migrator.registerMigration("city") {
                    try $0.execute(sql: "CREATE TABLE city (id INTEGER PRIMARY KEY, name)")
                }
                migrator.registerMigration("note") { try $0.execute(sql: "CREATE TABLE note (text)") }
                migrator.registerMigration("index") { try $0.execute(sql: index) }
                return migrator
            }
            try MigrationTest(migrator("CREATE INDEX i ON note (text)"), folder: folder).record(version: "1") { _ in }
            let found = try issues {
                try MigrationTest(migrator("CREATE UNIQUE INDEX i ON note (text)"), folder: folder).run()
            }
            #expect(found.count == 2)
            #expect(found.first == "1.sql: a migration was edited after this version: note or index")
        }
    }

    @Test("A trait migrates the snapshots", .migrations(places, snapshots: "Schemas/", changing: ["place": ["name"]]))
    func trait() {}

    @Test("A trait reports what it finds before the test runs")
    func failingTrait() async throws {
        let test = try #require(Test.current)
        let messages = Mutex<[String]>([])
        try await withKnownIssue {
            try await MigrationsTrait.migrations(places, snapshots: "Schemas").provideScope(for: test, testCase: nil) {
                messages.withLock { $0.append("the test runs") }
            }
        } matching: { issue in
            messages.withLock { $0.append(issue.comments.map(\.rawValue).joined()) }
            return true
        }
        #expect(
            messages.withLock { $0 } == [
                "1.0.sql: the table place has other values of name in 1 rows, first id 1: \"Ulm\" became \"ULM\"",
                "the test runs",
            ])
    }
}
