// Rows whose columns differ from the type's are read by name, and never shifted.

import Foundation
import Rowan
import RowanRecords
import Testing

@Record("pair") private struct Named: Equatable, Hashable {
    var a: Int
    var b: Int
    var c: String?
}

@Suite("Rows with other layouts")
struct LayoutTests {
    private let expected = [Named(a: 1, b: 2, c: "3")]

    @Test(
        "Any order, more columns, other case, doubled names",
        arguments: [
            "SELECT 1 AS a, 2 AS b, '3' AS c", "SELECT 1 AS A, 2 AS B, '3' AS C",
            "SELECT 1 AS a, 2 AS b, '3' AS c, 9 AS d",
            "SELECT 1 AS a, 2 AS b, '3' AS c, 9 AS a, 8 AS b", "SELECT 2 AS b, 1 AS a, '3' AS c",
            "SELECT 9 AS d, 1 AS a, 2 AS b, '3' AS c", "SELECT '3' AS c, 2 AS b, 1 AS a, 0 AS c",
            "SELECT 1 AS a, 2 AS b, 3 AS c", "SELECT 1 AS a, 9 AS x, 2 AS b, '3' AS c",
        ])
    func orders(_ sql: String) throws {
        try inDatabase("") { db in
            #expect(try Named.fetchAll(db, sql: sql) == expected)
            #expect(try Named.fetchOne(db, sql: sql) == expected[0])
            #expect(try Named.fetchSet(db, sql: sql) == Set(expected))
            let cursor = try Named.fetchCursor(db, sql: sql)
            #expect(try cursor.next() == expected[0])
            #expect(try Row.fetchAll(db, sql: sql).map { try Named(row: $0) } == expected)
            let row = try #require(try Row.fetchOne(db, sql: sql))
            #expect(try Named(row: row) == expected[0])
        }
    }

    @Test("Adapted rows, strict conversions, and a type that alternates with another on one row")
    func adapters() throws {
        try inDatabase("") { db in
            let sql = "SELECT 1 AS x, 2 AS y, '3' AS z, 1 AS a, 2 AS b, '3' AS c"
            #expect(try Named.fetchAll(db, sql: sql, adapter: SuffixRowAdapter(fromIndex: 3)) == expected)
            #expect(
                try Named.fetchAll(db, sql: sql, adapter: ColumnMapping(["c": "z", "a": "x", "b": "y"])) == expected)
            #expect(
                try Named.fetchAll(db, sql: sql, adapter: RangeRowAdapter(3..<6)) == expected)
            let rows = try Row.fetchCursor(db, sql: "SELECT 1 AS a, 2 AS b, '3' AS c UNION ALL SELECT 4, 5, '6'")
            var read: [Named] = []
            while let row = try rows.next() {
                read.append(try Named(row: row))
                #expect(try Pair.layoutTest(row) == read.last?.a)
                read.append(try Named(row: row))
            }
            #expect(read == [expected[0], expected[0], Named(a: 4, b: 5, c: "6"), Named(a: 4, b: 5, c: "6")])
        }
        var configuration = Configuration()
        configuration.strictConversions = true
        try DatabaseQueue(configuration: configuration).read { db in
            let records = try Named.fetchAll(db, sql: "SELECT 1 AS a, 2 AS b, '3' AS c")
            #expect(records == expected)
            #expect(throws: RowDecodingError.self) { try Named.fetchAll(db, sql: "SELECT 1 AS a, 2 AS b, 3 AS c") }
        }
    }

    @Test("Errors name the column")
    func errors() throws {
        try inDatabase("") { db in
            func message(_ sql: String) -> String? {
                do {
                    _ = try Named.fetchAll(db, sql: sql)
                    return nil
                } catch { return "\(error)" }
            }
            #expect(
                message("SELECT 1 AS a, NULL AS b, '3' AS c")
                    == "could not decode Int from database value NULL - record: Named, column: \"b\", column index: 1, "
                    + "row: [a:INTEGER b:NULL c:TEXT], sql: `SELECT 1 AS a, NULL AS b, '3' AS c`")
            #expect(
                message("SELECT '3' AS c, NULL AS b, 1 AS a")
                    == "could not decode Int from database value NULL - record: Named, column: \"b\", column index: 1, "
                    + "row: [c:TEXT b:NULL a:INTEGER], sql: `SELECT '3' AS c, NULL AS b, 1 AS a`")
            #expect(message("SELECT 1 AS a, '3' AS c")?.hasPrefix("column not found: \"b\"") == true)
            // A missing column is nil for an optional property.
            let missing = try Named.fetchOne(db, sql: "SELECT 1 AS a, 2 AS b")
            #expect(missing == Named(a: 1, b: 2, c: nil))
        }
    }

    @Test("A statement that is recompiled for another schema")
    func recompiled() throws {
        try inDatabase("CREATE TABLE pair (a, b, c); INSERT INTO pair VALUES (1, 2, '3')") { db in
            let statement = try db.makeStatement(sql: "SELECT * FROM pair")
            #expect(try Named.fetchAll(statement) == expected)
            try db.execute(sql: "DROP TABLE pair; CREATE TABLE pair (c, b, a); INSERT INTO pair VALUES ('3', 2, 1)")
            #expect(try Named.fetchAll(statement) == expected)
            #expect(try Named.fetchAll(db) == expected)
            #expect(try Named.order { $0.a }.fetchOne(db) == expected[0])
        }
    }

    @Test("Joined records at an offset and prefetched ones")
    func joins() throws {
        try inDatabase { db in
            for name in ["Ulm", "Bonn"] { _ = try Town(id: nil, name: name).inserted(db) }
            for (title, town) in [("a", 2), ("b", 1), ("c", nil)] as [(String, Int64?)] {
                _ = try Place.sample(title, townID: town).inserted(db)
            }
            let pairs = try Place.all().including(optional: Place.town).asRequest(of: Row.self).fetchAll(db).map {
                row in
                (try Place(row: row).title, try row.decodeIfPresent(Town.self, forKey: "town")?.name)
            }
            #expect(pairs.map(\.0) == ["a", "b", "c"])
            #expect(pairs.map(\.1) == ["Bonn", "Ulm", nil])
        }
    }
}

extension Pair {
    /// Reads a row with another type's columns.
    fileprivate static func layoutTest(_ row: Row) throws -> Int {
        try Pair(row: row.adapted(a: "a", b: "c")).a
    }
}

extension Row {
    fileprivate func adapted(a: String, b: String) throws -> Row {
        [a: self[a] as DatabaseValue, "b": self[b] as DatabaseValue]
    }
}
