import Foundation
import Rowan
import Testing

/// Comparisons of record types with their tables.
struct CheckSchemaTests {
    /// The descriptions of the mismatches, without the name of the type.
    private func mismatches(_ sql: String, _ types: any TableRecord.Type...) throws -> [String] {
        try DatabaseQueue().write { db in
            try db.execute(sql: sql)
            return try db.checkSchema(of: types).map { mismatch in
                #expect(mismatch.description.hasPrefix("\(mismatch.recordType): "))
                return String(mismatch.description.dropFirst(mismatch.recordType.count + 2))
            }
        }
    }

    private struct Player: Codable, Identifiable, FetchableRecord, PersistableRecord {
        var id: Int64?
        var name: String
        var score: Int
        var bonus: Double?
        var avatar: Data?
    }

    private static let player =
        "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL, bonus REAL, "
        + "avatar BLOB)"

    @Test func typesThatMatch() throws {
        #expect(try mismatches(Self.player) == [])
        #expect(try mismatches(Self.player, Player.self) == [])
        // More columns than the type has, with different spelling.
        let sql = """
            CREATE TABLE PLAYER (ID INTEGER PRIMARY KEY, Name VARCHAR(10) NOT NULL, score BIGINT NOT NULL,
                bonus DOUBLE, avatar, other TEXT, made TEXT NOT NULL DEFAULT 'x', twice AS (score * 2) NOT NULL)
            """
        #expect(try mismatches(sql, Player.self) == [])
    }

