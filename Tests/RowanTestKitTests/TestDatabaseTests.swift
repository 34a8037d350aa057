// Test databases: fresh for each test, copied from a template.

import Foundation
import Rowan
import RowanTestKit
import Synchronization
import Testing

@Suite("Test databases")
struct TestDatabaseTests {
    @Test("Each test case has its own database", .database(migrator), arguments: 1...20)
    func fresh(number: Int) throws {
        let writer = try TestDatabase.current.writer
        #expect(writer is DatabaseQueue)
        try writer.write { db in
            #expect(try City.fetchCount(db) == 0)
            _ = try City(name: "city \(number)", population: number).inserted(db)
            // A UNIQUE constraint would find the rows of another case.
            _ = try City(name: "Ulm", population: 1).inserted(db)
        }
    }

    @Test("The migrations run once for all traits with the same migrator", .database(migrator), arguments: 1...5)
    func once(_: Int) {
        // One template for each kind and each set of fixtures, rather than one per test.
        #expect((1...6).contains(runCount.withLock { $0 }))
    }

    @Test("A pool reads while its writer writes, and child tasks have the database", .database(migrator, .pool))
    func pool() async throws {
        let writer = try TestDatabase.current.writer
        #expect(writer is DatabasePool)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...10 {
                group.addTask {
                    let writer = try TestDatabase.current.writer
                    try await writer.write { db in _ = try City(name: "\(number)", population: 1).inserted(db) }
                    _ = try await writer.read { db in try City.fetchCount(db) }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await writer.read { db in try City.fetchCount(db) } == 10)
        let mode = try await writer.read { db in try String.fetchOne(db, sql: "PRAGMA journal_mode") }
        #expect(mode == "wal")
    }

    @Test("In memory", .database(migrator, .memory, fixtures: .sql(fixtures)))
    func memory() throws {
        let database = try TestDatabase.current
        #expect(database.path == nil)
        try database.writer.write { db in
            #expect(try Street.fetchCount(db) == 2)
            _ = try City(name: "Köln", population: 1_087_353).inserted(db)
        }
    }

    @Test(
        "Fixtures from a file and a closure",
        .database(
            migrator, fixtures: .sql(fixtures), .rows { db in _ = try City(name: "Bonn", population: 1).inserted(db) }),
        arguments: 1...3)
    func rows(_: Int) throws {
        let names = try TestDatabase.current.writer.read { db in try City.order(\.id).fetchAll(db).map(\.name) }
        #expect(names == ["Ulm", "Bonn"])
    }

    @Test("Functions of the configuration", .database(migrator, configuration: withTwice))
    func configuration() throws {
        let twice = try TestDatabase.current.writer.read { db in try Int.fetchOne(db, sql: "SELECT twice(21)") }
        #expect(twice == 42)
    }

    @Test("Configurations that differ in one option have separate templates")
    func options() async throws {
        let (test, testCase) = (try #require(Test.current), try #require(Test.Case.current))
        var withoutForeignKeys = Configuration()
        withoutForeignKeys.foreignKeysEnabled = false
        let unchangedCopy = withoutForeignKeys
        var withQuotedTexts = Configuration()
        withQuotedTexts.acceptsDoubleQuotedStringLiterals = true
        var found: [String] = []
        for configuration in [Configuration(), withoutForeignKeys, withQuotedTexts, Configuration(), unchangedCopy] {
            let trait: DatabaseTrait = .database(settingsMigrator, configuration: configuration)
            let settings = Mutex<String?>(nil)
            try await trait.provideScope(for: test, testCase: testCase) {
                let writer = try TestDatabase.current.writer
                let stored = try await writer.read { db in try String.fetchOne(db, sql: "SELECT value FROM settings") }
                settings.withLock { $0 = stored }
            }
            found.append(try #require(settings.withLock { $0 }))
        }
        #expect(found == ["1 0", "0 0", "1 1", "1 0", "0 0"])
        #expect(settingsRunCount.withLock { $0 } == 3)
    }

    @Test("No database without the trait")
    func missing() {
        #expect(throws: TestDatabase.UnavailableError.self) { _ = try TestDatabase.current }
    }

    @Test("No database in a detached task", .database(migrator))
    func detached() async {
        await Task.detached { _ = #expect(throws: TestDatabase.UnavailableError.self) { try TestDatabase.current } }
            .value
    }

    /// The file of the first test of the suite below.
    static let firstPath = Mutex<String?>(nil)
}

private let settingsRunCount = Mutex(0)

/// Stores the settings of its connection.
private let settingsMigrator = {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("settings", foreignKeyChecks: .immediate) { db in
        settingsRunCount.withLock { $0 += 1 }
        try db.execute(sql: "CREATE TABLE settings(value)")
        let foreignKeys = try #require(try Int.fetchOne(db, sql: "PRAGMA foreign_keys"))
        var quotedTexts = 0
        do { quotedTexts = try String.fetchOne(db, sql: "SELECT \"text\"") == "text" ? 1 : 0 } catch is DatabaseError {}
        try db.execute(sql: "INSERT INTO settings VALUES (?)", arguments: ["\(foreignKeys) \(quotedTexts)"])
    }
    return migrator
}()

private let withTwice: Configuration = {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
        db.add(
            function: DatabaseFunction("twice", argumentCount: 1, pure: true) { values in
                Int.fromDatabaseValue(values[0]).map { $0 * 2 }
            })
    }
    return configuration
}()

@Suite("The files of tests", .serialized, .database(migrator))
struct FileTests {
    @Test("1: a test has a file")
    func first() throws {
        let path = try #require(try TestDatabase.current.path)
        #expect(FileManager.default.fileExists(atPath: path))
        TestDatabaseTests.firstPath.withLock { $0 = path }
    }

    @Test("2: it is deleted after a passing test")
    func second() throws {
        let path = try #require(TestDatabaseTests.firstPath.withLock { $0 })
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(!FileManager.default.fileExists(atPath: (path as NSString).deletingLastPathComponent))
    }

    @Test("3: a known issue does not keep it")
    func third() throws {
        let path = try #require(try TestDatabase.current.path)
        TestDatabaseTests.firstPath.withLock { $0 = path }
        withKnownIssue { Issue.record("on purpose") }
    }

    @Test("4: after a known issue")
    func fourth() throws {
        let path = try #require(TestDatabaseTests.firstPath.withLock { $0 })
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("5: it is kept after a test that throws")
    func fifth() async throws {
        let trait: DatabaseTrait = .database(migrator)
        let (test, testCase) = (try #require(Test.current), try #require(Test.Case.current))
        await #expect(throws: CancellationError.self) {
            try await trait.provideScope(for: test, testCase: testCase) {
                let path = try TestDatabase.current.path
                TestDatabaseTests.firstPath.withLock { $0 = path }
                throw CancellationError()
            }
        }
        let path = try #require(TestDatabaseTests.firstPath.withLock { $0 })
        #expect(FileManager.default.fileExists(atPath: path))
        try FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent)
    }
}
