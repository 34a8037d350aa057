// Rowan restores its temporary changes, wherever a cancellation, an interruption or an error occurs.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)))
struct RestoredSettingsConcurrencyTests {
    enum Operation: CaseIterable {
        case rebuild, rebuildWithoutForeignKeys, migration, rebuildInMigration, erase, pragmasInRead
    }

    enum Strike: CaseIterable { case cancellation, interruption }

    /// An event that occurs when a statement starts.
    private final class Moment: Sendable {
        private let state = Mutex<(remaining: Int, strike: (@Sendable () -> Void)?)>((0, nil))

        func set(_ number: Int, _ strike: @escaping @Sendable () -> Void) { state.withLock { $0 = (number, strike) } }

        /// - Returns: whether it has occurred.
        func end() -> Bool {
            state.withLock { state in
                defer { state = (0, nil) }
                return state.strike == nil
            }
        }

        func statementDidStart() {
            let strike = state.withLock { state in
                guard state.remaining == 0, let strike = state.strike else {
                    state.remaining -= 1
                    return nil as (@Sendable () -> Void)?
                }
                state.strike = nil
                return strike
            }
            strike?()
        }
    }

    private static func settings(_ db: Database) throws -> [String] {
        try [
            "foreign_keys", "legacy_alter_table", "writable_schema", "query_only", "recursive_triggers", "cache_size",
            "busy_timeout", "ignore_check_constraints", "reverse_unordered_selects",
        ].map { name in "\(name) \(try Int.fetchOne(db, sql: "PRAGMA \(name)") ?? -1)" }
    }

    private static func define(_ t: TableDefinition) {
        t.primaryKey("id", .integer)
        t.column("name", .text).notNull()
    }

