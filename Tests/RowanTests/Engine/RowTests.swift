// Rows: by index, by name, by column; copies, equality, descriptions.

import Foundation
import Rowan
import Testing

@Suite
struct RowTests {
    private func rows(_ sql: String, _ arguments: StatementArguments = [], _ body: (Row) throws -> Void) throws {
        try withDatabase { db in
            let cursor = try Row.fetchCursor(db, sql: sql, arguments: arguments)
            let row = try #require(try cursor.next())
            try body(row)
            try body(row.copy())
            try body(row.copy().copy())
        }
    }

    @Test func accesses() throws {
        try rows("SELECT 1 AS id, 'Arthur' AS Name, NULL AS score") { row in
            #expect(row.count == 3)
            #expect(row[0] as Int64 == 1)
            #expect(row["NAME"] as String == "Arthur")
            #expect(row[Column("name")] as String == "Arthur")
            #expect(row["score"] as Int? == nil)
            #expect(row["missing"] as Int? == nil)
            #expect((row[0] as (any DatabaseValueConvertible)?) as? Int64 == 1)
            #expect((row["name"] as (any DatabaseValueConvertible)?) as? String == "Arthur")
            #expect((row["score"] as (any DatabaseValueConvertible)?) == nil)
            #expect((row["missing"] as (any DatabaseValueConvertible)?) == nil)
            #expect(row["score"] as DatabaseValue == .null)
            #expect(row.hasColumn("NAME") && !row.hasColumn("missing"))
            #expect(row.hasNull(atIndex: 2) && !row.hasNull(atIndex: 0))
            #expect(row.containsNonNullValue)
            #expect(Array(row.columnNames) == ["id", "Name", "score"])
            #expect(Array(row.databaseValues) == [1.databaseValue, "Arthur".databaseValue, .null])
            #expect(row.map(\.0) == ["id", "Name", "score"])
            #expect(row.first?.0 == "id")
            #expect(row.coalesce(["missing", "score", "name"]) as String? == "Arthur")
            #expect(row.coalesce(["missing", "score"]) as String? == nil)
            #expect(row.coalesce([Column("score"), Column("id")]) as Int? == 1)
            #expect(row.description == "[id:1 Name:\"Arthur\" score:NULL]")
            #expect(row.debugDescription == row.description)
        }
        try rows("SELECT NULL AS a, NULL AS b") { #expect(!$0.containsNonNullValue) }
    }

    /// In any order, and repeatedly: the predicted column is only a hint.
    @Test func namesInAnyOrder() throws {
        let names = (0..<10).map { "column\($0)" }
        let sql = "SELECT " + names.enumerated().map { "\($0) AS \($1)" }.joined(separator: ", ")
        var generator = SeededGenerator(6)
        let seed = generator.seed
        try rows(sql) { row in
            for index in 0..<10 { #expect(row[names[index]] as Int == index) }
            for index in (0..<10).reversed() { #expect(row[names[index].uppercased()] as Int == index) }
            for _ in 0..<200 {
                let index = Int.random(in: 0..<10, using: &generator)
                #expect(row[names[index]] as Int == index, "ROWAN_SEED=\(seed)")
                #expect(row["nothing"] as Int? == nil)
            }
        }
    }

    @Test func columnsOfOneName() throws {
        try rows("SELECT 1 AS a, 2 AS b, 3 AS a, 4 AS A, 5 AS c") { row in
            for _ in 0..<3 {
                #expect(row["a"] as Int == 1)
                #expect(row["b"] as Int == 2)
                #expect(row["A"] as Int == 1)
                #expect(row["c"] as Int == 5)
            }
            #expect(row[2] as Int == 3)
        }
    }

    @Test func namesFoldASCIIOnly() throws {
        try rows("SELECT 1 AS \"é\", 2 AS \"É\", 3 AS \"\"") { row in
            #expect(row["é"] as Int == 1)
            #expect(row["É"] as Int == 2)
            #expect(row[""] as Int == 3)
        }
    }

    @Test func theRowOfACursorIsReused() throws {
        try withDatabase { db in
            let cursor = try Row.fetchCursor(db, sql: "SELECT 1 AS x UNION ALL SELECT 2")
            let first = try #require(try cursor.next())
            let copy = first.copy()
            let second = try #require(try cursor.next())
            #expect(first === second)
            #expect(copy["x"] as Int == 1)
            #expect(second["x"] as Int == 2)
            try #expect(cursor.next() == nil)
            try #expect(cursor.next() == nil)
            // Copies outlive their connection.
            #expect(copy == ["x": 1])
            let all = try Row.fetchAll(db, sql: "SELECT 1 AS x UNION ALL SELECT 2")
            #expect(all == [["x": 1], ["x": 2]])
            let set = try Row.fetchSet(db, sql: "SELECT 1 AS x UNION ALL SELECT 2 UNION ALL SELECT 1")
            #expect(set == [["x": 1], ["x": 2]])
        }
    }

    @Test func equality() throws {
        let row: Row = ["a": 1, "b": "two"]
        #expect(row == ["a": 1, "b": "two"])
        #expect(row != ["b": "two", "a": 1])
        #expect(row != ["A": 1, "b": "two"])
        #expect(row != ["a": 1])
        #expect(row != ["a": 1, "b": nil])
        #expect(row == ["a": 1.0, "b": "two"])
        #expect(row.hashValue == (["a": 1.0, "b": "two"] as Row).hashValue)
        #expect(Row() == [:])
        try rows("SELECT 1 AS a, 'two' AS b") { #expect($0 == row) }
    }

    @Test func dictionaries() throws {
        let row = Row(["a": 1, "b": nil])
        #expect(row.count == 2)
        #expect(row["a"] as Int == 1)
        #expect(row["b"] as Int? == nil)
        let any = try #require(Row(["a": 1, "b": "x"] as [AnyHashable: Any]))
        #expect(any["b"] as String == "x")
        #expect(Row([1: 1] as [AnyHashable: Any]) == nil)
        #expect(Row(["a": Thread()] as [AnyHashable: Any]) == nil)
        #expect(Dictionary(uniqueKeysWithValues: Array(row)) == ["a": 1.databaseValue, "b": .null])
    }

    @Test func dataWithoutCopy() throws {
        try rows("SELECT x'CAFE' AS a, NULL AS b, x'' AS c, 'text' AS d") { row in
            func data(_ name: String) throws -> Data? { try row.withUnsafeData(named: name) { $0.map { Data($0) } } }
            let byIndex = try row.withUnsafeData(atIndex: 0) { $0.map { Data($0) } }
            let byColumn = try row.withUnsafeData(at: Column("b")) { $0 }
            #expect(byIndex == Data([0xCA, 0xFE]))
            #expect(byColumn == nil)
            try #expect(data("A")?.count == 2)
            try #expect(data("missing") == nil)
            try #expect(data("c") == Data())
            try #expect(data("d") == Data("text".utf8))
        }
    }

    @Test func descriptions() throws {
        try rows("SELECT x'CAFE' AS a, 1.5 AS b, 'O''Brien' AS c") { row in
            #expect(row.description == #"[a:Data(2 bytes) b:1.5 c:"O\'Brien"]"#)
        }
        #expect(DatabaseValue.null.description == "NULL")
        #expect("a\"b\n\0".databaseValue.description == #""a\"b\n\0""#)
        #expect(Data([0xCA, 0xFE]).databaseValue.description == "Data(2 bytes)")
        #expect(1.5.databaseValue.description == "1.5")
        #expect(Double.infinity.databaseValue.description == "inf")
    }

    // MARK: Adapters

    private func adapted(_ adapter: any RowAdapter, _ body: (Row) throws -> Void) throws {
        try withDatabase { db in
            let sql = "SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d UNION ALL SELECT 5, 6, 7, 8"
            let cursor = try Row.fetchCursor(db, sql: sql, adapter: adapter)
            let row = try #require(try cursor.next())
            try body(row)
            let copy = row.copy()
            _ = try cursor.next()
            #expect(row.unadapted["a"] as Int == 5)
            try body(copy)
            try body(try Row.fetchAll(db, sql: sql, adapter: adapter)[0])
            try body(try #require(try Row.fetchOne(db, sql: sql, adapter: adapter)))
        }
    }

    @Test func adapters() throws {
        try adapted(ColumnMapping(["z": "C", "y": "a"])) { row in
            #expect(row == ["y": 1, "z": 3])
            #expect(row.unadapted == ["a": 1, "b": 2, "c": 3, "d": 4])
            #expect(row["b"] as Int? == nil)
        }
        try adapted(SuffixRowAdapter(fromIndex: 2)) { #expect($0 == ["c": 3, "d": 4]) }
        try adapted(RangeRowAdapter(1..<3)) { #expect($0 == ["b": 2, "c": 3]) }
        try adapted(RangeRowAdapter(1...1)) { #expect($0 == ["b": 2]) }
        try adapted(EmptyRowAdapter()) { #expect($0.isEmpty) }
        try adapted(RenameColumnAdapter { $0 + $0 }) { #expect($0 == ["aa": 1, "bb": 2, "cc": 3, "dd": 4]) }
    }

    @Test func scopes() throws {
        let adapter = ScopeAdapter(
            base: RangeRowAdapter(0..<1),
            scopes: [
                "left": RangeRowAdapter(1..<2).addingScopes(["deep": SuffixRowAdapter(fromIndex: 3)]),
                "right": SuffixRowAdapter(fromIndex: 2),
            ])
        try adapted(adapter) { row in
            #expect(row.count == 1)
            #expect(row.scopes["left"] == row.scopes["left"])
            #expect(row.scopes["left"]?["b"] as Int? == 2)
            #expect(row.scopes["right"] == ["c": 3, "d": 4])
            #expect(row.scopes["missing"] == nil)
            #expect(Set(row.scopes.names) == ["left", "right"])
            #expect(row.scopesTree.names == ["left", "right", "deep"])
            #expect(row.scopesTree["deep"] == ["d": 4])
            #expect(row.unscoped == ["a": 1])
            #expect(row != ["a": 1])
            #expect(row.unadapted.count == 4)
            #expect(
                row.debugDescription == """
                    ▿ [a:1]
                      unadapted: [a:1 b:2 c:3 d:4]
                      - left: [b:2]
                        - deep: [d:4]
                      - right: [c:3 d:4]
                    """)
        }
        let split = ScopeAdapter(
            Dictionary(
                uniqueKeysWithValues: splittingRowAdapters(columnCounts: [1, 2]).enumerated().map { ("\($0)", $1) }))
        try adapted(split) { row in
            #expect(row.count == 4)
            #expect(row.scopes["0"] == ["a": 1])
            #expect(row.scopes["1"] == ["b": 2, "c": 3])
            #expect(row.scopes["2"] == ["d": 4])
        }
    }

    @Test func adaptersThatAskForMissingColumns() throws {
        try withDatabase { db in
            for adapter in [ColumnMapping(["x": "nope"]), RangeRowAdapter(0..<2)] as [any RowAdapter] {
                expectError(.SQLITE_MISUSE) { try Row.fetchOne(db, sql: "SELECT 1 AS a", adapter: adapter) }
                expectError(.SQLITE_MISUSE) { try Row.fetchAll(db, sql: "SELECT 1 AS a", adapter: adapter) }
            }
            let ids = try Int.fetchAll(db, sql: "SELECT 1 AS a, 2 AS b", adapter: SuffixRowAdapter(fromIndex: 1))
            #expect(ids == [2])
            expectError(.SQLITE_MISUSE) { try Int.fetchOne(db, sql: "SELECT 1", adapter: EmptyRowAdapter()) }
        }
    }
}
