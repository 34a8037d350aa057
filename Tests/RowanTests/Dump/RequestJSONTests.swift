// Requests as JSON, compared with a JSONEncoder's output for the fetched records.

import Foundation
import Rowan
import Testing

@Suite
struct RequestJSONTests {
    private enum Kind: String, Codable, DatabaseValueConvertible { case small, large }
    private struct Address: Codable, Equatable {
        var street: String
        var numbers: [Int]
    }

    private struct Item: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var name: String
        var isNew: Bool
        var made: Date
        var uuid: UUID
        var image: Data?
        var price: Decimal?
        var kind: Kind
        var address: Address?
        var link: URL?
        var score: Double?
        var flags: [Bool]
        static let table = """
            CREATE TABLE item(id INTEGER PRIMARY KEY, name, isNew, made, uuid, image, price, kind, address, link, score,
                flags, secret DEFAULT 'secret')
            """
    }

    func text(_ json: Data) -> String { String(decoding: json, as: UTF8.self) }

    /// The encoder's output for the records, with dates in the format of `json`.
    func encoded(_ records: some Encodable) throws -> NSObject {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            let stored = String.fromDatabaseValue(date.databaseValue) ?? ""
            try container.encode(stored.replacing(" ", with: "T") + "Z")
        }
        return try parsed(encoder.encode(records))
    }

    func parsed(_ json: Data) throws -> NSObject {
        try #require(JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed) as? NSObject)
    }

    @Test func record() throws {
        try withDatabase { db in
            try db.execute(sql: Item.table)
            try Item(
                id: 1, name: "a \"b\" \\ / \n\u{1}é👍", isNew: true, made: Date(timeIntervalSince1970: 1_706_695_200),
                uuid: UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!, image: Data([1, 2, 3, 255]),
                price: Decimal(string: "12.50"), kind: .large, address: Address(street: "x", numbers: [1, 2]),
                link: URL(string: "https://rowan.dev/a"), score: 0.5, flags: [true, false]
            ).insert(db)
            try #expect(
                text(Item.all().json(db)) == #"""
                    [{"id":1,"name":"a \"b\" \\ / \n\u0001é👍","isNew":true,"made":"2024-01-31T10:00:00.000Z",\#
                    "uuid":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","image":"AQID/w==","price":12.5,"kind":"large",\#
                    "address":{"numbers":[1,2],"street":"x"},"link":"https://rowan.dev/a","score":0.5,\#
                    "flags":[true,false]}]
                    """#)
            try #expect(text(Item.none().json(db)) == "[]")
            let one = try Item.filter(key: 1).jsonOne(db).map(text)
            try #expect("[\(one ?? "")]" == text(Item.all().json(db)))
            try #expect(Item.none().jsonOne(db) == nil)
        }
    }

    /// Random records, strings with all ASCII characters, and rows in pieces of all sizes.
    @Test(arguments: 0..<6 as Range<UInt64>)
    func anEncoderMakesTheSame(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed)
        func optional<T>(_ value: T) -> T? { Bool.random(using: &generator) ? value : nil }
        func string() -> String {
            let scalars = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                Unicode.Scalar(UInt32.random(in: 0...0x7f0, using: &generator)) ?? "x"
            }
            return String(String.UnicodeScalarView(scalars))
        }
        try withDatabase { db in
            try db.execute(sql: Item.table)
            for id in 1...200 {
                let bytes = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
                let item = Item(
                    id: Int64(id), name: string(), isNew: Bool.random(using: &generator),
                    made: Date(
                        timeIntervalSince1970: Double(
                            Int.random(in: -50_000_000_000...200_000_000_000, using: &generator)) / 1000),
                    uuid: UUID(), image: optional(Data(bytes)),
                    price: optional(Decimal(Int.random(in: -99_999...99_999, using: &generator)) / 100),
                    kind: Bool.random(using: &generator) ? .small : .large,
                    address: optional(Address(street: string(), numbers: [Int.random(in: 0...9, using: &generator)])),
                    link: optional(URL(string: "https://rowan.dev/\(id)")!),
                    score: optional([generator.double()].first(where: \.isFinite) ?? 0),
                    flags: [Bool.random(using: &generator)])
                try item.insert(db)
            }
            let request = Item.order(Column("id"))
            try #expect(parsed(request.json(db)) == encoded(request.fetchAll(db)), "seed \(generator.seed)")
        }
    }

    // MARK: Associations

    private struct BookInfo: Codable, FetchableRecord {
        var book: Library.Book
        var author: Library.Author?
        var awards: [Library.Award]
    }

    private struct AuthorInfo: Codable, FetchableRecord {
        struct Titled: Codable, FetchableRecord {
            var title: String
            var awards: [Library.Award]
        }
        var name: String
        var country: Library.Country?
        var books: [Titled]
    }

    @Test func associations() throws {
        try Library.run { db, _ in
            let books = Library.Book.including(optional: Library.Book.author).including(all: Library.Book.awards)
                .order(Column("id")).asRequest(of: BookInfo.self)
            try #expect(parsed(books.json(db)) == encoded(books.fetchAll(db)))
            try #expect(
                text(books.filter(Column("id") >= 3).json(db)) == #"""
                    [{"book":{"id":3,"authorId":2,"title":"Hernani","year":1830,"price":30},\#
                    "author":{"id":2,"name":"Hugo","countryCode":"FR"},\#
                    "awards":[{"id":3,"bookId":3,"name":"Gold","points":5}]},\#
                    {"book":{"id":4,"title":"Anonymous","year":1000,"price":40},"awards":[]}]
                    """#)

            let authors = Library.Author.including(optional: Library.Author.country)
                .including(all: Library.Author.books.including(all: Library.Book.awards)).order(Column("id"))
                .asRequest(of: AuthorInfo.self)
            try #expect(parsed(authors.json(db)) == encoded(authors.fetchAll(db)))
        }
    }

    @Test func rows() throws {
        try Library.run { db, _ in
            let request = Library.Author.including(optional: Library.Author.country)
                .including(all: Library.Author.books.select(Column("title"), Column("authorId")))
                .filter([1, 4].contains(Column("id"))).order(Column("id")).asRequest(of: Row.self)
            try #expect(
                text(request.json(db)) == #"""
                    [{"id":1,"name":"Melville","countryCode":"US","country":{"code":"US","name":"United States"},\#
                    "books":[{"title":"Moby-Dick","authorId":1},{"title":"Omoo","authorId":1}]},\#
                    {"id":4,"name":"Nobody","countryCode":null,"country":null,"books":[]}]
                    """#)
            try #expect(
                request.jsonOne(db).map(text) == #"""
                    {"id":1,"name":"Melville","countryCode":"US","country":{"code":"US","name":"United States"},\#
                    "books":[{"title":"Moby-Dick","authorId":1},{"title":"Omoo","authorId":1}]}
                    """#)
        }
    }

    @Test func values() throws {
        try withDatabase { db in
            func json<Value>(_ type: Value.Type, _ sql: SQL) throws -> String {
                text(try SQLRequest<Value>(literal: sql).json(db))
            }
            try #expect(json(String.self, "SELECT 'a' UNION ALL SELECT 'b\"'") == #"["a","b\""]"#)
            try #expect(json(Int?.self, "SELECT 1 UNION ALL SELECT NULL") == "[1,null]")
            try #expect(json(Bool.self, "SELECT 1 UNION ALL SELECT 0") == "[true,false]")
            try #expect(json(Double.self, "SELECT 1.0 UNION ALL SELECT 1.5e300") == "[1,1.5e+300]")
            try #expect(
                json(Date.self, "SELECT '2024-01-31 10:00:00' UNION ALL SELECT '2024-01-31'")
                    == #"["2024-01-31T10:00:00.000Z","2024-01-31T00:00:00.000Z"]"#)
            try #expect(
                json(Date.self, "SELECT 1706695200 UNION ALL SELECT 1706695200.5")
                    == #"["2024-01-31T10:00:00.000Z","2024-01-31T10:00:00.500Z"]"#)
            for text in ["yesterday", "2024-13-01 10:00:00.000", "2023-02-29 10:00:00.000", "2024-01-01 24:61:00.000"] {
                #expect(throws: RowDecodingError.self, "\(text)") { try json(Date.self, "SELECT \(text)") }
            }
            try #expect(json(Date.self, "SELECT '2024-02-29 10:00:00.123'") == #"["2024-02-29T10:00:00.123Z"]"#)
            try #expect(json(URL.self, "SELECT 'https://rowan.dev/a'") == #"["https://rowan.dev/a"]"#)
            try #expect(json(String.self, "SELECT 1 UNION ALL SELECT 1.5") == #"["1","1.5"]"#)
            try #expect(json(Stored.self, #"SELECT '{"street":"x"}'"#) == #"[{"street":"x"}]"#)
            #expect(throws: RowDecodingError.self) { try json(Double.self, "SELECT 1e999") }
            try #expect(
                json(Row.self, "SELECT 1 AS a, NULL AS b, x'00ff' AS c, 'x' AS a")
                    == #"[{"a":1,"b":null,"c":"AP8=","a":"x"}]"#)
        }
    }

    /// A record that isn't Decodable has the columns of its rows.
    @Test func handwrittenRecords() throws {
        struct Point: FetchableRecord, TableRecord {
            init(row: Row) {}
        }
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE point(x, y); INSERT INTO point VALUES (1, NULL)")
            try #expect(text(Point.all().json(db)) == #"[{"x":1,"y":null}]"#)
        }
    }

    // MARK: Errors

    @Test(arguments: [
        ("SELECT NULL AS id, '{}' AS value", "could not decode Int from database value NULL"),
        ("SELECT 1 AS id, '{' AS value", "could not decode Dictionary<String, Int> from a TEXT"),
        ("SELECT 1 AS id, 'x' AS value", "could not decode Dictionary<String, Int> from a TEXT"),
        ("SELECT 1.5 AS id, '{}' AS value", "could not decode Int from a REAL"),
        ("SELECT 'x' AS id, '{}' AS value", "could not decode Int from a TEXT"),
        ("SELECT 1 AS other, '{}' AS value", "column not found: \"id\""),
    ])
    func errors(_ sql: String, _ reason: String) throws {
        struct Thing: Decodable, FetchableRecord {
            var id: Int
            var value: [String: Int]
        }
        try withDatabase { db in
            let error = #expect(throws: RowDecodingError.self) { try SQLRequest<Thing>(sql: sql).json(db) }
            #expect(error?.reason == reason)
        }
    }

    @Test func invalidTextBecomesValid() throws {
        try withDatabase { db in
            let json = try SQLRequest<String>(sql: "SELECT CAST(x'61ff62' AS TEXT)").json(db)
            #expect(text(json) == "[\"a\u{FFFD}b\"]")
            #expect(String(validating: json, as: UTF8.self) != nil)
        }
    }

    @Test func decimalsAndTexts() throws {
        struct Price: Codable, FetchableRecord {
            var price: Decimal
        }
        try withDatabase { db in
            func json(_ sql: String) throws -> String { text(try SQLRequest<Price>(sql: sql).json(db)) }
            try #expect(
                json("SELECT '123456789012345678901234567890.5' AS price")
                    == "[{\"price\":123456789012345678901234567890.5}]")
            for hostile in ["1,\"x\":2", "true", "\"a\"", "", "1e", "0x10", " 1", "-"] {
                #expect(throws: RowDecodingError.self, "\(hostile)") {
                    try SQLRequest<Price>(sql: "SELECT ? AS price", arguments: [hostile]).json(db)
                }
            }
        }
    }

    // MARK: Decoders

    private struct Author: Codable, FetchableRecord, TableRecord {
        var id: Int64
        var name: String
    }

    /// A type with its own coding, which a `Codable` record stores as plain text.
    private struct Code: Codable {
        var text: String
        init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    private enum Plain: String, Codable { case small }
    private struct Stored: Codable, DatabaseValueConvertible { var street: String }

    /// Types that a fast path would write differently than an encoder.
    private struct Odd: Codable, FetchableRecord {
        var code: Code
        var plain: Plain
        var stored: Stored
        var date: Date
        static let databaseDateDecodingStrategy = DatabaseDateDecodingStrategy.timeIntervalSince1970
    }

    @Test func typesWithCodeOfTheirOwn() throws {
        try withDatabase { db in
            let request = SQLRequest<Odd>(
                sql: """
                    SELECT '{"a":1}' AS code, 'small' AS plain, '{"street":"x"}' AS stored, 1706695200 AS date, 'secret' AS x
                    UNION ALL SELECT '12', 'small', '{"street":"y"}', 0, 'secret'
                    """)
            try #expect(parsed(request.json(db)) == encoded(request.fetchAll(db)))
            try #expect(!text(request.json(db)).contains("secret"))
        }
    }

    private struct Validated: Codable, FetchableRecord {
        var email: String
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            email = try container.decode(String.self, forKey: .email)
            guard email.contains("@") else {
                throw DecodingError.dataCorruptedError(forKey: .email, in: container, debugDescription: "no email")
            }
        }
    }
    private struct OnlyDecodable: Decodable, FetchableRecord {
        var code: Code
    }

    @Test func privateColumnsStayPrivate() throws {
        try withDatabase { db in
            let sql = "SELECT 'a@b' AS email, 'secret' AS password, 'x' AS code"
            try #expect(text(SQLRequest<Validated>(sql: sql).json(db)) == #"[{"email":"a@b"}]"#)
            expectError(
                .SQLITE_MISUSE,
                "the JSON of OnlyDecodable depends on its code: make it Encodable, so that its values can be encoded"
            ) { try SQLRequest<OnlyDecodable>(sql: sql).json(db) }
        }
    }

    private struct Book: Codable, FetchableRecord, TableRecord {
        struct Name: Codable { var name: String }
        var id: Int64
        var title: String
        var author: Library.Author?
    }
    private struct NamedBook: Codable, FetchableRecord {
        struct Name: Codable { var name: String }
        var title: String
        var author: Name
        var awards: [Name]
    }
    private final class Employee: Codable, FetchableRecord, TableRecord {
        var id: Int64
        var manager: Employee?
    }
    private struct Confused: Codable, FetchableRecord {
        var title: String
        var country: Library.Author
    }

    /// Optional records that are not included, columns and scopes with the same name, and parts that aren't records.
    @Test func partsOfRecords() throws {
        try Library.run { db, _ in
            func check<R: FetchableRecord & Encodable>(_ request: some FetchRequest<R>) throws {
                let json = try request.json(db)
                let (found, expected) = (try parsed(json), try encoded(request.fetchAll(db)))
                #expect(found == expected)
                #expect(!text(json).contains("countryCode"))
            }
            try check(Book.all().order(Column("id")))
            try check(
                Library.Book.including(required: Library.Book.author.select(Column("name"), Column("id")))
                    .including(all: Library.Book.awards).asRequest(of: NamedBook.self))
            try check(SQLRequest<Employee>(sql: "SELECT 1 AS id UNION ALL SELECT 2"))
            // The column and the scope have the same name.
            struct Titled: Codable, FetchableRecord { var author: String }
            let titled = Library.Book.including(required: Library.Book.author)
                .annotated(with: Column("title").forKey("author")).asRequest(of: Titled.self)
            try check(titled)
            // A missing association is an error in both.
            let confused = Library.Book.all().asRequest(of: Confused.self)
            #expect(throws: RowDecodingError.self) { try confused.fetchAll(db) }
            #expect(throws: RowDecodingError.self) { try confused.json(db) }
        }
    }

    // MARK: Connections

    @Test(arguments: ConnectionKind.allCases)
    func connections(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        try writer.write { db in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT)")
            for id in 1...3000 {
                try db.execute(
                    sql: "INSERT INTO t VALUES (?, ?)", arguments: [id, String(repeating: "é", count: id % 100)])
            }
        }
        // Several chunks.
        let json = try writer.read { try Table("t").order(Column("id")).json($0) }
        let rows = try #require(JSONSerialization.jsonObject(with: json) as? [[String: Any]])
        #expect(rows.count == 3000)
        #expect(
            rows.enumerated().allSatisfy { $1["id"] as? Int == $0 + 1 && ($1["x"] as? String)?.count == ($0 + 1) % 100 }
        )
    }
}
