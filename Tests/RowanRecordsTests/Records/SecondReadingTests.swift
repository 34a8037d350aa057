// What a second reader found wrong with generated records: each test failed before.

import Foundation
import Rowan
import RowanRecords
import Testing

@Record("pair") private struct OwnEncoding {
    var a: Int?
    var b: String

    func encode(to container: inout PersistenceContainer) {
        container["a"] = a
        container["b"] = b
    }
}

@Record("account") private struct Account: Equatable {
    var id: Int64?
    var email: String
}

private enum Shop {
    /// A storage beside a nested record.
    struct Cents: ColumnStorage {
        func databaseValue(of value: Double) -> DatabaseValue { Int64((value * 100).rounded()).databaseValue }
        func value(from column: ColumnValue) -> Double? { column.int64.map { Double($0) / 100 } }
    }

    @Record("product") struct Product: Equatable {
        var id: Int64?
        @Column(as: Cents()) var price: Double?
        @Column(as: .milliseconds) var made: Date?
    }
}

@Record("level") private struct Level: Equatable {
    @PrimaryKey @Column(as: LevelStorage()) var level: Int
    var name: String
}

@Record("document") private struct Document {
    let id: String
    var revision: Int
    mutating func willInsert(_ db: Database) throws { revision += 1 }
}

extension Outer.Inner {
    @Record("nested") struct Nested: Equatable {
        var id: Int64?
        var name: String
    }
}

extension Box {
    @Record("nested") struct Part: Equatable {
        var id: Int64?
        var name: String
    }
}

@Record("node") private struct Node: Equatable {
    var id: Int64?
    var isOpen: Bool
    @References(Node.self) var parentID: Int64?
}

/// The keys of Codable are not those of columns.
@Record("renamed") private struct Renamed: Codable {
    var id: Int64?
    var teamID: String?
    var label: String?

    enum CodingKeys: String, CodingKey {
        case id, label
        case teamID = "team_id"
    }
}

/// A rowid that the program sees multiplied by ten.
struct TenfoldStorage: ColumnStorage {
    func databaseValue(of value: Int64) -> DatabaseValue { (value / 10).databaseValue }
    func value(from column: ColumnValue) -> Int64? { column.int64.map { $0 * 10 } }
}

@available(macOS 10.15, *)
@Record("nested") private struct Tenfold: Equatable {
    @Column(as: TenfoldStorage()) var id: Int64?
    var name: String
}

@Record private struct Owner {
    var id: Int64?
}

@Record private struct Thing {
    var id: Int64?
    @References(Owner.self, onDelete: .cascade, onUpdate: .restrict) var ownerID: Int64
    @References(Owner.self) var userID: Int64
    @References(Owner.self, onDelete: .setNull) @Column("the maker") var makerID: Int64?
}

@Record private struct Stored {
    enum Kind: String, DatabaseValueConvertible { case draft, done }
    enum Level: Int, Codable, DatabaseValueConvertible { case low = 1 }
    var id: Int64?
    var date: Date
    var uuid: UUID
    var data: Data
    var url: URL
    var decimal: Decimal
    var kind: Kind
    var level: Level
    var tags: [String]
    @Column(as: .unixTime) var unixTime: Date
    var note: String?
    @Column(as: .uuidText) var uuidText: UUID
}

/// A type whose code must not run.
private struct Trapping: DatabaseValueConvertible, Codable {
    let text: String
    init(_ text: String) {
        precondition(text.count == 2)
        self.text = text
    }
    init(from decoder: any Decoder) throws { fatalError("checkSchema calls init(from:)") }
    var databaseValue: DatabaseValue { text.databaseValue }
    static func fromDatabaseValue(_ value: DatabaseValue) -> Trapping? {
        String.fromDatabaseValue(value).map { Trapping($0) }
    }
}

private struct TrappingStorage: ColumnStorage {
    func databaseValue(of value: Trapping) -> DatabaseValue { value.databaseValue }
    func value(from column: ColumnValue) -> Trapping? { column.string.map { Trapping($0) } }
}

