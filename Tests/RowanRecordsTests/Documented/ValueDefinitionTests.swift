// Members stored differently than their type: amounts, dates, JSON, data, enums, links.

import Foundation
import Rowan
import RowanRecords
import Testing

private struct Address: Codable, Equatable {
    var street: String
    var city: String
    var country: String
}

private struct Achievement: Codable, Equatable {
    var name: String
    var date: Date
}

private enum Color: String, Codable, DatabaseValueConvertible { case red, white, rose }

private enum Grape: Int, Codable { case chardonnay, merlot, riesling }

/// Data stored as text, as the strategy `.text` stores it.
private struct TextData: ColumnStorage {
    func databaseValue(of value: Data) -> DatabaseValue {
        String(bytes: value, encoding: .utf8)?.databaseValue ?? value.databaseValue
    }
    func value(from column: ColumnValue) -> Data? { column.string.map { Data($0.utf8) } }
}

private enum Documented {
    /// Amounts are stored as cents, in a private property.
    struct Product: Codable, FetchableRecord, MutablePersistableRecord {
        var id: Int64?
        var name: String
        private var priceCents: Int

        var price: Decimal {
            get { Decimal(priceCents) / 100 }
            set { priceCents = Self.cents(for: newValue) }
        }

        init(name: String, price: Decimal) {
            self.name = name
            priceCents = Self.cents(for: price)
        }

        private static func cents(for value: Decimal) -> Int { NSDecimalNumber(decimal: value * 100).intValue }
        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    struct Player: Codable, FetchableRecord, PersistableRecord {
        var id: String
        var name: String
        var address: Address
        var former: Address?
        var achievements: [Achievement]
        var scores: [String: Int]
    }

    struct Team: Codable, FetchableRecord, PersistableRecord {
        static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy { .text }
        var id: String
        var color: String
        var info: Data
    }

    struct Wine: Codable, FetchableRecord, MutablePersistableRecord {
        var id: Int64?
        var color: Color
        var grape: Grape?
        var url: URL
        var label: Data?
        var volume: Float
        var isOpen: Bool?
        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    /// The full name is a generated column: it is read but not written.
    struct Person: FetchableRecord, MutablePersistableRecord {
        var id: Int64?
        var first: String
        var last: String
        var fullName: String?

        init(id: Int64?, first: String, last: String, fullName: String?) {
            (self.id, self.first, self.last, self.fullName) = (id, first, last, fullName)
        }

        init(row: Row) {
            id = row["id"]
            first = row["first"]
            last = row["last"]
            fullName = row["fullName"]
        }

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["first"] = first
            container["last"] = last
        }

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }
}

private enum ByMacro {
    @Record struct Product {
        var id: Int64?
        var name: String
        private var priceCents: Int

        var price: Decimal {
            get { Decimal(priceCents) / 100 }
            set { priceCents = Self.cents(for: newValue) }
        }

        init(name: String, price: Decimal) {
            self.name = name
            priceCents = Self.cents(for: price)
        }

        private static func cents(for value: Decimal) -> Int { NSDecimalNumber(decimal: value * 100).intValue }
    }

    @Record struct Player {
        var id: String
        var name: String
        var address: Address
        var former: Address?
        @Column(as: .json) var achievements: [Achievement]
        var scores: [String: Int]
    }

    @Record struct Team {
        var id: String
        var color: String
        @Column(as: TextData()) var info: Data
    }

    @Record struct Wine {
        var id: Int64?
        var color: Color
        var grape: Grape?
        var url: URL
        var label: Data?
        var volume: Float
        var isOpen: Bool?
    }

    @Record struct Person {
        var id: Int64?
        var first: String
        var last: String
        @Column(generated: true) var fullName: String?
    }
}

@Suite("Documented members and their storage")
struct ValueDefinitionTests {
    private func use<Value>(
        _ column: String, _ value: any DatabaseValueConvertible, _ make: (Int) -> Value,
        change: @escaping (inout Value, Int) -> Void
    ) -> Use<Value> {
        Use(
            samples: (1...3).map(make), spares: (4...6).map(make), column: column, value: value.databaseValue,
            change: change)
    }

    @Test("Amounts as cents")
    func amounts() throws {
        func price(_ number: Int) -> Decimal { Decimal(number) + Decimal(string: "0.29")! }
        try expectSame(
            "CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT NOT NULL, priceCents INTEGER NOT NULL)",
            documented: use("priceCents", 229) {
                Documented.Product(name: "\($0)", price: price($0))
            } change: {
                $0.price += Decimal($1)
            },
            byMacro: use("priceCents", 229) {
                ByMacro.Product(name: "\($0)", price: price($0))
            } change: {
                $0.price += Decimal($1)
            }, .columnsAreListed(ByMacro.Product.self))
    }

