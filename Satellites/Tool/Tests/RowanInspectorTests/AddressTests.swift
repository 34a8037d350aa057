// Addresses, and the keys and conditions in them.

import Foundation
import Rowan
import Testing

@testable import RowanInspector

@Suite struct AddressTests {
    private static let names = [
        "player", "a b", "a/b", ".", "..", "...", "~", "~.", "%2e", "é", "名前", "?", "#", "&=;+", "\"'<>", "\n", "\0",
        "a.b",
    ]

    @Test(arguments: names) func namesAreKept(_ name: String) throws {
        let address = Address(["table", name], [("c", name), ("c", "x"), (name, name)])
        #expect(address.text.utf8.allSatisfy { $0 > 32 && $0 < 127 })
        let parsed = Address(text: address.text)
        #expect(parsed.path == ["table", name])
        #expect(parsed.parameters == address.parameters)
        #expect(parsed.values("c") == [name, "x"])
        #expect(parsed.text == address.text)
    }

    @Test func parameters() {
        let address = Address(text: "/table/t?a=1&b=&c&a=2+3%2B4&%zz=%&=x")
        #expect(address.values("a") == ["1", "2 3+4"])
        #expect((address["b"], address["c"], address["missing"]) == (nil, nil, nil))
        #expect(address.values("c") == [""])
        #expect(Address(text: "/?a=1%0D%0A2").values("a") == ["1\n2"])
        #expect(address.values("%zz") == ["%"])
        #expect(address.with(("a", nil), ("d", "5")).text == "/table/t?b=&c=&%25zz=%25&=x&d=5")
        #expect(Address(text: "//x///y/").path == ["x", "y"])
        #expect(Address(text: "").path == [])
    }

    @Test func keys() {
        let values: [DatabaseValue] = [
            .null, Int64.max.databaseValue, Int64.min.databaseValue, 0.1.databaseValue, Double.infinity.databaseValue,
            "".databaseValue, "i5".databaseValue, Data().databaseValue, Data([0, 255]).databaseValue,
        ]
        let key = RowKey(values: values)
        #expect(RowKey(texts: key.texts)?.values == values)
        for text in ["", "x", "u!", "i", "i1.5", "i99999999999999999999", "r", "rxyz", "b%", "5"] {
            #expect(RowKey(texts: [text]) == nil, "\(text)")
        }
        #expect(RowKey(texts: []) == RowKey(values: []))
    }

    /// Texts that an address would change are kept as their bytes.
    @Test(
        arguments: [[0x61, 0xFF], [0x0D, 0x0A], [0x61, 0x0D, 0x0A, 0x62], [0xC3], [0x61, 0x00, 0xFE]] as [[UInt8]])
    func keysThatAreNoTextsOfAddresses(_ bytes: [UInt8]) throws {
        try DatabaseQueue().write { db throws in
            try db.execute(sql: "CREATE TABLE t (k TEXT PRIMARY KEY NOT NULL, v)")
            let insert = "INSERT INTO t VALUES (CAST(? AS TEXT), 1), ('other', 2), (CAST(? AS TEXT), 3)"
            try db.execute(sql: insert, arguments: [Data(bytes), Data(bytes + [0x78])])
            let shape = try TableShape(db, "t")
            let sql: SQL = "SELECT \(shape.selection(characters: 10)) FROM t WHERE v = 1"
            let row = try #require(try SQLRequest<Row>(literal: sql).fetchOne(db))
            let key = try #require(shape.row(row, characters: 10).key)
            let address = Address(text: Address(["t"], key.texts.map { ("key", $0) }).text)
            let read = try #require(RowKey(texts: address.values("key")))
            #expect(read == key)
            let condition: SQL = "SELECT v FROM t WHERE \(read.condition(shape.key))"
            #expect(try SQLRequest<Int>(literal: condition).fetchAll(db) == [1])
        }
    }

    /// Reals are found by the text that the page shows.
    @Test func filtersOfReals() throws {
        try DatabaseQueue().write { db throws in
            db.add(function: RowFilter.textOfReal)
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, r REAL);
                    INSERT INTO t VALUES (1, 1e300), (2, 9e999), (3, -9e999), (4, 0.1), (5, 1e20);
                    """)
            func ids(_ operation: String, _ value: String) throws -> [Int] {
                let filter = RowFilter(column: "r", operation: operation, value: value)
                let sql: SQL = "SELECT id FROM t WHERE \(filter.condition) ORDER BY id"
                return try SQLRequest<Int>(literal: sql).fetchAll(db)
            }
            for value in [1e300, .infinity, -.infinity, 0.1, 1e20].map({ Cell($0.databaseValue).text }).enumerated() {
                #expect(try ids("eq", value.element) == [value.offset + 1])
                #expect(try ids("starts", value.element) == [value.offset + 1])
            }
            #expect(try ids("has", "e+300") == [1])
            #expect(try ids("lt", "inf") == [1, 3, 4, 5])
            #expect(try ids("ne", "inf") == [1, 3, 4, 5])
        }
    }

    /// Each comparison finds the rows that SQLite's operator finds, whatever the types of the column and its values.
    @Test func filters() throws {
        let queue = try DatabaseQueue()
        try queue.write { db throws in
            db.add(function: RowFilter.textOfReal)
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, i INTEGER, s TEXT, a);
                    INSERT INTO t VALUES (1, 5, '5', 5), (2, 50, '50', '5'), (3, NULL, NULL, NULL), (4, 'x%', 'x%', 'X%y'), (5, -1, '05', x'35');
                    """)
            func ids(_ column: String, _ operation: String, _ value: String) throws -> [Int] {
                let filter = RowFilter(column: column, operation: operation, value: value)
                let sql: SQL = "SELECT id FROM t WHERE \(filter.condition) ORDER BY id"
                return try SQLRequest<Int>(literal: sql).fetchAll(db)
            }
            #expect(try ids("i", "eq", "5") == [1])
            #expect(try ids("s", "eq", "5") == [1])
            #expect(try ids("a", "eq", "5") == [1, 2])
            #expect(try ids("a", "ne", "5") == [4, 5])
            #expect(try ids("i", "ne", "5") == [2, 4, 5])
            #expect(try ids("i", "lt", "5") == [5])
            #expect(try ids("i", "le", "5") == [1, 5])
            #expect(try ids("i", "gt", "5") == [2, 4])
            #expect(try ids("i", "ge", "5") == [1, 2, 4])
            #expect(try ids("s", "has", "%") == [4])
            #expect(try ids("a", "starts", "x%") == [4])
            #expect(try ids("s", "starts", "5") == [1, 2])
            #expect(try ids("a", "null", "") == [3])
            #expect(try ids("a", "some", "") == [1, 2, 4, 5])
            #expect(try ids("rowid", "eq", "4") == [4])
            try db.execute(
                sql:
                    "DELETE FROM t; INSERT INTO t(id, s) VALUES (1, '01234'), (2, '1234'), (3, '01500'), (4, '2000'), (5, '0x10'), (6, '16.0')"
            )
            #expect(try ids("s", "eq", "01234") == [1])
            #expect(try ids("s", "eq", "1234") == [2])
            #expect(try ids("s", "eq", "+1234") == [])
            #expect(try ids("s", "eq", "0x10") == [5])
            #expect(try ids("s", "ge", "01234") == [1, 2, 3, 4, 5, 6])
            #expect(try ids("s", "lt", "1234") == [1, 3, 5])
        }
    }
}
