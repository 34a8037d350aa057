// Any number of keys: the text of a statement does not depend on it.

import Foundation
import Rowan
import Testing

struct ManyKeysTests {
    private struct Numbered: Codable, FetchableRecord, PersistableRecord, Identifiable {
        static let databaseTableName = "numbered"
        var id: Int
        enum Columns { static let id = Column("id") }
        static let parts = hasMany(Part.self)
    }
    private struct Part: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "part"
        var id: Int
        var numberedId: Int
    }
    private struct Identified: Codable, FetchableRecord, PersistableRecord, Identifiable {
        static let databaseTableName = "identified"
        var id: UUID
        enum Columns { static let id = Column("id") }
    }
    private struct Named: Codable, FetchableRecord, PersistableRecord, Identifiable {
        static let databaseTableName = "named"
        var id: String
        enum Columns { static let id = Column("id") }
    }
    private struct Pair: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "pair"
        var a: Int
        var b: String
    }
    private struct Sample: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "sample"
        var sensor: UUID
        var time: Double
    }

    private func run(_ body: (Database) throws -> Void) throws {
        try inLoggedDatabase(
            """
            CREATE TABLE numbered (id INTEGER PRIMARY KEY);
            CREATE TABLE part (id INTEGER PRIMARY KEY, numberedId INTEGER REFERENCES numbered(id));
            CREATE TABLE identified (id BLOB PRIMARY KEY);
            CREATE TABLE named (id TEXT PRIMARY KEY);
            CREATE TABLE pair (a INTEGER, b TEXT, PRIMARY KEY (a, b));
            CREATE TABLE sample (sensor BLOB, time REAL, PRIMARY KEY (sensor, time));
            """
        ) { db, _ in try body(db) }
    }

    /// Expects the same text for two large numbers of keys.
    private func checkText<T>(
        _ db: Database, _ few: QueryInterfaceRequest<T>, _ many: QueryInterfaceRequest<T>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let first = try statementText(db, few)
        let second = try statementText(db, many)
        #expect(first.sql == second.sql, sourceLocation: sourceLocation)
        #expect(second.sql.utf8.count < 500, sourceLocation: sourceLocation)
    }

    @Test func aMillionIntegers() throws {
        try run { db throws in
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
                    INSERT INTO numbered SELECT i * 1000 FROM n
                    """)
            let keys = Array(0..<1_000_000)
            let some = keys.suffix(50_000)
            try checkText(db, Numbered.filter(keys: keys.prefix(2_000)), Numbered.filter(keys: some))
            #expect(
                try Numbered.filter(ids: some).select(\.id, as: Int.self).fetchSet(db)
                    == Set((950..<1_000).map { $0 * 1_000 }))
            #expect(try Numbered.filter { !some.contains($0.id) }.fetchCount(db) == 950)
            #expect(try Numbered.fetchAll(db, keys: some).count == 50)
            #expect(try Numbered.deleteAll(db, keys: some) == 50)
            #expect(try Numbered.filter(keys: keys).fetchCount(db) == 950)
        }
    }

    @Test func aHundredThousandIdentifiers() throws {
        try run { db throws in
            let keys = (0..<100_000).map { number in
                UUID(uuidString: "00000000-0000-4000-8000-" + String(format: "%012X", number * 7))!
            }
            let stored = stride(from: 0, to: keys.count, by: 100).map { keys[$0] }
            try Identified.insertAll(db, stored.map { Identified(id: $0) })
            try checkText(db, Identified.filter(keys: Array(keys.prefix(2_000))), Identified.filter(keys: keys))
            #expect(try Set(Identified.fetchAll(db, keys: keys).map(\.id)) == Set(stored))
            #expect(try Identified.filter(ids: keys.dropFirst()).fetchCount(db) == stored.count - 1)
            #expect(try Identified.deleteAll(db, keys: keys) == stored.count)
        }
    }

    @Test func aHundredThousandTexts() throws {
        try run { db throws in
            let keys = (0..<100_000).map { "\"\($0)'\\\n🌳\($0 % 10)" }
            let stored = stride(from: 0, to: keys.count, by: 100).map { keys[$0] }
            try Named.insertAll(db, stored.map { Named(id: $0) })
            try checkText(db, Named.filter(keys: Array(keys.prefix(2_000))), Named.filter(keys: keys))
            #expect(try Set(Named.fetchAll(db, ids: keys).map(\.id)) == Set(stored))
            #expect(try Named.deleteAll(db, keys: keys) == stored.count)
        }
    }

    @Test func compositeKeys() throws {
        try run { db throws in
            let keys = (0..<50_000).map { (number: Int) -> [String: (any DatabaseValueConvertible)?] in
                ["a": number, "b": "\"\(number)"]
            }
            try Pair.insertAll(db, stride(from: 0, to: 50_000, by: 100).map { Pair(a: $0, b: "\"\($0)") })
            try checkText(db, Pair.filter(keys: Array(keys.prefix(2_000))), Pair.filter(keys: keys))
            #expect(try Pair.fetchAll(db, keys: keys).count == 500)
            #expect(try Pair.deleteAll(db, keys: keys) == 500)
        }
    }

    @Test func compositeKeysOfBlobsAndDoubles() throws {
        try run { db throws in
            let sensors = (0..<10).map { _ in UUID() }
            let samples = (0..<50_000).map { Sample(sensor: sensors[$0 % 10], time: Double($0) * 0.1) }
            let keys = samples.map { sample -> [String: (any DatabaseValueConvertible)?] in
                ["sensor": sample.sensor, "time": sample.time]
            }
            try Sample.insertAll(db, stride(from: 0, to: 50_000, by: 100).map { samples[$0] })
            try checkText(db, Sample.filter(keys: Array(keys.prefix(2_000))), Sample.filter(keys: keys))
            #expect(try Sample.fetchAll(db, keys: keys).count == 500)
            #expect(try Sample.filter(keys: Array(keys.dropFirst())).fetchCount(db) == 499)
            #expect(try Sample.deleteAll(db, keys: keys) == 500)
        }
    }

    @Test func prefetchedRowsOfManyParents() throws {
        struct Info: Decodable, FetchableRecord {
            var numbered: Numbered
            var parts: [Part]
        }
        try run { db throws in
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
                    INSERT INTO numbered SELECT i FROM n;
                    INSERT INTO part SELECT id, id % 1000 + 1 FROM numbered WHERE id % 10 = 0;
                    """)
            let rows = try Row.fetchAll(db, Numbered.including(all: Numbered.parts))
            let counts = rows.map { $0.prefetchedRows["parts"]?.count ?? -1 }
            #expect(counts.count == 100_000)
            #expect(counts.reduce(0, +) == 10_000)
            #expect(!counts.contains(-1))
            let some = Numbered.filter { $0.id <= 2_000 }.including(all: Numbered.parts)
            #expect(try Info.fetchAll(db, some).map(\.parts.count).reduce(0, +) == 10_000)
        }
    }

    /// Doubles are a single argument, too: integers encode the doubles that JSON would round.
    @Test func doubles() throws {
        try run { db throws in
            var random = SeededGenerator(9)
            try db.execute(sql: "CREATE TABLE measure (x REAL)")
            var values: [Double] = [
                0, -0.0, 0.1, 0.2, 0.1 + 0.2, 1.0 / 3, 1e15, 1e22, 123456.789, -5e-20, 0x1p53 + 2, 7e30,
            ]
            values += (0..<20_000).map { _ in
                Double.random(in: -1...1, using: &random) * pow(10, Double.random(in: -15...15, using: &random))
            }
            for value in values { try db.execute(sql: "INSERT INTO measure VALUES (?)", arguments: [value]) }
            let measures = Table("measure").all()
            #expect(
                try measures.filter(values.contains(Column("x"))).fetchCount(db) == values.count, "seed \(random.seed)")
            let others = values.filter { $0 != 0 }.map(\.nextUp)
            let set = Set(others)
            let expected = values.filter(set.contains).count
            #expect(try measures.filter(others.contains(Column("x"))).fetchCount(db) == expected, "seed \(random.seed)")
            try checkText(
                db, measures.filter(values.prefix(3_000).contains(Column("x"))),
                measures.filter(values.contains(Column("x"))))
            // Too large or too small for integers, but still found by a list.
            let extremes = [1e300, 1e-300, .infinity, .leastNonzeroMagnitude] + values.prefix(1_000)
            for value in extremes.prefix(4) {
                try db.execute(sql: "INSERT INTO measure VALUES (?)", arguments: [value])
            }
            #expect(try measures.filter(extremes.contains(Column("x"))).fetchCount(db) == 1_004)
        }
    }
}
