import Foundation
import Rowan
import Testing

/// Record types of all kinds, and tables in all schemas.
struct CheckSchemaKindsTests {
    private func mismatches(_ sql: String, _ types: any TableRecord.Type...) throws -> [String] {
        try DatabaseQueue().write { db in
            try db.execute(sql: sql)
            return try db.checkSchema(of: types).map(\.description)
        }
    }

    private struct Odd: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "a\"b'c; DROP TABLE x"
        enum CodingKeys: String, CodingKey { case id = "i d", value = "select \"\u{e9}" }
        var id: Int
        var value: String
    }

    @Test func hostileNames() throws {
        let table = Odd.databaseTableName.quotedDatabaseIdentifier
        let sql = "CREATE TABLE \(table) (\"i d\" INTEGER PRIMARY KEY, \"select \"\"\u{e9}\" TEXT NOT NULL)"
        #expect(try mismatches(sql, Odd.self) == [])
        #expect(
            try mismatches("CREATE TABLE \(table) (\"i d\" INTEGER PRIMARY KEY)", Odd.self) == [
                "Odd: the column \"select \"\"\u{e9}\" of \(table) does not exist: add it to the table, or remove it "
                    + "from the type"
            ])
    }

    /// Reads dates with its own strategy, and stores nothing.
    private struct Reading: Decodable, FetchableRecord, TableRecord {
        static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
            .timeIntervalSince1970
        }
        enum Level: Int, Decodable { case low, high }
        var id: Int64
        var date: Date
        var uuid: UUID?
        var level: Level
    }

    @Test func strategiesOfTypesThatOnlyRead() throws {
        let sql =
            "CREATE TABLE reading (id INTEGER PRIMARY KEY, date INTEGER NOT NULL, uuid TEXT, level INTEGER NOT NULL)"
        #expect(try mismatches(sql, Reading.self) == [])
    }

    @Test func attachedDatabases() throws {
        struct Archived: Codable, FetchableRecord, PersistableRecord {
            static let databaseTableName = "player"
            static let databaseSchemaName: String? = "archive"
            var id: Int
            var name: String
        }
        let sql = """
            CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            ATTACH ':memory:' AS archive;
            CREATE TABLE archive.player (id INTEGER PRIMARY KEY, name TEXT, teamId INTEGER REFERENCES team);
            CREATE TABLE archive.team (id INTEGER PRIMARY KEY);
            """
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { db throws in
            try db.execute(sql: sql)
            #expect(
                try db.checkSchema(of: Archived.self).map(\.description) == [
                    "Archived: the column \"name\" of \"archive\".\"player\" can be NULL: declare it NOT NULL, or make "
                        + "the property optional",
                    "Archived: no index of \"archive\".\"player\" begins with \"teamId\", which refers to \"team\": "
                        + "add an index",
                ])
        }
    }

    @Test func views() throws {
        struct Best: Codable, Identifiable, FetchableRecord, PersistableRecord {
            var id: Int
            var name: String
            var rank: Int
        }
        let sql = """
            CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);
            CREATE VIEW best AS SELECT id, name FROM player;
            """
        #expect(
            try mismatches(sql, Best.self) == [
                "Best: the column \"rank\" of \"best\" does not exist: add it to the table, or remove it from the type"
            ])
    }

    @Test func virtualTables() throws {
        struct Document: Codable, FetchableRecord, PersistableRecord { var title: String; var body: String }
        #expect(try mismatches("CREATE VIRTUAL TABLE document USING fts4(title, body)", Document.self) == [])
        #expect(
            try mismatches("CREATE VIRTUAL TABLE document USING fts4(title)", Document.self).map { $0.prefix(38) }
                == ["Document: the column \"body\" of \"docume"])
    }

    private struct Author: Codable, FetchableRecord, PersistableRecord { var id: Int }
    private struct Book: Decodable, FetchableRecord, TableRecord {
        var id: Int
        var author: Author
        var editor: Author?
        var authors: [Author]
        var reviewers: Set<Tag>?
    }
    private struct Tag: Hashable, Decodable, FetchableRecord { var name: String }

    @Test func associationsAreNotColumns() throws {
        #expect(try mismatches("CREATE TABLE book (id INTEGER PRIMARY KEY)", Book.self) == [])
    }

    private struct Refusing: Decodable, FetchableRecord, TableRecord {
        var id: Int
        var nope: Int
        enum CodingKeys: String, CodingKey { case id, nope }
        struct Refusal: Error {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            nope = try container.decode(Int.self, forKey: .nope)
            throw Refusal()
        }
    }

    private struct Positive: Codable, FetchableRecord, PersistableRecord {
        struct Refusal: Error {}
        enum CodingKeys: String, CodingKey { case id, text }
        var id: Int
        var text: String
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            text = try container.decode(String.self, forKey: .text)
            if id <= 0 || text.isEmpty { throw Refusal() }
        }
    }

    /// The properties before the failure are still compared.
    @Test func typesThatRefusePlaceholders() throws {
        #expect(
            try mismatches("CREATE TABLE refusing (id INTEGER PRIMARY KEY)", Refusing.self) == [
                "Refusing: the column \"nope\" of \"refusing\" does not exist: add it to the table, or remove it from "
                    + "the type",
                "Refusing: not completely examined, because it refuses placeholder values: Refusal()",
            ])
        #expect(
            try mismatches("CREATE TABLE positive (id INTEGER PRIMARY KEY, text BLOB NOT NULL)", Positive.self) == [
                "Positive: the column \"text\" of \"positive\" has the type BLOB, and the property is stored as TEXT: "
                    + "change one of them"
            ])
    }

    private struct Manual: FetchableRecord, TableRecord {
        init(row: Row) { preconditionFailure("there is no row") }
    }
    private struct WriteOnly: Encodable, PersistableRecord { var id: Int }
    private final class Classic: Record {
        override class var databaseTableName: String { "manual" }
    }

    @Test func typesThatAreNotDecodable() throws {
        let sql = "CREATE TABLE manual (id INTEGER PRIMARY KEY); CREATE TABLE writeOnly (id INTEGER PRIMARY KEY)"
        #expect(
            try mismatches(sql, Manual.self, WriteOnly.self, Classic.self) == [
                "Manual: not completely examined, because it is not Decodable: what init(row:) reads is unknown",
                "WriteOnly: not completely examined, because it is not Decodable: what it stores is unknown",
                "Classic: not completely examined, because it is not Decodable: what init(row:) reads is unknown",
            ])
    }

    private struct Custom: Decodable, FetchableRecord, TableRecord {
        enum CodingKeys: String, CodingKey { case id, name, nick, size }
        var id: Int
        var name: String?
        var nick: String?
        var size: Int?
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            name = try container.decodeNil(forKey: .name) ? nil : container.decode(String.self, forKey: .name)
            nick = try container.decode(String?.self, forKey: .nick)
            size = container.contains(.size) ? try container.decodeIfPresent(Int.self, forKey: .size) : nil
        }
    }

    /// All ways of decoding an optional.
    @Test func customDecoding() throws {
        let sql = "CREATE TABLE custom (id INTEGER PRIMARY KEY, name TEXT, nick TEXT, size TEXT)"
        #expect(
            try mismatches(sql, Custom.self) == [
                "Custom: the column \"size\" of \"custom\" has the type TEXT, and the property is stored as INTEGER: "
                    + "change one of them"
            ])
    }

    private class Animal: Codable, FetchableRecord, PersistableRecord {
        class var databaseTableName: String { "animal" }
        var id = 0
    }
    private final class Dog: Animal {
        var owner: String?
        private enum CodingKeys: String, CodingKey { case owner }
        required init(from decoder: any Decoder) throws {
            owner = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .owner)
            try super.init(from: decoder)
        }
        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(owner, forKey: .owner)
        }
    }

    @Test func classes() throws {
        #expect(try mismatches("CREATE TABLE animal (id INTEGER PRIMARY KEY, owner TEXT)", Dog.self) == [])
        #expect(
            try mismatches("CREATE TABLE animal (id INTEGER PRIMARY KEY)", Dog.self) == [
                "Dog: the column \"owner\" of \"animal\" does not exist: add it to the table, or remove it from the type"
            ])
    }

    @Test(arguments: ConnectionKind.allCases)
    func connections(_ kind: ConnectionKind) async throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        try await writer.write { try $0.execute(sql: "CREATE TABLE author (id INTEGER PRIMARY KEY)") }
        #expect(try await writer.read { try $0.checkSchema(of: Author.self) } == [])
        // The result follows schema changes.
        try await writer.write { try $0.execute(sql: "DROP TABLE author") }
        #expect(try await writer.read { try $0.checkSchema(of: Author.self) }.map(\.kind) == [.missingTable])
    }
}
