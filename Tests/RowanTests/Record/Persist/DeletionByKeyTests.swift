// Deletions by primary key: their statement is cached after the first one.

import Foundation
import Rowan
import Testing

@Suite struct DeletionByKeyTests {
    private struct Player: TableRecord {}

    private struct Named: TableRecord, FetchableRecord, Decodable {
        static let databaseTableName = "player"
        let id: String
    }

    private struct ViewKeys: DatabaseSchemaSource {
        func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? { ["id"] }
    }

    private struct Token: TableRecord, EncodableRecord, Encodable {
        static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
            .uppercaseString
        }
    }

    /// A key whose expression is a function call.
    private struct LowercaseKey: DatabaseValueConvertible {
        let text: String
        var databaseValue: DatabaseValue { text.databaseValue }
        var sqlExpression: SQLExpression { SQL("LOWER(\(text))").sqlExpression }
        static func fromDatabaseValue(_ value: DatabaseValue) -> LowercaseKey? {
            String.fromDatabaseValue(value).map(LowercaseKey.init)
        }
    }

    /// A key whose expression is another value.
    private struct TrimmedKey: DatabaseValueConvertible {
        let text: String
        var databaseValue: DatabaseValue { text.databaseValue }
        var sqlExpression: SQLExpression { text.trimmingCharacters(in: .whitespaces).sqlExpression }
        static func fromDatabaseValue(_ value: DatabaseValue) -> TrimmedKey? {
            String.fromDatabaseValue(value).map(TrimmedKey.init)
        }
    }

    /// The SQL that runs in a closure.
    private func sql(_ db: Database, _ body: () throws -> Void) throws -> [String] {
        var log: [String] = []
        db.trace { log.append($0.expandedDescription) }
        try body()
        db.trace(nil)
        return log
    }

    @Test func existingAndMissingRows() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY); INSERT INTO player VALUES (1), (2), (3)")
            let log = try sql(db) {
                try #expect(Player.deleteOne(db, key: 1))
                try #expect(!Player.deleteOne(db, key: 1))
                try #expect(Player.deleteOne(db, key: "3"))
                try #expect(!Player.deleteOne(db, key: Int?.none))
            }
            #expect(
                log == [
                    #"DELETE FROM "player" WHERE "id" = 1"#, #"DELETE FROM "player" WHERE "id" = 1"#,
                    #"DELETE FROM "player" WHERE "id" = '3'"#,
                ])
            try #expect(Int.fetchAll(db, sql: "SELECT id FROM player") == [2])
        }
    }

    @Test func theSchemaChanges() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY); INSERT INTO player VALUES (1)")
            try #expect(Player.deleteOne(db, key: 1))
            try db.execute(
                sql: "DROP TABLE player; CREATE TABLE player (code TEXT PRIMARY KEY); INSERT INTO player VALUES ('a')")
            try #expect(Player.deleteOne(db, key: "a"))
            try db.execute(sql: "DROP TABLE player; CREATE TABLE player (a, b, PRIMARY KEY (a, b))")
            let error = #expect(throws: DatabaseError.self) { try Player.deleteOne(db, key: 1) }
            #expect(
                error?.message == """
                    the primary key of table player has 2 columns (a, b): give a value to each, as in key: ["a": ...]
                    """)
            try db.execute(sql: "DROP TABLE player")
            let missing = #expect(throws: DatabaseError.self) { try Player.deleteOne(db, key: 1) }
            #expect(missing?.message == "no such table: player")
        }
    }

    /// A recompiled statement would delete by a column that is no longer the key.
    @Test func anotherConnectionChangesTheSchema() throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.path("db.sqlite"))
        let other = try DatabaseQueue(path: folder.path("db.sqlite"))
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY)")
            try #expect(!Player.deleteOne(db, key: 2))
        }
        try other.write { db in
            try db.execute(
                sql: """
                    DROP TABLE player; CREATE TABLE player (uuid TEXT PRIMARY KEY, id INTEGER);
                    INSERT INTO player VALUES ('1', 7), ('b', 1), ('c', 1)
                    """)
        }
        try queue.writeWithoutTransaction { db in
            try #expect(Player.deleteOne(db, key: 1))
            try #expect(String.fetchAll(db, sql: "SELECT uuid FROM player") == ["b", "c"])
        }
        withExtendedLifetime(folder) {}
    }

    /// SQLite does not count changes by triggers.
    @Test func rowsOfAView() throws {
        var configuration = Configuration()
        configuration.schemaSource = ViewKeys()
        try withDatabase(configuration) { db in
            try db.execute(
                sql: """
                    CREATE TABLE person (id INTEGER PRIMARY KEY);
                    INSERT INTO person VALUES (1), (2), (3);
                    CREATE VIEW player AS SELECT id FROM person;
                    CREATE TRIGGER t INSTEAD OF DELETE ON player BEGIN DELETE FROM person WHERE id = OLD.id; END
                    """)
            try #expect(Player.deleteOne(db, key: 1))
            try #expect(!Player.deleteOne(db, key: 1))
            try #expect(Player.deleteOne(db, key: 2))
            try #expect(Int.fetchAll(db, sql: "SELECT id FROM person") == [3])
        }
    }

    @Test func aStrategyStoresTheKey() throws {
        try withDatabase { db in
            let ids = [UUID(), UUID(), UUID()]
            try db.execute(sql: "CREATE TABLE token (id TEXT PRIMARY KEY)")
            for id in ids { try db.execute(sql: "INSERT INTO token VALUES (?)", arguments: [id.uuidString]) }
            try #expect(Token.deleteOne(db, key: ids[0]))
            try #expect(Token.deleteOne(db, key: ids[1]))
            try #expect(!Token.deleteOne(db, key: ids[1]))
            try #expect(Token.deleteOne(db, key: Optional(ids[2])))
            try #expect(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM token") == 0)
        }
    }

    @Test func aKeyThatIsAnExpression() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE player (id TEXT PRIMARY KEY); INSERT INTO player VALUES ('a'), ('b')")
            try #expect(Row.fetchOne(db, Player.filter(key: TrimmedKey(text: " a "))) != nil)
            try #expect(Named.fetchOne(db, key: TrimmedKey(text: " a "))?.id == "a")
            try #expect(Named.fetchOne(db, key: LowercaseKey(text: "B"))?.id == "b")
            try #expect(Player.deleteOne(db, key: TrimmedKey(text: " a ")))
            let log = try sql(db) { try #expect(Player.deleteOne(db, key: LowercaseKey(text: "B"))) }
            #expect(log == [#"DELETE FROM "player" WHERE "id" = (LOWER('B'))"#])
        }
    }
}
