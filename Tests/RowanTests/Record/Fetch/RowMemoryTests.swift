// The memory of decoders is released with the cursor, even if the program retains the row, a copy or a container.

import Rowan
import Testing

@Suite struct RowMemoryTests {
    private struct Name: Decodable, FetchableRecord, Equatable {
        var id: Int
        var name: String
    }

    /// A record that retains its decoding container.
    private struct Hoarder: Decodable, FetchableRecord {
        enum CodingKeys: CodingKey { case id }
        let container: KeyedDecodingContainer<CodingKeys>
        let id: Int

        init(from decoder: any Decoder) throws {
            container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
        }
    }

    private struct Pair: Decodable, FetchableRecord {
        var left: Name
        var right: Name?
    }

    private let sql = "SELECT 1 AS id, 'a' AS name UNION ALL SELECT 2, 'b' UNION ALL SELECT 3, 'c' ORDER BY 1"
    private let names = [Name(id: 1, name: "a"), Name(id: 2, name: "b"), Name(id: 3, name: "c")]

    /// A row that has decoded a record, and its cached decoders.
    private func decoded(_ rows: RowCursor, _ remembered: inout Weak<RowMemory>) throws -> Row {
        let row = try #require(try rows.next())
        _ = try Name(row: row)
        remembered.value = row.memory
        #expect(row.memory != nil)
        return row
    }

    @Test func aRowThatIsKeptLosesTheMemoryOfItsCursor() throws {
        try DatabaseQueue().read { db in
            var memory = Weak<RowMemory>()
            let row = try decoded(Row.fetchCursor(db, sql: sql), &memory)
            #expect(memory.value == nil)
            #expect(row.memory == nil)
        }
    }

    @Test func theMemoryEndsWithTheLastRow() throws {
        try DatabaseQueue().read { db in
            var memory = Weak<RowMemory>()
            let rows = try Row.fetchCursor(db, sql: sql)
            let row = try decoded(rows, &memory)
            while try rows.next() != nil {}
            #expect(memory.value == nil)
            #expect(row.memory == nil)
        }
    }

    @Test func theMemoryEndsWithAnError() throws {
        try DatabaseQueue().read { db in
            var memory = Weak<RowMemory>()
            let rows = try Row.fetchCursor(
                db, sql: "SELECT 1 AS id, 'a' AS name UNION ALL SELECT 2, abs(-9223372036854775808)")
            let row = try decoded(rows, &memory)
            expectError(.SQLITE_ERROR) { try rows.next() }
            #expect(memory.value == nil)
            #expect(row.memory == nil)
        }
    }

    @Test func aCopyHasNoMemory() throws {
        try DatabaseQueue().read { db in
            var memory = Weak<RowMemory>()
            let rows = try Row.fetchCursor(db, sql: sql)
            var row = Weak<Row>()
            row.value = try decoded(rows, &memory)
            let copy = try #require(row.value?.copy())
            #expect(copy.memory == nil)
            #expect(try Name(row: copy) == names[0])
            #expect(copy.memory == nil)
            while try rows.next() != nil {}
            #expect(memory.value == nil)
            #expect(try Name(row: copy) == names[0])
        }
    }

    @Test func aContainerThatIsKeptHoldsItsRowAlone() throws {
        try DatabaseQueue().read { db in
            var memory = Weak<RowMemory>()
            var row = Weak<Row>()
            var records: [Hoarder] = []
            try hoard(db, &records, &row, &memory)
            #expect(records.map(\.id) == [1, 2, 3])
            #expect(memory.value == nil)
            #expect(row.value != nil)
            records = []
            #expect(row.value == nil)
        }
    }

    private func hoard(
        _ db: Database, _ records: inout [Hoarder], _ row: inout Weak<Row>, _ memory: inout Weak<RowMemory>
    ) throws {
        let rows = try Row.fetchCursor(db, sql: sql)
        while let next = try rows.next() {
            records.append(try Hoarder(row: next))
            (row.value, memory.value) = (next, next.memory)
        }
    }

    @Test func scopesEndWithTheirRow() throws {
        try DatabaseQueue().read { db in
            let adapter = ScopeAdapter(["left": RangeRowAdapter(0..<2), "right": RangeRowAdapter(2..<4)])
            var memories: [Weak<RowMemory>] = []
            var scopes: [Row] = []
            do {
                let rows = try Row.fetchCursor(
                    db, sql: "SELECT 1 AS id, 'a' AS name, 2 AS id, 'b' AS name", adapter: adapter)
                let row = try #require(try rows.next())
                let pair = try Pair(row: row)
                #expect([pair.left, pair.right] == [names[0], names[1]])
                scopes = ["left", "right"].compactMap { row.scopes[$0] }
                memories = ([row] + scopes).map { Weak($0.memory) }
                #expect(memories.allSatisfy { $0.value != nil })
            }
            #expect(memories.allSatisfy { $0.value == nil })
            #expect(scopes.count == 2 && scopes.allSatisfy { $0.memory == nil })
        }
    }

    /// A record that fetches the previous records of the same type.
    private struct Chain: Decodable, FetchableRecord, Equatable {
        nonisolated(unsafe) static var database: Database?
        var id: Int
        var name: String
        var previous: [Chain] = []

        enum CodingKeys: CodingKey { case id, name }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            previous = try Chain.fetchAll(
                Self.database!, sql: "SELECT * FROM name WHERE id < ? ORDER BY id", arguments: [id])
            name = try container.decode(String.self, forKey: .name)
        }
    }

    @Test func aRecordFetchesOthersWhileItDecodes() throws {
        try DatabaseQueue().inDatabase { db in
            try db.execute(sql: "CREATE TABLE name (id, name); INSERT INTO name VALUES (1, 'a'), (2, 'b'), (3, 'c')")
            Chain.database = db
            defer { Chain.database = nil }
            let chains = try Chain.fetchAll(db, sql: "SELECT * FROM name WHERE id < ? ORDER BY id", arguments: [4])
            #expect(chains.map(\.name) == ["a", "b", "c"])
            #expect(chains.map { $0.previous.map(\.name) } == [[], ["a"], ["a", "b"]])
            #expect(chains[2].previous[1].previous == [chains[0]])
        }
    }

    @Test func renamedColumnsMoveWithTheirCursor() throws {
        try DatabaseQueue().read { db in
            let adapter = ScopeAdapter(
                base: ColumnMapping(["id": "number", "name": "word"]),
                scopes: ["left": ColumnMapping(["name": "word", "id": "number"])])
            let renamed = "SELECT word, number FROM (SELECT id AS number, name AS word FROM (\(sql)))"
            let rows = try Row.fetchCursor(db, sql: renamed, adapter: adapter)
            var copies: [Row] = []
            for name in names {
                let row = try #require(try rows.next())
                #expect(try Name(row: row) == name)
                #expect(try Pair(row: row).left == name)
                copies.append(row.copy())
            }
            #expect(try rows.next() == nil)
            #expect(try copies.map { try Pair(row: $0).left } == names)
            #expect(copies.map(\.unadapted) == names.map { ["word": $0.name, "number": $0.id] })
        }
    }
}

private struct Weak<Object: AnyObject> {
    weak var value: Object?
    init(_ value: Object? = nil) { self.value = value }
}
