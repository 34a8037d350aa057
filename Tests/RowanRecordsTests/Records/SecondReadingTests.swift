// Regression tests for generated records.

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
    /// A storage next to a nested record.
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

/// The keys of Codable differ from the columns.
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

@Record("hidden") private struct HiddenRowID: Equatable {
    @PrimaryKey var rowid: Int64?
    var n: Int
}

@Suite("Regressions of generated records")
struct SecondReadingTests {
    @Test("The type's own encode(to:) is used for each write")
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

    @Test("An ignored conflict leaves no rowid, also with returned rows")
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

    @Test("Pages ordered by a column with its own storage contain all rows")
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
            // Without its type, a column is compared with and set to stored values.
            #expect(try Shop.Product.filter(Column("price") == 250).fetchCount(db) == 1)
            try Shop.Product.filter(Column("price") == 250).updateAll(db, Column("price").set(to: 300))
            #expect(try Shop.Product.fetchOne(db, key: 2)?.price == 3)
        }
    }

    @Test("All ways to specify a key convert it")
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

    @Test("A reference to the same type, and negated conditions")
    func ownReference() throws {
        try inDatabase("CREATE TABLE node (id INTEGER PRIMARY KEY, isOpen, parentID INTEGER REFERENCES node)") { db in
            for (isOpen, parent) in [(true, nil), (false, 1), (true, 2)] as [(Bool, Int64?)] {
                _ = try Node(id: nil, isOpen: isOpen, parentID: parent).inserted(db)
            }
            #expect(try Node.filter { !$0.isOpen }.fetchAll(db).map(\.id) == [2])
            #expect(try Node.joining(required: Node.parent.filter { $0.isOpen == true }).fetchAll(db).map(\.id) == [2])
        }
    }

    @Test("checkSchema uses the properties of a generated type")
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

    @Test("A record stores the hidden rowid of a table without a key")
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

    @Test("Records in extensions of nested and generic types, and keys with their own storage")
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
