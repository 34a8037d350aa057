// Numbers are stored with all their digits, and give their text when they are read as bytes.

import Foundation
import Rowan
import Testing

@Suite struct NumberTextTests {
    @Test(arguments: ["10000000.01", "0.1", "123456.789", "-7.3", "1e-7", "1234567890.123", "3.133"])
    func aDecimalNumberIsStoredAsTheNearestDouble(text: String) throws {
        let double = try #require(Double(text))
        #expect(NSDecimalNumber(string: text).databaseValue == double.databaseValue)
        let number: NSNumber = NSDecimalNumber(string: text)
        #expect(number.databaseValue == double.databaseValue)
    }

    /// Foundation converts the double to the number 10000000.00999999999.
    @Test func aDecimalNumberOfADoubleIsStoredAsTheDouble() {
        #expect(NSDecimalNumber(value: 10000000.01).databaseValue.storage == .double(10000000.01))
        #expect(NSDecimalNumber(value: 0.1).databaseValue.storage == .double(0.1))
    }

    @Test func integralDecimalNumbersAreStoredAsIntegers() {
        #expect(NSDecimalNumber(string: "12").databaseValue == 12.databaseValue)
        #expect(NSDecimalNumber(value: 12.0).databaseValue.storage == .int64(12))
        #expect(NSDecimalNumber(string: "9223372036854775807").databaseValue.storage == .int64(.max))
        #expect(NSDecimalNumber(string: "9223372036854775808").databaseValue.storage == .double(9223372036854775808))
        #expect(NSDecimalNumber.notANumber.databaseValue.isNull)
    }

    @Test func dataOfANumberIsItsText() throws {
        try withDatabase { db throws in
            #expect(try Data.fetchOne(db, sql: "SELECT 12") == Data("12".utf8))
            #expect(try Data.fetchOne(db, sql: "SELECT 0.5") == Data("0.5".utf8))
            #expect(try String.fetchOne(db, sql: "SELECT 0.5") == "0.5")
            #expect(try Data?.fetchOne(db, sql: "SELECT NULL") == .some(nil))
            let row = try #require(try Row.fetchOne(db, sql: "SELECT 12 AS a, 0.5 AS b, NULL AS c"))
            #expect(row["a"] as Data == Data("12".utf8))
            #expect(row["b"] as Data == Data("0.5".utf8))
            #expect(row["c"] as Data? == nil)
            let cursor = try Row.fetchCursor(db, sql: "SELECT 12 AS a, 0.5 AS b")
            let live = try #require(try cursor.next())
            #expect(try live.decode(Data.self, forColumn: "a") == Data("12".utf8))
            #expect(try live.decode(Data.self, forColumn: "b") == Data("0.5".utf8))
        }
    }

    @Test func aStrictConnectionConvertsNoNumberToData() throws {
        var configuration = Configuration()
        configuration.strictConversions = true
        try withDatabase(configuration) { db in
            #expect(throws: RowDecodingError.self) { try Data.fetchOne(db, sql: "SELECT 12") }
        }
    }
}
