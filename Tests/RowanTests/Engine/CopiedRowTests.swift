// Copied rows share buffers: each keeps its values after the others are released, and converts like a live row.

import Foundation
import Rowan
import Testing

@Suite struct CopiedRowTests {
    /// More rows than fit in a buffer, of all storage classes and of very different lengths.
    private static let query = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000)
        SELECT i, i / 4.0 AS number, printf('%.*c', i % 700, 'x') AS text,
            CASE WHEN i % 3 THEN NULL ELSE 'note ' || i END AS note, zeroblob(i % 5) AS data FROM n
        """

    private func check(_ row: Row, _ i: Int) {
        #expect(row["i"] == i)
        #expect(row["number"] == Double(i) / 4)
        #expect(row["text"] == String(repeating: "x", count: max(i % 700, 1)))
        #expect(row["note"] == (i % 3 == 0 ? "note \(i)" : nil))
        #expect(row["data"] == Data(count: i % 5))
    }

    @Test func rowsKeepTheirValues() throws {
        let rows = try withDatabase { try Row.fetchAll($0, sql: Self.query) }
        #expect(rows.count == 1000)
        for (index, row) in rows.enumerated() { check(row, index + 1) }
    }

    @Test func oneRowOutlivesTheOthers() throws {
        let kept = try withDatabase { db in try Row.fetchAll(db, sql: Self.query)[777] }
        check(kept, 778)
        check(kept.copy(), 778)
    }

    @Test func anErrorAfterSomeRows() throws {
        try withDatabase { db in
            #expect(throws: DatabaseError.self) {
                try Row.fetchAll(
                    db,
                    sql: """
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300)
                        SELECT CASE WHEN i < 300 THEN i ELSE abs(-9223372036854775807 - 1) END FROM n
                        """)
            }
            let one = try Int.fetchOne(db, sql: "SELECT 1")
            #expect(one == 1)
        }
    }

    @Test func rowsOfAnAdapter() throws {
        try withDatabase { db in
            let adapter = RangeRowAdapter(1..<3).addingScopes(["last": SuffixRowAdapter(fromIndex: 4)])
            let rows = try Row.fetchAll(db, sql: Self.query, adapter: adapter)
            #expect(rows[299].count == 2)
            #expect(rows[299]["number"] == 75.0)
            #expect(rows[299].scopes["last"]?["data"] == Data())
            #expect(rows[301].unadapted["i"] == 302)
        }
    }

    /// SQLite's conversions, and the errors of strict connections, are the same for a live row and its copy.
    @Test(arguments: [false, true])
    func conversions(_ strict: Bool) throws {
        var configuration = Configuration()
        configuration.strictConversions = strict
        try withDatabase(configuration) { db in
            let sql = """
                SELECT 1, -1.5, '20 cigars', 'a' || char(0) || 'b', x'ff41', CAST(x'ff41' AS TEXT), '', x'', NULL, '2020-01-01'
                """
            let cursor = try Row.fetchCursor(db, sql: sql)
            let live = try #require(try cursor.next())
            let copy = try #require(try Row.fetchAll(db, sql: sql).first)
            for index in 0..<live.count {
                func expectAlike<T: DatabaseValueConvertible & Equatable>(_ type: T.Type) {
                    let one = try? live.decode(T?.self, atIndex: index)
                    let other = try? copy.decode(T?.self, atIndex: index)
                    #expect(one == other, "\(type) of column \(index)")
                }
                expectAlike(DatabaseValue.self)
                expectAlike(Int.self)
                expectAlike(Double.self)
                expectAlike(Bool.self)
                expectAlike(Data.self)
                expectAlike(Date.self)
                expectAlike(Decimal.self)
                expectAlike(String.self)
                #expect(live.hasNull(atIndex: index) == copy.hasNull(atIndex: index))
            }
            withExtendedLifetime(cursor) {}
        }
    }

    @Test func emptyRowsAndLiterals() throws {
        #expect(Row().isEmpty)
        let row: Row = ["a": 1, "b": "text", "c": nil, "d": Data([1, 2]), "e": 1.5, "f": "", "g": Data()]
        #expect(row["a"] == 1)
        #expect(row["b"] == "text")
        #expect(row["c"] as Int? == nil)
        #expect(row["d"] == Data([1, 2]))
        #expect(row["e"] == 1.5)
        #expect(row["f"] == "")
        #expect(row["g"] == Data())
        #expect(row == row.copy())
    }
}
