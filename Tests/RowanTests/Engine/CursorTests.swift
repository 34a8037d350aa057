// Cursors: the combinators are lazy, keep the order, and rethrow errors.

import Rowan
import Testing

@Suite
struct CursorTests {
    struct Failure: Error, Equatable {}

    private func cursor(_ range: ClosedRange<Int> = 1...5) -> AnyCursor<Int> { AnyCursor(range) }
    private var empty: AnyCursor<Int> { AnyCursor([]) }

    /// A cursor that fails after two elements.
    private var failing: AnyCursor<Int> {
        var next = 0
        return AnyCursor {
            next += 1
            if next == 3 { throw Failure() }
            return next
        }
    }

    @Test func elements() throws {
        try #expect(Array(cursor()) == [1, 2, 3, 4, 5])
        try #expect(Array(empty) == [])
        try #expect(Array(AnyCursor(cursor())) == [1, 2, 3, 4, 5])
        try #expect(Array(AnyCursor(iterator: [1, 2].makeIterator())) == [1, 2])
        try #expect(Array(cursor(), minimumCapacity: 10) == [1, 2, 3, 4, 5])
        var array = [0]
        try array.append(contentsOf: cursor(1...2))
        #expect(array == [0, 1, 2])
        var seen: [Int] = []
        try cursor().forEach { seen.append($0) }
        #expect(seen == [1, 2, 3, 4, 5])
        let ended = cursor(1...1)
        _ = try (ended.next(), ended.next())
        try #expect(ended.next() == nil)
    }

    @Test func lazyCombinators() throws {
        let filtered = try Array(cursor().filter { $0.isMultiple(of: 2) })
        let mapped = try Array(cursor().map { $0 * 10 })
        let compact = try Array(cursor().compactMap { $0 > 3 ? "\($0)" : nil })
        let flat = try Array(cursor(1...3).flatMap { Array(repeating: $0, count: $0 - 1) })
        let flatCursors = try Array(cursor(1...3).flatMap { AnyCursor(0..<$0) })
        let ofSequence = try Array([1, 2].flatMap { AnyCursor(0..<$0) })
        #expect(filtered == [2, 4])
        #expect(mapped == [10, 20, 30, 40, 50])
        #expect(compact == ["4", "5"])
        #expect(flat == [2, 3, 3])
        #expect(flatCursors == [0, 0, 1, 0, 1, 2])
        #expect(ofSequence == [0, 0, 1])
        try #expect(Array(AnyCursor([[1], [], [2, 3]]).joined()) == [1, 2, 3])
        try #expect(Array(AnyCursor([cursor(1...2), empty, cursor(3...3)]).joined()) == [1, 2, 3])
        let enumerated = try Array(cursor(5...6).enumerated())
        #expect(enumerated.map(\.0) == [0, 1] && enumerated.map(\.1) == [5, 6])
    }

    @Test func partsOfCursors() throws {
        try #expect(Array(cursor().dropFirst()) == [2, 3, 4, 5])
        try #expect(Array(cursor().dropFirst(0)) == [1, 2, 3, 4, 5])
        try #expect(Array(cursor().dropFirst(9)) == [])
        try #expect(cursor().dropLast() == [1, 2, 3, 4])
        try #expect(cursor().dropLast(9) == [])
        try #expect(Array(cursor().prefix(2)) == [1, 2])
        try #expect(Array(cursor().prefix(0)) == [])
        try #expect(Array(cursor().prefix(9)) == [1, 2, 3, 4, 5])
        try #expect(cursor().suffix(2) == [4, 5])
        try #expect(cursor().suffix(3) == [3, 4, 5])
        try #expect(cursor().suffix(0) == [])
        try #expect(cursor().suffix(9) == [1, 2, 3, 4, 5])
        let dropped = try Array(cursor().drop { $0 < 3 })
        let prefix = try Array(cursor().prefix { $0 < 3 })
        #expect(dropped == [3, 4, 5])
        #expect(prefix == [1, 2])
        let taken = cursor().prefix { $0 != 2 }
        _ = try (taken.next(), taken.next())
        try #expect(taken.next() == nil)
    }

    @Test func questions() throws {
        try #expect(cursor().contains(3))
        try #expect(!cursor().contains(9))
        try #expect(empty.isEmpty)
        try #expect(!cursor().isEmpty)
        try #expect(cursor().min() == 1)
        try #expect(cursor().max() == 5)
        try #expect(empty.max() == nil)
        try #expect(cursor().min(by: >) == 5)
        try #expect(cursor().reduce(0, +) == 15)
        let first = try cursor().first { $0 > 2 }
        let none = try cursor().first { $0 > 9 }
        let has = try cursor().contains { $0 > 4 }
        let into = try cursor().reduce(into: "") { $0 += "\($1)" }
        #expect(first == 3 && none == nil && has && into == "12345")
        try #expect(AnyCursor(["a", "b", "c"]).joined(separator: ", ") == "a, b, c")
        try #expect(AnyCursor([String]()).joined() == "")
    }

    @Test func collections() throws {
        try #expect(Set(cursor()) == [1, 2, 3, 4, 5])
        try #expect(Set(cursor(), minimumCapacity: 9) == [1, 2, 3, 4, 5])
        try #expect(Set([9]).union(cursor(1...1)) == [1, 9])
        try #expect(Set([1, 9]).intersection(cursor()) == [1])
        var set: Set = [5, 9]
        try set.formUnion(cursor(1...1))
        try set.formIntersection(cursor())
        #expect(set == [1, 5])
        let groups = try Dictionary(grouping: cursor()) { $0 % 2 }
        #expect(groups == [0: [2, 4], 1: [1, 3, 5]])
        let pairs = AnyCursor([("a", 1), ("b", 2)])
        try #expect(Dictionary(uniqueKeysWithValues: pairs) == ["a": 1, "b": 2])
    }

    @Test func combinatorsAreLazy() throws {
        var count = 0
        let lazy = cursor().map { value in
            count += 1
            return value
        }.filter { _ in true }.prefix(2)
        #expect(count == 0)
        try #expect(Array(lazy) == [1, 2])
        #expect(count == 2)
    }

    @Test func errorsPassThrough() {
        #expect(throws: Failure()) { try Array(failing) }
        #expect(throws: Failure()) { try Array(failing.map { $0 }.filter { _ in true }.enumerated()) }
        #expect(throws: Failure()) { try failing.dropLast() }
        #expect(throws: Failure()) { try Array(failing.dropFirst(5)) }
        #expect(throws: Failure()) { try cursor().forEach { _ in throw Failure() } }
        #expect(throws: Failure()) { try Array(cursor().map { _ -> Int in throw Failure() }) }
        #expect(throws: Failure()) { try failing.max() }
        #expect(throws: Never.self) { try Array(failing.prefix(2)) }
    }

    @Test func cursorsOfStatements() throws {
        try withDatabase { db in
            let cursor = try Int.fetchCursor(
                db, sql: "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c WHERE x > ?",
                arguments: [2])
            #expect(cursor.arguments == [2])
            #expect(cursor.columnNames == ["x"])
            #expect(cursor.columnCount == 1)
            #expect(cursor.sql.hasPrefix("WITH RECURSIVE"))
            let numbers = try Array(cursor.filter { $0.isMultiple(of: 5) }.prefix(3))
            #expect(numbers == [5, 10, 15])
            let rows = try Row.fetchCursor(db, sql: "SELECT 1 AS a UNION ALL SELECT 2")
            let ids = try Array(rows.map { $0["a"] as Int })
            #expect(ids == [1, 2])
        }
    }
}