@Record("own") private struct OwnTypes {
    enum Level: Int, Codable { case low, high }
    struct Options: OptionSet, Codable { let rawValue: Int }
    var id: Int64
    var level: Level
    var options: Options
    var code: Trapping
    @Column(as: .json) var number: Int
    @Column(as: .json) var uuid: UUID
    var value: DatabaseValue
    @Column(as: TrappingStorage()) var secret: Trapping
}

@Record("strict") private struct Strict {
    var id: Int64
    var tags: [String]
    var at: Date
    var any: String
}

@Record("coded") struct HiddenID {
    private var id: Int64
    var uid: Int
}

@Record("coded") private struct RenamedID {
    @Column("uid") var id: Int64
    @Column("id") var other: Int
}

@Record("hidden") private struct HiddenRowID: Equatable {
    @PrimaryKey var rowid: Int64?
    var n: Int
}

@Record private struct Keyed {
    @PrimaryKey var first: String
    @PrimaryKey var second: String
    var third: String
}

@Record private struct OwnReading {
    var id: Int64?
    var name: String?

    init(row: Row) throws { (id, name) = (row["id"], row["name"]) }
}

@Suite("Generated records, read a second time")
struct SecondReadingTests {
    @Test("An encode(to:) of the type's own is used at each write")
    func ownEncoding() throws {
        try inDatabase("CREATE TABLE pair (a INTEGER PRIMARY KEY, b TEXT)") { db in
            for number in 1...4 { try OwnEncoding(a: number, b: "\(number)").insert(db) }
            for number in 1...3 { try OwnEncoding(a: number, b: "new \(number)").update(db) }
            #expect(try String.fetchAll(db, sql: "SELECT b FROM pair ORDER BY a") == ["new 1", "new 2", "new 3", "4"])
            var record = OwnEncoding(a: nil, b: "5")
            try record.insert(db)
            record.a = nil
        }
    }

    @Test("An upsert that updates keeps the id of its row")
    func upserts() throws {
        try inDatabase("CREATE TABLE account (id INTEGER PRIMARY KEY, email TEXT UNIQUE); CREATE TABLE other (x)") {
            db in
            for email in ["a", "b", "c"] { _ = try Account(id: nil, email: email).inserted(db) }
            for _ in 1...3 {
                try db.execute(sql: "INSERT INTO other VALUES (1), (2), (3), (4), (5)")
                for (email, id) in [("a", 1), ("b", 2), ("c", 3)] as [(String, Int64)] {
                    var account = Account(id: nil, email: email)
                    try account.upsert(db)
                    #expect(account.id == id)
                }
            }
            #expect(try Account.fetchCount(db) == 3)
        }
    }

    @Test("An ignored conflict leaves no rowid, with returned rows too")
    func ignored() throws {
        try inDatabase("CREATE TABLE account (id INTEGER PRIMARY KEY, email TEXT UNIQUE)") { db in
            _ = try Account(id: nil, email: "a").inserted(db)
            for _ in 1...2 {
                var same = Account(id: nil, email: "a")
                let id = try same.insertAndFetch(db, onConflict: .ignore, selection: [Column("id")]) {
                    try Int64.fetchOne($0)
                }
                #expect(id == nil)
                #expect(same.id == nil)
            }
        }
    }

    private static let products = "CREATE TABLE product (id INTEGER PRIMARY KEY, price INTEGER, made INTEGER)"

    @Test("Pages of an order by a column with a storage of its own have all rows")
    func pages() throws {
        try inDatabase(Self.products) { db in
            for price in [5, 1.25, 3, 3, nil, 2, 4] as [Double?] {
                _ = try Shop.Product(id: nil, price: price).inserted(db)
            }
            for request in [Shop.Product.order { $0.price }, Shop.Product.order { $0.price.desc }] {
                let expected = try request.order { [$0.price, $0.id] }.fetchCount(db)
                var prices: [Double?] = []
                var page = try request.page(size: 2).fetch(db)
                prices += page.elements.map(\.price)
                while let next = page.next {
                    page = try request.page(after: next, size: 2).fetch(db)
                    prices += page.elements.map(\.price)
                }
                #expect(prices.count == expected)
                #expect(try prices == request.fetchAll(db).map(\.price))
            }
        }
    }