    @Test("JSON")
    func json() throws {
        func address(_ number: Int) -> Address { Address(street: "\(number)/é\"", city: "Ulm", country: "DE") }
        func list(_ number: Int) -> [Achievement] {
            (1..<number).map { Achievement(name: "\($0)", date: Date(timeIntervalSince1970: Double($0) + 0.125)) }
        }
        try expectSame(
            """
            CREATE TABLE player (
                id TEXT PRIMARY KEY, name TEXT NOT NULL, address TEXT NOT NULL, former TEXT, achievements TEXT NOT NULL,
                scores TEXT NOT NULL)
            """,
            documented: use("name", "2") {
                Documented.Player(
                    id: "\($0)", name: "\($0)", address: address($0), former: $0 == 2 ? nil : address($0 + 1),
                    achievements: list($0), scores: ["a": $0, "b": 1])
            } change: {
                $0.address.street += "\($1)"
                $0.former = $1 % 3 == 0 ? nil : $0.address
                $0.achievements += list($1)
            }.requesting(
                Documented.Player.filter(JSONColumn("address")["country"] == "DE"),
                Documented.Player.filter(JSONColumn("scores")["a"] > 1)),
            byMacro: use("name", "2") {
                ByMacro.Player(
                    id: "\($0)", name: "\($0)", address: address($0), former: $0 == 2 ? nil : address($0 + 1),
                    achievements: list($0), scores: ["a": $0, "b": 1])
            } change: {
                $0.address.street += "\($1)"
                $0.former = $1 % 3 == 0 ? nil : $0.address
                $0.achievements += list($1)
            }.requesting(
                ByMacro.Player.filter { $0.address["country"] == "DE" }, ByMacro.Player.filter { $0.scores["a"] > 1 }),
            .columnsAreListed(ByMacro.Player.self))
    }

    @Test("Data as text")
    func data() throws {
        func json(_ number: Int) -> Data { Data("{\"a\":\(number)}".utf8) }
        try expectSame(
            "CREATE TABLE team (id TEXT PRIMARY KEY, color TEXT NOT NULL, info TEXT NOT NULL)",
            documented: use("color", "2") {
                Documented.Team(id: "\($0)", color: "\($0)", info: json($0))
            } change: {
                $0.info = json($1)
            }.requesting(Documented.Team.filter(Column("info") == json(3))),
            byMacro: use("color", "2") {
                ByMacro.Team(id: "\($0)", color: "\($0)", info: json($0))
            } change: {
                $0.info = json($1)
            }.requesting(ByMacro.Team.filter { $0.info == json(3) }), .columnsAreListed(ByMacro.Team.self))
    }

    @Test("Enums, links, optional members and data")
    func wines() throws {
        let url = URL(string: "https://example.com/a?b=1#c")!
        try expectSame(
            """
            CREATE TABLE wine (
                id INTEGER PRIMARY KEY, color TEXT NOT NULL, grape INTEGER, url TEXT NOT NULL, label BLOB,
                volume DOUBLE NOT NULL, isOpen BOOLEAN)
            """,
            documented: use("color", "white") {
                Documented.Wine(
                    id: nil, color: $0 % 2 == 0 ? .white : .red, grape: Grape(rawValue: $0), url: url,
                    label: $0 == 1 ? nil : Data([UInt8($0), 0]), volume: 0.7, isOpen: [nil, true, false][$0 % 3])
            } change: {
                $0.grape = Grape(rawValue: $1)
                $0.color = .rose
                $0.volume += 0.1
            }.requesting(Documented.Wine.filter(Column("color") == Color.rose)),
            byMacro: use("color", "white") {
                ByMacro.Wine(
                    id: nil, color: $0 % 2 == 0 ? .white : .red, grape: Grape(rawValue: $0), url: url,
                    label: $0 == 1 ? nil : Data([UInt8($0), 0]), volume: 0.7, isOpen: [nil, true, false][$0 % 3])
            } change: {
                $0.grape = Grape(rawValue: $1)
                $0.color = .rose
                $0.volume += 0.1
            }.requesting(ByMacro.Wine.filter { $0.color == .rose }), .columnsAreListed(ByMacro.Wine.self))
    }

    @Test("A generated column")
    func generated() throws {
        try expectSame(
            """
            CREATE TABLE person (
                id INTEGER PRIMARY KEY, first TEXT NOT NULL, last TEXT NOT NULL,
                fullName TEXT GENERATED ALWAYS AS (first || ' ' || last) VIRTUAL)
            """,
            documented: use("last", "2") {
                Documented.Person(id: nil, first: "a\($0)", last: "\($0)", fullName: nil)
            } change: {
                $0.first += "\($1)"
            }.requesting(Documented.Person.filter(Column("fullName") == "a2 2")),
            byMacro: use("last", "2") {
                ByMacro.Person(id: nil, first: "a\($0)", last: "\($0)", fullName: nil)
            } change: {
                $0.first += "\($1)"
            }.requesting(ByMacro.Person.filter { $0.fullName == "a2 2" }), .columnsAreListed(ByMacro.Person.self))
    }
}
