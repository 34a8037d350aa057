// Unsigned integers above the maximum of SQLite's integers: an error wherever SQL can throw.

import Foundation
import Rowan
import Testing

struct UnsignedArgumentTests {
    enum Size: UInt64, DatabaseValueConvertible { case huge = 18_446_744_073_709_551_615 }
    struct Wrapper: Codable, DatabaseValueConvertible {
        var value: UInt64
        init(value: UInt64) { self.value = value }
        init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(UInt64.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    private static let message =
        "an argument is an integer above 9223372036854775807, the maximum of SQLite's integers: store it as text"

    private func withTable(_ body: (Database) throws -> Void) throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, x); INSERT INTO t VALUES (1, 1.5)")
            try body(db)
            // Nothing was written, and the connection works.
            #expect(try Row.fetchAll(db, sql: "SELECT * FROM t") == [["id": 1, "x": 1.5]])
        }
    }

    @Test func statementArguments() throws {
        try withTable { db throws in
            let sql = "INSERT INTO t(x) VALUES (?)"
            let values: [any DatabaseValueConvertible] = [
                UInt64.max, UInt.max, UInt64(Int64.max) + 1, Size.huge, Wrapper(value: .max), UInt64.max.databaseValue,
            ]
            for value in values {
                let arguments: StatementArguments = [value]
                let error = expectError(.SQLITE_MISMATCH, Self.message) {
                    try db.execute(sql: sql, arguments: arguments)
                }
                #expect(error?.sql == sql)
                expectError(.SQLITE_MISMATCH, Self.message) {
                    try db.execute(sql: "INSERT INTO t(x) VALUES (:x)", arguments: ["x": value])
                }
                expectError(.SQLITE_MISMATCH, Self.message) {
                    try Row.fetchAll(db, sql: "SELECT ?", arguments: [value])
                }
                expectError(.SQLITE_MISMATCH, Self.message) {
                    try db.execute(literal: "INSERT INTO t(x) VALUES (\(value.sqlExpression))")
                }
                let statement = try db.makeStatement(sql: sql)
                expectError(.SQLITE_MISMATCH, Self.message) { try statement.setArguments(arguments) }
                statement.setUncheckedArguments(arguments)
                expectError(.SQLITE_MISMATCH, Self.message) { try statement.execute() }
            }
            // The message does not depend on the connection's previous error.
            expectError(.SQLITE_MISMATCH) { try db.execute(sql: "INSERT INTO t(id) VALUES ('a')") }
            expectError(.SQLITE_MISMATCH, Self.message) { try db.execute(sql: sql, arguments: [UInt64.max]) }
            #expect(try UInt64.fetchOne(db, sql: "SELECT ?", arguments: [UInt64(Int64.max)]) == UInt64(Int64.max))
            // NaN becomes NULL, as in SQLite.
            #expect(try DatabaseValue.fetchOne(db, sql: "SELECT ?", arguments: [Double.nan]) == .null)
        }
    }

    @Test func requests() throws {
        try withTable { db throws in
            let (table, x) = (Table("t"), Column("x"))
            expectError(.SQLITE_MISMATCH, Self.message) { try table.filter(x == UInt64.max).fetchCount(db) }
            expectError(.SQLITE_MISMATCH, Self.message) { try table.filter(x > Size.huge).fetchAll(db) }
            expectError(.SQLITE_MISMATCH, Self.message) { try table.filter([1, UInt64.max].contains(x)).fetchAll(db) }
            for count in [10, 10_000] {
                let many = (0..<count).map { UInt64($0) } + [.max]
                expectError(.SQLITE_MISMATCH, Self.message) { try table.filter(many.contains(x)).fetchAll(db) }
                expectError(.SQLITE_MISMATCH, Self.message) { try table.filter(keys: many).fetchAll(db) }
            }
            expectError(.SQLITE_MISMATCH, Self.message) { try table.filter(key: UInt64.max).fetchOne(db) }
            expectError(.SQLITE_MISMATCH, Self.message) { try table.updateAll(db, x.set(to: UInt64.max)) }
            expectError(.SQLITE_MISMATCH, Self.message.replacing("an argument", with: "a value")) {
                try db.create(table: "u") { t in t.column("a").defaults(to: UInt64.max) }
            }
            expectError(.SQLITE_MISMATCH, Self.message.replacing("an argument", with: "a value")) {
                try db.create(table: "u") { t in t.column("a").check { $0 < UInt64.max } }
            }
        }
    }

    private struct Plain: PersistableRecord {
        static let databaseTableName = "t"
        var x: UInt64
        func encode(to container: inout PersistenceContainer) { container["x"] = x }
    }

    private struct Coded: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "t"
        var id: Int?
        var x: Size
        init() { x = .huge }
        private enum CodingKeys: String, CodingKey { case id, x }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(x.rawValue, forKey: .x)
        }
        init(from decoder: any Decoder) throws { x = .huge }
    }

    @Test func records() throws {
        try withTable { db throws in
            let record = Plain(x: .max)
            let message = Self.message.replacing("an argument", with: "the value of column x")
            expectError(.SQLITE_MISMATCH, message) { try record.insert(db) }
            expectError(.SQLITE_MISMATCH, message) { try Plain.insertAll(db, [record, record]) }
            expectError(.SQLITE_MISMATCH) { try Coded().insert(db) }
            expectError(.SQLITE_MISMATCH, Self.message) { try Row.fetchOne(db, Table("t").filter(key: UInt64.max)) }
        }
    }

    @Test func functions() throws {
        try withTable { db throws in
            db.add(function: DatabaseFunction("f", argumentCount: 0) { _ in UInt64.max })
            expectError(.SQLITE_MISMATCH) { try db.execute(sql: "UPDATE t SET x = f()") }
            try db.register([UInt64.max], as: "c")
            expectError(.SQLITE_MISMATCH) { try db.execute(sql: "INSERT INTO t(x) SELECT value FROM c") }
        }
    }

    /// JSON has numbers of any size, and SQLite reads this one as a double.
    @Test func json() throws {
        struct Document: Codable, Equatable, DatabaseValueConvertible { var sizes: [UInt64] }
        try withTable { db throws in
            let document = Document(sizes: [1, .max])
            #expect(document.databaseValue == #"{"sizes":[1,18446744073709551615]}"#.databaseValue)
            #expect(try Document.fetchOne(db, sql: "SELECT ?", arguments: [document]) == document)
        }
    }
}