    @Test("Typed reads, comparisons with a default, and subqueries convert")
    func conversions() throws {
        try inDatabase(Self.products) { db in
            let date = Date(timeIntervalSince1970: 1_700_000_000)
            for price in [1.25, 2.5, nil] as [Double?] {
                _ = try Shop.Product(id: nil, price: price, made: date).inserted(db)
            }
            let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM product"))
            #expect(row[Shop.Product.Columns.price] == 1.25)
            #expect(row[Shop.Product.Columns.made] == date)
            #expect(try row.decode(Shop.Product.Columns.price) == 1.25)
            let null = try #require(try Row.fetchOne(db, sql: "SELECT * FROM product WHERE price IS NULL"))
            #expect(null[Shop.Product.Columns.price] == nil)
            #expect(try Shop.Product.filter { ($0.price ?? 2.5) == 2.5 }.fetchCount(db) == 2)
            #expect(try Shop.Product.filter { $0.price == nil }.fetchCount(db) == 1)
            #expect(try Shop.Product.filter { $0.price == $0.price }.fetchCount(db) == 2)
            // Without its type, a column is compared with, and set to, what is stored.
            #expect(try Shop.Product.filter(Column("price") == 250).fetchCount(db) == 1)
            try Shop.Product.filter(Column("price") == 250).updateAll(db, Column("price").set(to: 300))
            #expect(try Shop.Product.fetchOne(db, key: 2)?.price == 3)
        }
    }

    @Test("All ways to name a key convert it")
    func keys() throws {
        try inDatabase("CREATE TABLE level (level TEXT PRIMARY KEY, name TEXT)") { db in
            for level in 1...20 { try Level(level: level, name: "\(level)").insert(db) }
            #expect(try Level.fetchOne(db, key: 2)?.name == "2")
            #expect(try Level.filter(key: 2).fetchAll(db).map(\.name) == ["2"])
            #expect(try Level.fetchAll(db, keys: [2, 3]).count == 2)
            #expect(try Level.fetchAll(db, keys: Array(1...18)).count == 18)
            #expect(try Level.fetchOne(db, key: ["level": 2])?.name == "2")
            #expect(try Level.fetchAll(db, keys: [["level": 2], ["level": 3]]).count == 2)
            #expect(try Level.find(db, key: 5).level == 5)
            #expect(try Level.exists(db, key: 6))
            #expect(try Level.deleteAll(db, keys: [7, 8]) == 2)
            #expect(try Level.deleteOne(db, key: 9))
            #expect(try Level(level: 10, name: "").delete(db))
            #expect(try Level.fetchCount(db) == 16)
        }
    }

    @Test("A reference to the own type, and negated conditions")
    func ownReference() throws {
        try inDatabase("CREATE TABLE node (id INTEGER PRIMARY KEY, isOpen, parentID INTEGER REFERENCES node)") { db in
            for (isOpen, parent) in [(true, nil), (false, 1), (true, 2)] as [(Bool, Int64?)] {
                _ = try Node(id: nil, isOpen: isOpen, parentID: parent).inserted(db)
            }
            #expect(try Node.filter { !$0.isOpen }.fetchAll(db).map(\.id) == [2])
            #expect(try Node.joining(required: Node.parent.filter { $0.isOpen == true }).fetchAll(db).map(\.id) == [2])
        }
    }