    private static func migrator(_ body: @escaping @Sendable (Database) throws -> Void) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in try body(db) }
        migrator.registerMigration("2", foreignKeyChecks: .immediate) { db in try db.execute(sql: "DELETE FROM log") }
        migrator.registerMigration("3") { db in try db.execute(sql: "DELETE FROM log") }
        return migrator
    }

    private static func run(_ operation: Operation, _ queue: DatabaseQueue) async throws {
        switch operation {
        case .rebuild, .rebuildWithoutForeignKeys:
            try await queue.writeWithoutTransaction { db in try db.rebuild(table: "player", body: define) }
        case .migration:
            let migrator = migrator { db in try db.execute(sql: "DELETE FROM player WHERE id = 1") }
            try await queue.writeWithoutTransaction { db in try migrator.migrate(db, upTo: nil) }
        case .rebuildInMigration:
            let migrator = migrator { db in try db.rebuild(table: "player", body: define) }
            try await queue.writeWithoutTransaction { db in try migrator.migrate(db, upTo: nil) }
        case .erase: try await queue.writeWithoutTransaction { db in try db.erase() }
        case .pragmasInRead:
            try await queue.read { db in
                try db.execute(sql: "PRAGMA recursive_triggers = 1; PRAGMA cache_size = 77; PRAGMA busy_timeout = 3")
                _ = try Row.fetchAll(db, sql: "SELECT * FROM player")
                try db.execute(sql: "PRAGMA reverse_unordered_selects = 1; PRAGMA foreign_keys = 0")
                _ = try Row.fetchAll(db, sql: "SELECT * FROM player")
            }
        }
    }

    @Test(arguments: Operation.allCases, Strike.allCases)
    func atEachStatement(_ operation: Operation, _ strike: Strike) async throws {
        let moment = Moment()
        var configuration = Configuration()
        configuration.foreignKeysEnabled = operation != .rebuildWithoutForeignKeys
        configuration.prepareDatabase { db in db.trace { _ in moment.statementDidStart() } }
        var number = 0
        var hasStruck = true
        while hasStruck {
            let folder = try TemporaryFolder()
            let queue = try DatabaseQueue(path: folder.path("db.sqlite"), configuration: configuration)
            let before = try await queue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, captain REFERENCES player(id));
                        CREATE TABLE log (text);
                        CREATE INDEX byName ON player(name);
                        CREATE TRIGGER player_ad AFTER DELETE ON player BEGIN INSERT INTO log VALUES (old.name); END;
                        CREATE VIEW names AS SELECT name FROM player;
                        INSERT INTO player VALUES (1, 'A', NULL), (2, 'B', NULL);
                        """)
                return try (Self.settings(db), db.schemaVersion())
            }
            moment.set(number) {
                switch strike {
                case .cancellation: withUnsafeCurrentTask { $0?.cancel() }
                case .interruption: queue.interrupt()
                }
            }
            let result = await Task { try await Self.run(operation, queue) }.result
            hasStruck = moment.end()
            // The last event may occur too late.
            if !hasStruck { try result.get() }
            let place = "\(operation), \(strike) at statement \(number)"
            try await queue.writeWithoutTransaction { db throws in
                #expect(try Self.settings(db) == before.0, "\(place)")
                #expect(!db.connection.isOn(.resetDatabase), "\(place)")
                #expect(!db.connection.mustStop, "\(place)")
                if try db.tableExists("player") {
                    // Without legacy renaming, the view is updated.
                    try db.rename(table: "player", to: "person")
                    #expect(try Row.fetchAll(db, sql: "SELECT * FROM names").count >= 1, "\(place)")
                } else {
                    // Other connections detect that their schema is outdated.
                    #expect(try db.schemaVersion() > before.1, "\(place)")
                }
            }
            try queue.close()
            number += 1
        }
        #expect(number > 2)
    }

    /// While a statement is running, an interruption applies to all statements.
    @Test func aCursorThatIsInterrupted() throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)") }
        let before = try queue.read(Self.settings)
        var cursor: RowCursor?
        #expect(throws: DatabaseError.self) {
            try queue.read { db in
                try db.execute(sql: "PRAGMA recursive_triggers = 1; PRAGMA cache_size = 77")
                cursor = try Row.fetchCursor(db, sql: "SELECT * FROM t")
                _ = try cursor?.next()
                queue.interrupt()
                _ = try cursor?.next()
            }
        }
        try queue.inDatabase { db throws in #expect(try Self.settings(db) == before) }
        withExtendedLifetime(cursor) {}
    }

    /// A migration waits for locks longer.
    @Test func theTimeoutOfAPragma() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA busy_timeout = 321") }
        let queue = try DatabaseQueue(configuration: configuration)
        try Self.migrator { db in try db.execute(sql: "CREATE TABLE log(text)") }.migrate(queue)
        var timeout = try queue.read { db in try Int.fetchOne(db, sql: "PRAGMA busy_timeout") }
        #expect(timeout == 321)
        var failing = DatabaseMigrator()
        failing.registerMigration("4") { db in
            let timeout = try Int.fetchOne(db, sql: "PRAGMA busy_timeout")
            #expect(timeout == 0)
            throw CancellationError()
        }
        #expect(throws: CancellationError.self) { try failing.migrate(queue) }
        timeout = try queue.read { db in try Int.fetchOne(db, sql: "PRAGMA busy_timeout") }
        #expect(timeout == 321)
    }

    /// A pool's writer waits briefly for the pool's readers, also after a migration.
    @Test func theWaitOfAWriter() throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.path("db.sqlite"))
        func waits(_ db: Database) throws -> Bool { try db.connection.openHooks().waitsForLock(after: 0) }
        #expect(try pool.writeWithoutTransaction(waits))
        try Self.migrator { db in try db.execute(sql: "CREATE TABLE log(text)") }.migrate(pool)
        #expect(try pool.writeWithoutTransaction(waits))
        withExtendedLifetime(folder) {}
    }

    @Test func aConnectionThatCanNotBeClosed() throws {
        let queue = try DatabaseQueue()
        let statement = try queue.inDatabase { db in
            try db.execute(sql: "PRAGMA writable_schema = ON")
            return try db.makeStatement(sql: "SELECT 1")
        }
        #expect(throws: DatabaseError.self) { try queue.close() }
        let isWritable = try queue.inDatabase { db in try Bool.fetchOne(db, sql: "PRAGMA writable_schema") }
        #expect(isWritable == true)
        withExtendedLifetime(statement) {}
    }
}