    @Test func missingTables() throws {
        #expect(
            try mismatches("", Player.self)
                == ["there is no table \"player\": create it, or change databaseTableName"])
        struct Elsewhere: TableRecord {
            static let databaseSchemaName: String? = "archive"
        }
        #expect(
            try mismatches("", Elsewhere.self)
                == ["there is no table \"archive\".\"elsewhere\": create it, or change databaseTableName"])
    }

    @Test func missingColumns() throws {
        let sql = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL, bonus REAL)"
        try DatabaseQueue().write { db in
            try db.execute(sql: sql)
            let mismatches = try db.checkSchema(of: Player.self)
            #expect(mismatches.map(\.kind) == [.missingColumn])
            #expect(mismatches.map(\.column) == ["avatar"])
            #expect(mismatches.map(\.table) == ["player"])
            #expect(mismatches.map(\.schema) == [nil])
            #expect(
                mismatches.map(\.description) == [
                    "Player: the column \"avatar\" of \"player\" does not exist: add it to the table, or remove it "
                        + "from the type"
                ])
        }
    }

    @Test func nullability() throws {
        let sql = """
            CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER NOT NULL,
                bonus REAL NOT NULL DEFAULT 0, avatar BLOB)
            """
        #expect(
            try mismatches(sql, Player.self) == [
                "the column \"name\" of \"player\" can be NULL: declare it NOT NULL, or make the property optional",
                "the column \"bonus\" of \"player\" is NOT NULL: make the property non-optional, or let the column be "
                    + "NULL",
            ])
        struct Reader: Decodable, FetchableRecord, TableRecord {
            static let databaseTableName = "player"
            var bonus: Double?
        }
        #expect(try mismatches(sql, Reader.self) == [])
    }

    @Test func types() throws {
        let sql = """
            CREATE TABLE player (id INTEGER PRIMARY KEY, name INTEGER NOT NULL, score TEXT NOT NULL, bonus BLOB,
                avatar TEXT)
            """
        #expect(
            try mismatches(sql, Player.self) == [
                "the column \"name\" of \"player\" has the type INTEGER, and the property is stored as TEXT: change "
                    + "one of them",
                "the column \"score\" of \"player\" has the type TEXT, and the property is stored as INTEGER: change "
                    + "one of them",
                "the column \"bonus\" of \"player\" has the type BLOB, and the property is stored as REAL: change "
                    + "one of them",
                "the column \"avatar\" of \"player\" has the type TEXT, and the property is stored as BLOB: change "
                    + "one of them",
            ])
    }

    private enum Kind: String, Codable { case small, large }
    private enum Level: Int, Codable, DatabaseValueConvertible { case one = 1, two }
    private struct Address: Codable { var street: String; var number: Int }
    private struct Wrapped: Codable, DatabaseValueConvertible { var rawValue: Int }

    private struct Event: Codable, FetchableRecord, PersistableRecord {
        static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
            .uppercaseString
        }
        static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase
        static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
        var uuid: UUID
        var startDate: Date
        var kind: Kind
        var level: Level
        var optionalKind: Kind?
        var address: Address
        var tags: [String]
        var price: Decimal
        var link: URL
    }

    /// The stored form matters, not the Swift type.
    @Test func typesWithStrategies() throws {
        func sql(_ uuid: String, _ date: String, _ level: String) -> String {
            """
            CREATE TABLE event (uuid \(uuid) NOT NULL PRIMARY KEY, start_date \(date) NOT NULL, kind TEXT NOT NULL,
                level \(level) NOT NULL, optional_kind TEXT, address BLOB NOT NULL, tags JSONTEXT NOT NULL,
                price TEXT NOT NULL, link TEXT NOT NULL)
            """
        }
        #expect(try mismatches(sql("TEXT", "DATETIME", "INTEGER"), Event.self) == [])
        #expect(
            try mismatches(sql("BLOB", "INTEGER", "TEXT"), Event.self) == [
                "the column \"start_date\" of \"event\" has the type INTEGER, and the property is stored as TEXT: "
                    + "change one of them",
                "the column \"level\" of \"event\" has the type TEXT, and the property is stored as INTEGER: change "
                    + "one of them",
            ])
    }

    @Test func columnsThatAreNeverStored() throws {
        struct Team: Codable, FetchableRecord, PersistableRecord { var name: String }
        let sql = """
            CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL,
                year INTEGER NOT NULL DEFAULT 2000)
            """
        #expect(
            try mismatches(sql, Team.self) == [
                "the column \"id\" of \"team\" is in the primary key, and is never stored, so records can't be "
                    + "updated or deleted: store it",
                "the column \"city\" of \"team\" is NOT NULL without a default, and is never stored: store it, or "
                    + "add a default",
            ])
        struct Reader: Decodable, FetchableRecord, TableRecord {
            static let databaseTableName = "team"
            var name: String
        }
        #expect(try mismatches(sql, Reader.self) == [])
    }

    @Test func generatedColumns() throws {
        struct Line: Codable, FetchableRecord, PersistableRecord { var id: Int; var total: Int? }
        let sql = "CREATE TABLE line (id INTEGER PRIMARY KEY, total INTEGER AS (id * 2))"
        #expect(
            try mismatches(sql, Line.self)
                == ["the column \"total\" of \"line\" is generated, and can't be stored: do not encode it"])
    }

    @Test func identities() throws {
        let notTheKey = { (key: String) in
            "its id is not the primary key of \"player\", which is \(key): change the table, or the id"
        }
        struct Reader: Decodable, Identifiable, FetchableRecord, TableRecord {
            static let databaseTableName = "player"
            var id: Int
            var code: Int
        }
        let columns = "id INTEGER NOT NULL, code INTEGER NOT NULL"
        #expect(try mismatches("CREATE TABLE player (\(columns))", Reader.self) == [notTheKey("\"rowid\"")])
        #expect(
            try mismatches("CREATE TABLE player (\(columns), PRIMARY KEY (code))", Reader.self)
                == [notTheKey("\"code\"")])
        #expect(
            try mismatches("CREATE TABLE player (\(columns), PRIMARY KEY (id, code))", Reader.self)
                == [notTheKey("\"id\", \"code\"")])
        #expect(try mismatches("CREATE TABLE player (\(columns), PRIMARY KEY (id))", Reader.self) == [])

        struct Coded: Decodable, Identifiable, FetchableRecord, TableRecord {
            static let databaseTableName = "player"
            var code: Int
            var id: Int { code }
        }
        #expect(try mismatches("CREATE TABLE player (\(columns), PRIMARY KEY (code))", Coded.self) == [])
    }

    @Test func foreignKeys() throws {
        struct Book: TableRecord {}
        let sql = """
            CREATE TABLE author (id INTEGER PRIMARY KEY);
            CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author(id),
                editorId INTEGER REFERENCES author, ghostId INTEGER REFERENCES ghost);
            CREATE INDEX book_on_editor ON book(editorId, authorId);
            """
        #expect(
            try mismatches(sql, Book.self) == [
                "\"ghostId\" of \"book\" refers to the table \"ghost\", which does not exist: create it, or remove "
                    + "the foreign key",
                "no index of \"book\" begins with \"authorId\", which refers to \"author\": add an index",
            ])
    }

    @Test func selections() throws {
        struct Partial: Decodable, FetchableRecord, TableRecord {
            static let databaseTableName = "player"
            static var databaseSelection: [any SQLSelectable] {
                [Column("id"), Column("nope"), Column("score").forKey("points")]
            }
            var id: Int
            var name: String
            var points: Int
        }
        #expect(
            try mismatches(Self.player, Partial.self) == [
                "the column \"nope\" of \"player\" does not exist: add it to the table, or remove it from the type",
                "databaseSelection lacks the column \"name\" of \"player\": select it, or remove it from the type",
            ])
        struct Named: TableRecord {
            static let databaseTableName = "player"
            enum Columns: String, ColumnExpression, CaseIterable { case id, Score, other }
        }
        #expect(
            try mismatches(Self.player, Named.self) == [
                "the column \"other\" of \"player\" does not exist: add it to the table, or remove it from the type"
            ])
    }
}