    @Test("checkSchema knows the properties of a generated type")
    func schema() throws {
        try inDatabase(
            """
            CREATE TABLE node (id INTEGER PRIMARY KEY, isOpen, parentID INTEGER REFERENCES node);
            CREATE TABLE account (id INTEGER PRIMARY KEY, email TEXT NOT NULL, other INTEGER NOT NULL);
            CREATE TABLE renamed (id INTEGER PRIMARY KEY, team_id TEXT, label TEXT AS (team_id));
            """
        ) { db in
            let node = try db.checkSchema(of: Node.self).map(\.description)
            #expect(
                node == [
                    "Node: the column \"isOpen\" of \"node\" can be NULL: declare it NOT NULL, or make the property optional",
                    "Node: no index of \"node\" begins with \"parentID\", which refers to \"node\": add an index",
                ])
            let account = try db.checkSchema(of: Account.self).map(\.description)
            #expect(
                account == [
                    "Account: the column \"other\" of \"account\" is NOT NULL without a default, and is never stored: store "
                        + "it, or add a default"
                ])
            let renamed = try db.checkSchema(of: Renamed.self).map(\.description)
            #expect(
                renamed == [
                    "Renamed: the column \"teamID\" of \"renamed\" does not exist: add it to the table, or remove it from "
                        + "the type",
                    "Renamed: the column \"label\" of \"renamed\" is generated, and can't be stored: do not encode it",
                ])
        }
    }

    @Test("checkSchema compares references with foreign keys")
    func references() throws {
        try inDatabase(
            """
            CREATE TABLE owner (id INTEGER PRIMARY KEY);
            CREATE TABLE thing (id INTEGER PRIMARY KEY, ownerID INTEGER NOT NULL REFERENCES owner ON DELETE SET NULL,
                userID INTEGER NOT NULL REFERENCES owner, "the maker" INTEGER);
            CREATE INDEX thing_owner ON thing(ownerID); CREATE INDEX thing_user ON thing(userID);
            """
        ) { db in
            let thing = try db.checkSchema(of: Thing.self).map(\.description)
            #expect(
                thing == [
                    "Thing: the foreign key of the column \"ownerID\" of \"thing\" has ON DELETE SET NULL, and its property "
                        + "declares ON DELETE CASCADE: change one of them",
                    "Thing: the foreign key of the column \"ownerID\" of \"thing\" has ON UPDATE NO ACTION, and its property "
                        + "declares ON UPDATE RESTRICT: change one of them",
                    "Thing: the column \"the maker\" of \"thing\" has no foreign key: add it to the table, or remove "
                        + "@References from the property",
                ])
            try db.execute(
                sql: """
                    DROP TABLE thing;
                    CREATE TABLE thing (id INTEGER PRIMARY KEY,
                        ownerID INTEGER NOT NULL REFERENCES owner ON DELETE CASCADE ON UPDATE RESTRICT,
                        userID INTEGER NOT NULL REFERENCES owner, "the maker" INTEGER REFERENCES owner ON DELETE SET NULL);
                    CREATE INDEX thing_owner ON thing(ownerID); CREATE INDEX thing_user ON thing(userID);
                    CREATE INDEX thing_maker ON thing("the maker");
                    """)
            #expect(try db.checkSchema(of: Thing.self).isEmpty)
        }
    }

    @Test("checkSchema finds the foreign key of a column among those of several, and its table")
    func referencedTables() throws {
        try inDatabase(
            """
            CREATE TABLE owner (id INTEGER PRIMARY KEY, second INTEGER, UNIQUE (id, second));
            CREATE TABLE other (id INTEGER PRIMARY KEY);
            CREATE TABLE thing (id INTEGER PRIMARY KEY,
                ownerID INTEGER NOT NULL REFERENCES owner ON DELETE CASCADE ON UPDATE RESTRICT,
                userID INTEGER NOT NULL REFERENCES other, "the maker" INTEGER REFERENCES owner ON DELETE SET NULL,
                FOREIGN KEY (ownerID, "the maker") REFERENCES owner(id, second) ON DELETE RESTRICT);
            CREATE INDEX thing_owner ON thing(ownerID, "the maker"); CREATE INDEX thing_user ON thing(userID);
            CREATE INDEX thing_maker ON thing("the maker");
            """
        ) { db in
            let found = try db.checkSchema(of: Thing.self).map(\.description)
            #expect(
                found == [
                    "Thing: the foreign key of the column \"userID\" of \"thing\" refers to \"other\", and its property "
                        + "declares \"owner\": change one of them"
                ])
        }
    }

    @Test("checkSchema compares what generated types store with the types of the columns")
    func storedTypes() throws {
        try inDatabase(
            """
            CREATE TABLE stored (id INTEGER PRIMARY KEY, date INTEGER NOT NULL, uuid TEXT NOT NULL, data TEXT NOT NULL,
                url INTEGER NOT NULL, decimal INTEGER NOT NULL, kind INTEGER NOT NULL, level TEXT NOT NULL,
                tags INTEGER NOT NULL, unixTime TEXT NOT NULL, note BLOB, uuidText BLOB NOT NULL);
            """
        ) { db in
            let found = try db.checkSchema(of: Stored.self).compactMap { mismatch -> String? in
                guard case .type(let property, let column) = mismatch.kind else { return mismatch.description }
                return "\(mismatch.column ?? "") \(property) \(column)"
            }
            #expect(
                found == [
                    "date TEXT INTEGER", "uuid BLOB TEXT", "data BLOB TEXT", "url TEXT INTEGER",
                    "decimal TEXT INTEGER", "kind TEXT INTEGER", "level INTEGER TEXT", "tags TEXT INTEGER",
                    "unixTime INTEGER TEXT", "note TEXT BLOB",
                ])
            try db.execute(
                sql: """
                    DROP TABLE stored;
                    CREATE TABLE stored (id INTEGER PRIMARY KEY, date DATETIME NOT NULL, uuid BLOB NOT NULL,
                        data BLOB NOT NULL, url TEXT NOT NULL, decimal TEXT NOT NULL, kind TEXT NOT NULL,
                        level INTEGER NOT NULL, tags JSON NOT NULL, unixTime INTEGER NOT NULL, note TEXT,
                        uuidText TEXT NOT NULL)
                    """)
            #expect(try db.checkSchema(of: Stored.self).isEmpty)
        }
    }

    @Test("checkSchema knows how types of the program are stored, and runs none of their code")
    func ownTypes() throws {
        try inDatabase(
            """
            CREATE TABLE own (id INTEGER PRIMARY KEY, level INTEGER NOT NULL, options INTEGER NOT NULL, code TEXT NOT NULL,
                number TEXT NOT NULL, uuid TEXT NOT NULL, value TEXT, secret INTEGER NOT NULL);
            CREATE TABLE strict (id INTEGER PRIMARY KEY, tags BLOB NOT NULL, at BLOB NOT NULL, any ANY NOT NULL) STRICT;
            """
        ) { db in
            #expect(try db.checkSchema(of: OwnTypes.self).isEmpty)
            let own = OwnTypes(
                id: 1, level: .high, options: .init(rawValue: 3), code: Trapping("ab"), number: 7, uuid: UUID(),
                value: "a".databaseValue, secret: Trapping("cd"))
            try own.insert(db)
            #expect(try OwnTypes.fetchAll(db).map(\.options) == [.init(rawValue: 3)])
            try db.execute(
                sql: "ALTER TABLE own RENAME level TO other; ALTER TABLE own ADD level TEXT NOT NULL DEFAULT ''")
            let found = try db.checkSchema(of: OwnTypes.self)
            #expect(found.map(\.kind) == [.type(property: "INTEGER", column: "TEXT"), .unstoredColumn])
            // Such a table refuses what others convert.
            let strict = try db.checkSchema(of: Strict.self)
            #expect(strict.map(\.column) == ["tags", "at"])
            try db.execute(
                sql: "DROP TABLE strict; CREATE TABLE strict (id INTEGER PRIMARY KEY, tags BLOB, at BLOB, any ANY)")
            // Its affinity is NUMERIC: '007' becomes 7.
            let any = try db.checkSchema(of: Strict.self).filter { $0.kind != .nullableColumn }
            #expect(any.map(\.column) == ["any"])
        }
    }

    @Test("checkSchema finds a property id that is not the key")
    func otherIDs() throws {
        try inDatabase("CREATE TABLE coded (code TEXT NOT NULL PRIMARY KEY, id INTEGER NOT NULL, uid INTEGER NOT NULL)")
        { db in
            let hidden = try db.checkSchema(of: HiddenID.self).map(\.kind)
            #expect(hidden == [.unstoredKey, .primaryKey(declared: ["id"], found: ["code"])])
            let renamed = try db.checkSchema(of: RenamedID.self).map(\.kind)
            #expect(renamed == [.unstoredKey, .identity(primaryKey: ["code"])])
        }
    }

    @Test("A record keeps the hidden rowid of a table without a key")
    func hiddenRowID() throws {
        try inDatabase("CREATE TABLE hidden (n INTEGER UNIQUE)") { db in
            for n in 1...3 {
                var record = HiddenRowID(rowid: nil, n: n)
                try record.insert(db)
                #expect(record.rowid == Int64(n))
                record.n += 10
                try record.update(db)
            }
            var record = HiddenRowID(rowid: nil, n: 11)
            try record.insert(db, onConflict: .ignore)
            #expect(record.rowid == nil)
            var records = (1...70).map { HiddenRowID(rowid: nil, n: $0 + 100) }
            try HiddenRowID.insertAll(db, &records)
            #expect(try HiddenRowID.filter { $0.n > 100 }.fetchAll(db) == records && records[69].rowid == 73)
            var upserted = HiddenRowID(rowid: nil, n: 500)
            try upserted.upsert(db)
            #expect(upserted.rowid == 74)
        }
    }

    @Test("checkSchema compares the declared primary key")
    func primaryKeys() throws {
        try inDatabase(
            "CREATE TABLE keyed (second TEXT NOT NULL, first TEXT NOT NULL, third TEXT NOT NULL, PRIMARY KEY (first, third))"
        ) { db in
            let sentence =
                "Keyed: the primary key of \"keyed\" is \"first\", \"third\", and @PrimaryKey declares \"first\", "
                + "\"second\": change one of them"
            #expect(try db.checkSchema(of: Keyed.self).map(\.description) == [sentence])
            try db.execute(
                sql: """
                    DROP TABLE keyed;
                    CREATE TABLE keyed (first TEXT NOT NULL, SECOND TEXT NOT NULL, third TEXT NOT NULL,
                        PRIMARY KEY (second, first))
                    """)
            #expect(try db.checkSchema(of: Keyed.self).isEmpty)
        }
    }

    @Test("checkSchema examines what a type with its own init(row:) stores")
    func ownReading() throws {
        try inDatabase("CREATE TABLE ownReading (id INTEGER PRIMARY KEY, name INTEGER, other TEXT NOT NULL)") { db in
            let found = try db.checkSchema(of: OwnReading.self).map(\.description)
            #expect(
                found == [
                    "OwnReading: the column \"other\" of \"ownReading\" is NOT NULL without a default, and is never "
                        + "stored: store it, or add a default",
                    "OwnReading: not completely examined, because it has its own init(row:): what it reads is unknown",
                ])
        }
    }

    @Test("A mutating callback changes the record itself")
    func mutatingCallback() throws {
        try inDatabase("CREATE TABLE document (id TEXT PRIMARY KEY, revision INTEGER)") { db in
            for id in ["a", "b"] {
                var document = Document(id: id, revision: 0)
                try document.insert(db)
                #expect(document.revision == 1)
            }
        }
    }

    @Test("Records in extensions of nested and of generic types, and keys with a storage of their own")
    func nested() throws {
        try inDatabase("CREATE TABLE nested (id INTEGER PRIMARY KEY, name TEXT)") { db in
            var nested = Outer.Inner.Nested(id: nil, name: "a")
            try nested.insert(db)
            #expect(try Outer.Inner.Nested.filter { $0.name == "a" }.fetchOne(db) == nested)
            var part = Box<Int>.Part(id: nil, name: "b")
            try part.insert(db)
            #expect(try Box<Int>.Part.filter { $0.name == "b" }.fetchOne(db) == part)
            for _ in 1...2 {
                var tenfold = Tenfold(id: nil, name: "c")
                try tenfold.insert(db)
                let rowID = db.lastInsertedRowID
                #expect(tenfold.id == rowID * 10)
                tenfold.name = "d"
                try tenfold.update(db)
                #expect(try String.fetchOne(db, sql: "SELECT name FROM nested WHERE id = ?", arguments: [rowID]) == "d")
            }
        }
    }
}
