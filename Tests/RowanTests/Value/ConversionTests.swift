// The rules of conversions: SQLite's own conversions are applied, and a loss of value is an error that contains it.

import Foundation
import Rowan
import Testing

@Suite
struct ConversionTests {
    enum Color: String, DatabaseValueConvertible { case red }
    struct Point: Codable, Equatable, DatabaseValueConvertible { var x: Int }

    /// The row of a query, live and copied.
    private func rows(_ sql: String, strict: Bool = false, _ body: (Row) throws -> Void) throws {
        var configuration = Configuration()
        configuration.strictConversions = strict
        try withDatabase(configuration) { db in
            let cursor = try Row.fetchCursor(db, sql: sql)
            let row = try #require(try cursor.next())
            try body(row)
            try body(row.copy())
        }
    }

    @Test(
        "A column is true unless its number is zero",
        arguments: [
            ("0", false), ("1", true), ("-3", true), ("0.0", false), ("0.5", true), ("-0.25", true), ("'abc'", false),
            ("'0.5'", true), ("'12'", true), ("x'31'", true), ("x''", false), ("NULL", nil),
        ] as [(String, Bool?)])
    func booleans(_ sql: String, _ expected: Bool?) throws {
        try DatabaseQueue().read { db in
            #expect(try Bool?.fetchAll(db, sql: "SELECT \(sql)") == [expected])
            let row = try #require(try Row.fetchOne(db, sql: "SELECT \(sql) AS a"))
            if !sql.hasPrefix("'"), !sql.hasPrefix("x") { #expect(row["a"] as Bool? == expected) }
        }
    }

    @Test func conversionsOfSQLite() throws {
        let sql = "SELECT '20 small cigars' AS a, 1.9 AS b, 'abc' AS c, '1.5e1x' AS d, 7 AS e, x'3432' AS f, -1.9 AS g"
        try rows(sql) { row in
            #expect(row["a"] as Int == 20)
            #expect(row["a"] as Int8 == 20)
            #expect(row["b"] as Int == 1)
            #expect(row["g"] as Int == -1)
            #expect(row["c"] as Int == 0)
            #expect(row["c"] as Double == 0)
            #expect(row["d"] as Double == 15)
            #expect(row["d"] as Int == 1)
            #expect(row["e"] as String == "7")
            #expect(row["f"] as Int == 42)
            #expect(row["f"] as String == "42")
            #expect(row["a"] as Data == Data("20 small cigars".utf8))
            #expect(row["b"] as Bool == true)
            #expect(row["c"] as Bool == false)
        }
    }

    /// A copied row converts like the live one, whatever the stored value.
    @Test func copiesConvertAsLiveRows() throws {
        var generator = SeededGenerator(12)
        let seed = generator.seed
        try withDatabase { db in
            for _ in 0..<1_000 {
                let value: DatabaseValue =
                    switch Int.random(in: 0..<6, using: &generator) {
                    case 0: generator.integer(Int64.self).databaseValue
                    case 1: generator.double().databaseValue
                    case 2: generator.data(maxLength: 6).databaseValue
                    case 3: "\(generator.double())".databaseValue
                    case 4: " \(generator.integer(Int64.self))\(generator.integer(Int8.self)) x".databaseValue
                    default: generator.string(maxLength: 6).databaseValue
                    }
                let cursor = try Row.fetchCursor(db, sql: "SELECT ?", arguments: [value])
                let live = try #require(try cursor.next())
                let copy = live.copy()
                let comment = "ROWAN_SEED=\(seed) \(value)"
                #expect(live.databaseValues.first == value, "\(comment)")
                func expectAlike<T: DatabaseValueConvertible & Equatable>(_ type: T.Type) {
                    let one = try? live.decode(type, atIndex: 0)
                    let other = try? copy.decode(type, atIndex: 0)
                    #expect(one == other, "\(type) \(comment)")
                }
                expectAlike(Int.self)
                expectAlike(Int16.self)
                expectAlike(Bool.self)
                // SQLite may round the last digit of a text differently.
                let double = try live.decode(Double.self, atIndex: 0)
                let copied = try copy.decode(Double.self, atIndex: 0)
                #expect(double == copied || abs(double - copied) <= 1e-14 * abs(copied), "\(comment)")
                expectAlike(Data.self)
                expectAlike(Date.self)
                expectAlike(UUID.self)
                expectAlike(Decimal.self)
                // Last, because SQLite considers a blob to be a text once it has been read as one.
                expectAlike(String.self)
            }
        }
    }

    @Test(arguments: [false, true])
    func numbersAreTheBytesOfTheirText(_ strict: Bool) throws {
        try rows("SELECT 1 AS i, 0 AS z, 0.5 AS d, 'a' AS t, x'' AS b", strict: strict) { row throws in
            for (column, text) in [("i", "1"), ("z", "0"), ("d", "0.5")] {
                guard strict else {
                    try #expect(row.decode(Data.self, forColumn: column) == Data(text.utf8))
                    try #expect(row.decode(Data?.self, forColumn: column) == Data(text.utf8))
                    continue
                }
                expectDecodingError("column: \"\(column)\"", "Data") { try row.decode(Data.self, forColumn: column) }
                expectDecodingError("column: \"\(column)\"", "Data") { try row.decode(Data?.self, forColumn: column) }
            }
            if strict {
                expectDecodingError("column: \"t\"", "Data") { try row.decode(Data.self, forColumn: "t") }
            } else {
                try #expect(row.decode(Data.self, forColumn: "t") == Data("a".utf8))
            }
            try #expect(row.decode(Data.self, forColumn: "b") == Data())
        }
    }

    @Test(arguments: [false, true])
    func valuesThatDoNotConvert(_ strict: Bool) throws {
        let sql =
            "SELECT 300 AS a, -1 AS b, NULL AS c, 'yesterday' AS d, 'no-uuid' AS u, '{' AS j, 'blue' AS e, '' AS empty"
        try rows(sql, strict: strict) { row in
            expectDecodingError("column: \"a\"", "300", "Int8") { try row.decode(Int8.self, forColumn: "a") }
            expectDecodingError("column: \"a\"", "300", "UInt8") { try row.decode(UInt8?.self, forColumn: "a") }
            expectDecodingError("column: \"b\"", "-1", "UInt64") { try row.decode(UInt64.self, forColumn: "b") }
            expectDecodingError("column: \"c\"", "NULL", "Int") { try row.decode(Int.self, forColumn: "c") }
            expectDecodingError("column: \"c\"", "NULL", "String") { try row.decode(String.self, forColumn: "c") }
            expectDecodingError("column: \"c\"", "NULL", "Date") { try row.decode(Date.self, forColumn: "c") }
            expectDecodingError("column: \"c\"", "NULL", "Bool") { try row.decode(Bool.self, forColumn: "c") }
            expectDecodingError("column: \"c\"", "NULL", "Data") { try row.decode(Data.self, forColumn: "c") }
            expectDecodingError("column: \"d\"", #""yesterday""#, "Date") { try row.decode(Date.self, forColumn: "d") }
            expectDecodingError("column: \"d\"", "Date") { try row.decode(Date?.self, forColumn: "d") }
            expectDecodingError("column: \"u\"", #""no-uuid""#, "UUID") { try row.decode(UUID.self, forColumn: "u") }
            expectDecodingError("column: \"j\"", #""{""#, "Point") { try row.decode(Point.self, forColumn: "j") }
            expectDecodingError("column: \"e\"", #""blue""#, "Color") { try row.decode(Color.self, forColumn: "e") }
            expectDecodingError("column: \"empty\"", "\"\"", "Date") { try row.decode(Date.self, forColumn: "empty") }
            expectDecodingError("column index: 0", "300", "Int8") { try row.decode(Int8.self, atIndex: 0) }
            let none = try row.decode(Int?.self, forColumn: "c")
            #expect(none == nil)
        }
    }

    @Test func fetchedValuesThatDoNotConvert() throws {
        try withDatabase { db in
            let error = expectDecodingError("Int8", "300", "\"a\"", "SELECT 300 AS a") {
                try Int8.fetchAll(db, sql: "SELECT 300 AS a")
            }
            #expect(error?.column == "a")
            #expect(error?.columnIndex == 0)
            #expect(error?.databaseValue == 300.databaseValue)
            #expect(error?.sql == "SELECT 300 AS a")
            #expect(error?.arguments == [])
            let another = expectDecodingError(
                #"could not decode Int8 from database value 300 - column: "a", column index: 0, row: [a:300 b:"x"], "#
                    + #"sql: `SELECT ? AS a, ? AS b`, arguments: [300, "x"]"#
            ) { try Int8.fetchAll(db, sql: "SELECT ? AS a, ? AS b", arguments: [300, "x"]) }
            #expect(another?.arguments == [300, "x"])
            // Long arguments are truncated in errors.
            let text = String(repeating: "é", count: 10_000)
            let long = expectDecodingError("Int8") {
                try Int8.fetchAll(db, sql: "SELECT 300, ?", arguments: [text])
            }
            #expect((long?.expandedDescription.utf8.count ?? .max) < 400)
            expectDecodingError("Int8") { try Int8.fetchOne(db, sql: "SELECT 300") }
            expectDecodingError("Int8") { try Int8.fetchSet(db, sql: "SELECT 300") }
            expectDecodingError("Int", "NULL") { try Int.fetchAll(db, sql: "SELECT 1 UNION ALL SELECT NULL") }
            let cursor = try Int8.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT 300")
            try #expect(cursor.next() == 1)
            expectDecodingError("Int8") { try cursor.next() }
            let first = try Int.fetchOne(db, sql: "SELECT NULL")
            #expect(first == nil)
            let optional = try Int?.fetchOne(db, sql: "SELECT NULL")
            #expect(optional == .some(nil))
            let noRow = try Int?.fetchOne(db, sql: "SELECT 1 WHERE 0")
            #expect(noRow == nil)
            let all = try Int?.fetchAll(db, sql: "SELECT 1 UNION ALL SELECT NULL")
            #expect(all == [1, nil])
        }
    }

    @Test func missingColumns() throws {
        try rows("SELECT 1 AS a") { row in
            expectDecodingError("column not found: \"b\" - row: [a:1]") { try row.decode(Int.self, forColumn: "b") }
            expectDecodingError("column not found: \"b\"") { try row.decode(Int.self, forColumn: Column("b")) }
            expectDecodingError("is out of range: the row has") { try row.decode(Int.self, atIndex: 1) }
            expectDecodingError("is out of range: the row has") { try row.decode(Int?.self, atIndex: -1) }
            let none = try row.decode(Int?.self, forColumn: "b")
            #expect(none == nil)
            #expect(row["b"] as Int? == nil)
        }
    }

    @Test func strictConversions() throws {
        let sql = "SELECT 1.5 AS a, 'abc' AS b, '12' AS c, 2.0 AS d, 3 AS e, x'41' AS f, '' AS g"
        try rows(sql, strict: true) { row in
            expectDecodingError("\"a\"", "1.5", "Int") { try row.decode(Int.self, forColumn: "a") }
            expectDecodingError("\"b\"", #""abc""#, "Int") { try row.decode(Int.self, forColumn: "b") }
            expectDecodingError("\"b\"", "Double") { try row.decode(Double.self, forColumn: "b") }
            expectDecodingError("\"b\"", "Bool") { try row.decode(Bool.self, forColumn: "b") }
            expectDecodingError("\"e\"", "String") { try row.decode(String.self, forColumn: "e") }
            expectDecodingError("\"f\"", "String") { try row.decode(String.self, forColumn: "f") }
            expectDecodingError("\"b\"", "Data") { try row.decode(Data.self, forColumn: "b") }
            expectDecodingError("\"g\"", "Int") { try row.decode(Int.self, forColumn: "g") }
            expectDecodingError("\"a\"", "Int") { try row.decode(Int?.self, forColumn: "a") }
            #expect(row["d"] as Int == 2)
            #expect(row["e"] as Double == 3)
            #expect(row["a"] as Double == 1.5)
            #expect(row["f"] as Data == Data([0x41]))
            #expect(row["b"] as String == "abc")
        }
    }

    @Test func invalidUTF8() throws {
        let sql = "SELECT CAST(x'61FF62' AS TEXT) AS a"
        try rows(sql) { row in #expect(row["a"] as String == "a\u{FFFD}b") }
        try withDatabase { db in
            let cursor = try Row.fetchCursor(db, sql: sql)
            let row = try #require(try cursor.next())
            #expect(row["a"] as Data == Data([0x61, 0xFF, 0x62]))
        }
        var configuration = Configuration()
        configuration.strictConversions = true
        try withDatabase(configuration) { db in
            expectDecodingError("\"a\"", "String") { try String.fetchOne(db, sql: sql) }
        }
    }

    @Test func nulInTexts() throws {
        try withDatabase { db in
            let text = try String.fetchOne(db, sql: "SELECT ?", arguments: ["a\0b"])
            #expect(text == "a\0b")
            let length = try Int.fetchOne(db, sql: "SELECT length(CAST(? AS BLOB))", arguments: ["a\0b"])
            #expect(length == 3)
        }
    }

    /// No number equals such an integer: see UnsignedArgumentTests.
    @Test func unsignedIntegersThatDoNotFit() {
        #expect(UInt64.max.databaseValue.description == "an integer above 9223372036854775807")
        #expect(UInt64.fromDatabaseValue(UInt64.max.databaseValue) == nil)
        #expect(UInt64.max.databaseValue != Double(UInt64.max).databaseValue)
    }

    @Test func subscriptsStopOnWrongValues() async {
        await #expect(processExitsWith: .failure) {
            let row: Row = ["a": nil]
            _ = row["a"] as Int
        }
        await #expect(processExitsWith: .failure) {
            let row: Row = ["a": 1]
            _ = row["b"] as Int
        }
        await #expect(processExitsWith: .failure) {
            let row: Row = ["a": 1]
            _ = row[1] as Int
        }
    }
}
