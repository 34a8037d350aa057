// The columns found by `updateChanges`: different ones each time, more than an integer has bits, and in different
// orders.

import Rowan
import Testing

/// A record with as many columns as values.
private struct Wide: MutablePersistableRecord, FetchableRecord {
    static let databaseTableName = "wide"
    var id: Int64 = 1
    var values: [Int?]
    /// Whether the columns are encoded in reverse order.
    var isReversed = false

    init(values: [Int?]) { self.values = values }

    init(row: Row) {
        id = row["id"]
        values = (0..<(row.count - 1)).map { row["c\($0)"] }
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        for index in isReversed ? Array(values.indices.reversed()) : Array(values.indices) {
            container["c\(index)"] = values[index]
        }
    }
}

@Suite struct UpdateChangesTests {
    private func inTable(_ count: Int, _ body: (Database, Wide) throws -> Void) throws {
        try withDatabase { db in
            let columns = (0..<count).map { "c\($0) INTEGER" }.joined(separator: ", ")
            try db.execute(sql: "CREATE TABLE wide (id INTEGER PRIMARY KEY, \(columns))")
            var record = Wide(values: Array(0..<count))
            try record.insert(db)
            try body(db, record)
        }
    }

    @Test(arguments: [3, 63, 64, 65, 100])
    func changesAreWritten(_ count: Int) throws {
        try inTable(count) { db, record in
            var record = record
            for round in 0..<3 {
                for index in 0..<count {
                    let isChanged = try record.updateChanges(db) { $0.values[index] = index * 1000 + round + 1 }
                    #expect(isChanged)
                    let isChangedAgain = try record.updateChanges(db) { $0.values[index] = index * 1000 + round + 1 }
                    #expect(!isChangedAgain)
                }
            }
            let stored = try #require(try Wide.fetchOne(db))
            #expect(stored.values == record.values)
        }
    }

    @Test func onlyChangedColumnsAreWritten() throws {
        try inTable(5) { db, record in
            var record = record
            // Changes by others are preserved.
            try db.execute(sql: "UPDATE wide SET c0 = -1")
            try record.updateChanges(db) { $0.values[2] = nil }
            try record.updateChanges(db) { ($0.values[1], $0.values[4]) = (10, 40) }
            try record.updateChanges(db) { $0.values[2] = 20 }
            let stored = try #require(try Wide.fetchOne(db))
            #expect(stored.values == [-1, 10, 20, 3, 40])
        }
    }

    @Test func recordsThatEncodeInAnotherOrder() throws {
        try inTable(4) { db, record in
            var record = record
            record.isReversed = true
            let isChanged = try record.updateChanges(db) { $0.isReversed = false }
            #expect(!isChanged)
            try record.updateChanges(db) {
                $0.isReversed = true
                $0.values[3] = 33
            }
            var other = record
            other.values[0] = 100
            try other.updateChanges(db, from: record)
            let stored = try #require(try Wide.fetchOne(db))
            #expect(stored.values == [100, 1, 2, 33])
        }
    }

    @Test func anErrorBetweenChanges() throws {
        struct Refusal: Error {}
        try inTable(3) { db, record in
            var record = record
            #expect(throws: Refusal.self) {
                try record.updateChanges(db) {
                    $0.values[0] = 5
                    throw Refusal()
                }
            }
            try record.updateChanges(db) { $0.values[1] = 6 }
            let stored = try #require(try Wide.fetchOne(db))
            // The closure changed the record before it threw, but the change was not written.
            #expect(stored.values == [0, 6, 2])
        }
    }
}
