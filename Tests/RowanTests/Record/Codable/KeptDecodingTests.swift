// The decoding container that a row retains for later rows must not mix up records, rows or memory.

import Rowan
import Testing

@Suite struct KeptDecodingTests {
    private struct Name: Decodable, FetchableRecord, Equatable {
        var id: Int
        var name: String
    }

    /// Two record types that alternate on one row, with different coding keys.
    private struct Pair: Decodable, FetchableRecord {
        var name: Name
        var score: Int

        private enum CodingKeys: String, CodingKey { case score }

        init(from decoder: any Decoder) throws {
            name = try Name(from: decoder)
            score = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .score)
        }
    }

    private struct SnakeName: Decodable, FetchableRecord, Equatable {
        static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
        var firstName: String
    }

    private let sql = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3)
        SELECT i AS id, 'name ' || i AS name, i * 10 AS score, 'first ' || i AS first_name FROM n
        """

    @Test func eachRowDecodesItsOwnValues() throws {
        let names = try DatabaseQueue().read { try Name.fetchAll($0, sql: sql) }
        #expect(names == (1...3).map { Name(id: $0, name: "name \($0)") })
    }

    @Test func keysOfTwoTypesTakeTurns() throws {
        let pairs = try DatabaseQueue().read { try Pair.fetchAll($0, sql: sql) }
        #expect(pairs.map(\.name) == (1...3).map { Name(id: $0, name: "name \($0)") })
        #expect(pairs.map(\.score) == [10, 20, 30])
    }

    @Test func strategiesOfTwoTypesTakeTurns() throws {
        try DatabaseQueue().read { db in
            let rows = try Row.fetchCursor(db, sql: sql)
            var index = 0
            while let row = try rows.next() {
                index += 1
                #expect(try Name(row: row) == Name(id: index, name: "name \(index)"))
                #expect(try SnakeName(row: row) == SnakeName(firstName: "first \(index)"))
            }
            #expect(index == 3)
        }
    }

    @Test func aCopiedRowDecodesAfterItsCursorHasMoved() throws {
        try DatabaseQueue().read { db in
            let rows = try Row.fetchCursor(db, sql: sql)
            let first = try #require(try rows.next())
            _ = try Name(row: first)
            let copy = first.copy()
            _ = try rows.next()
            #expect(try Name(row: copy) == Name(id: 1, name: "name 1"))
        }
    }

    @Test(arguments: [1, 3, 4]) func theRowIsFreedWithItsCursor(steps: Int) throws {
        try DatabaseQueue().read { db in
            weak var row: Row?
            do {
                let rows = try Row.fetchCursor(db, sql: sql)
                for _ in 0..<steps {
                    guard let next = try rows.next() else { break }
                    _ = try Name(row: next)
                    row = next
                }
                #expect(row != nil)
            }
            #expect(row == nil)
        }
    }

    /// Two records whose keys differ from the columns, each in its own way.
    private struct Initials: Decodable, FetchableRecord, Equatable {
        static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.custom { Key($0.prefix(1)) }
        var f: String

        private struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(_ name: some StringProtocol) { stringValue = String(name) }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
    }

    @Test func twoStrategiesForKeysTakeTurns() throws {
        try DatabaseQueue().read { db in
            let rows = try Row.fetchCursor(db, sql: sql)
            for index in 1...3 {
                let row = try #require(try rows.next())
                #expect(try SnakeName(row: row) == SnakeName(firstName: "first \(index)"))
                #expect(try Initials(row: row) == Initials(f: "first \(index)"))
                #expect(try SnakeName(row: row) == SnakeName(firstName: "first \(index)"))
            }
        }
    }
}
