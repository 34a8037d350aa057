// Decimals from numbers: the shortest decimal that reads back as the same double, and exact integers.

import Foundation
import Rowan
import Testing

@Suite struct DecimalTests {
    /// The decimal of a column, read from the statement and from a copied row.
    private func decode(_ sql: String) throws -> [Decimal?] {
        try DatabaseQueue().read { db in
            let cursor = try Row.fetchCursor(db, sql: "SELECT \(sql)")
            let row = try #require(try cursor.next())
            return [try row.decode(Decimal?.self, atIndex: 0), try row.copy().decode(Decimal?.self, atIndex: 0)]
        }
    }

    @Test(arguments: [
        ("3.133", "3.133"), ("-3.133", "-3.133"), ("0.1", "0.1"), ("0.1 + 0.2", "0.30000000000000004"),
        ("1.0 / 3", "0.3333333333333333"), ("19.99", "19.99"), ("1e15", "1000000000000000"),
        ("1e22", "10000000000000000000000"), ("1.5e100", "15e99"), ("-1.5e-7", "-0.00000015"), ("1e-100", "1e-100"),
        ("123456789012.345", "123456789012.345"), ("123456789.0123456", "123456789.0123456"), ("0.0", "0"),
        ("-0.0", "0"), ("-1500.0", "-1500"), ("9007199254740993.0", "9007199254740992"), ("1e127", "1e127"),
        ("1e-128", "1e-128"), ("1.2355e-126", "1.24e-126"), ("9.99e-129", "1e-128"), ("0.000001", "0.000001"),
        ("0.0000001", "0.0000001"),
        // Integers and texts.
        ("1500", "1500"), ("-3", "-3"), ("0", "0"), ("9223372036854775807", "9223372036854775807"),
        ("-9223372036854775808", "-9223372036854775808"), ("'3.132999999999999488'", "3.132999999999999488"),
        ("'-1e-7'", "-0.0000001"),
    ])
    func decimals(_ sql: String, _ text: String) throws {
        let decimal = try #require(Decimal(string: text))
        for decoded in try decode(sql) {
            #expect(decoded == decimal)
            #expect(decoded?.description == decimal.description)
        }
    }

    /// Numbers that don't fit in a decimal can't be decoded.
    @Test func numbersOutOfRange() throws {
        let outOfRange = [
            Double.infinity, -.infinity, .nan, 1e200, -1e200, 1e147, 1e-129, 1e-130, 1e-145, 1e-146, 1e-200, -1e-200,
            .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude,
        ]
        for double in outOfRange { #expect(Decimal.fromDatabaseValue(double.databaseValue) == nil, "\(double)") }
        // Foundation converts these decimals with its own digits.
        for double in [1e128, 1e145] {
            let decimal = try #require(Decimal.fromDatabaseValue(double.databaseValue))
            #expect(abs(NSDecimalNumber(decimal: decimal).doubleValue / double - 1) < 1e-12)
        }
    }

    @Test func decimalsReadBackAsTheSameDouble() throws {
        var generator = SeededGenerator(31)
        let seed = generator.seed
        for _ in 0..<20_000 {
            let double: Double
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: double = Double(bitPattern: generator.next())
            case 1: double = Double(Int.random(in: -1_000_000...1_000_000, using: &generator)) / 1_000
            case 2: double = Double.random(in: -1e6...1e6, using: &generator)
            default:
                let digits = Double(
                    Int64.random(in: -10_000_000_000_000_000...10_000_000_000_000_000, using: &generator))
                double = digits * pow(10, Double(Int.random(in: -110...110, using: &generator)))
            }
            guard let decimal = Decimal.fromDatabaseValue(double.databaseValue) else {
                #expect(!(1e-100...1e127).contains(double.magnitude), "ROWAN_SEED=\(seed) \(double)")
                continue
            }
            // Outside this range, decimals have fewer digits than doubles, or Foundation's.
            guard (1e-110..<1e127).contains(double.magnitude) else { continue }
            #expect(Double(decimal.description) == double, "ROWAN_SEED=\(seed) \(double)")
            // Swift's digits are the shortest.
            #expect(decimal == Decimal(string: double.description), "ROWAN_SEED=\(seed) \(double)")
        }
    }
}
