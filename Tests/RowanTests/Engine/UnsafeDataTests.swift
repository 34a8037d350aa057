// Data without a copy, and the first non-NULL value of several columns, on all kinds of rows.

import Foundation
import Rowan
import Testing

struct UnsafeDataTests {
    private let sql = "SELECT 1 AS id, x'CAFE' AS a, NULL AS b, 'text' AS c, x'' AS d"

    /// The live row, its copy, and adapted rows.
    private func rows(_ body: (Row) throws -> Void) throws {
        try withDatabase { db in
            let adapters: [(any RowAdapter)?] = [
                nil, ScopeAdapter(["s": SuffixRowAdapter(fromIndex: 1)]),
                ColumnMapping(["id": "id", "a": "a", "b": "b", "c": "c", "d": "d"]),
                RangeRowAdapter(0..<5),
            ]
            for adapter in adapters {
                let cursor = try Row.fetchCursor(db, sql: sql, adapter: adapter)
                let row = try #require(try cursor.next())
                try body(row)
                try body(row.copy())
                try body(row.unadapted)
                for row in try Row.fetchAll(db, sql: sql, adapter: adapter) { try body(row) }
            }
        }
    }

    // Without closures in macro arguments: see ConnectionKind.

    private func data(_ row: Row, _ index: Int) throws -> Data? {
        try row.withUnsafeData(atIndex: index) { data in data.map { Data($0) } }
    }

    private func data(_ row: Row, named name: String) throws -> Data? {
        let data = try row.withUnsafeData(named: name) { data in data.map { Data($0) } }
        let same = try row.withUnsafeData(at: Column(name)) { data in data.map { Data($0) } }
        #expect(data == same)
        return data
    }

    @Test func bytes() throws {
        try rows { row in
            for row in [row] + row.scopes.map(\.row) {
                let start = row.hasColumn("id") ? 1 : 0
                try #expect(data(row, start) == Data([0xCA, 0xFE]))
                try #expect(data(row, start + 1) == nil)
                try #expect(data(row, start + 2) == Data("text".utf8))
                try #expect(data(row, start + 3) == Data())
                try #expect(data(row, named: "A") == Data([0xCA, 0xFE]))
                try #expect(data(row, named: "x") == nil)
                try #expect(data(row, named: "d") == Data())
            }
        }
    }

    @Test func indexesThatAreOutOfRange() throws {
        try rows { row in
            for row in [row] + row.scopes.map(\.row) {
                for index in [-1, row.count, .max, .min] {
                    expectDecodingError("is out of range: the row has") { try data(row, index) }
                }
            }
        }
    }

    @Test func coalescedValues() throws {
        try rows { row in
            #expect(row.coalesce(["b", "x", "c"]) == "text")
            #expect(row.coalesce(["b", "x"]) == String?.none)
            // A value that can't be converted counts as NULL.
            #expect(row.coalesce(["c", "id"]) == Date(timeIntervalSince1970: 1))
            #expect(row.coalesce([Column("c")]) == UUID?.none)
        }
    }
}
