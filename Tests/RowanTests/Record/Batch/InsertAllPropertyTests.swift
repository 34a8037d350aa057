// insertAll has the same results as a loop of insertions, for any records.

import Foundation
import Rowan
import Testing

private struct Item: MutablePersistableRecord, Equatable {
    static let databaseTableName = "item"
    var id: Int64?
    var columns: [String]
    var values: [DatabaseValue]

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        for (column, value) in zip(columns, values) { container[column] = value }
    }
    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// The same record without callbacks.
private struct SilentItem: PersistableRecord {
    static let databaseTableName = "item"
    var item: Item
    func encode(to container: inout PersistenceContainer) { item.encode(to: &container) }
}

private func randomValue(_ random: inout SeededGenerator) -> DatabaseValue {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: .null
    case 1: random.integer(Int64.self).databaseValue
    case 2: random.double().databaseValue
    case 3: random.string().databaseValue
    default: Data((0..<Int.random(in: 0..<40, using: &random)).map { _ in random.integer(UInt8.self) }).databaseValue
    }
}

private func randomItems(_ random: inout SeededGenerator) -> [Item] {
    let variants = [["a", "b", "select \"x\""], ["a"], ["b", "a"], []]
    let isUniform = Bool.random(using: &random)
    return (0..<Int.random(in: 0..<200, using: &random)).map { _ in
        let isOther = !isUniform && Int.random(in: 0..<20, using: &random) == 0
        let columns = isOther ? variants.randomElement(using: &random)! : variants[0]
        let hasID = Int.random(in: 0..<10, using: &random) == 0
        return Item(
            id: hasID ? Int64.random(in: -50...5_000, using: &random) : nil, columns: columns,
            values: columns.map { _ in randomValue(&random) })
    }
}

private let schema = #"""
    CREATE TABLE item (id INTEGER PRIMARY KEY, a, b TEXT UNIQUE, "select ""x""" INTEGER, double AS (quote(a) || '!'))
    """#

private struct Outcome: Equatable {
    var rows: [Row]
    var error: ResultCode?
    var message: String?
    var items: [Item] = []
}

private func outcome(_ items: [Item], _ insert: (Database, inout [Item]) throws -> Void) throws -> Outcome {
    try inLoggedDatabase(schema) { db, _ throws in
        var outcome = Outcome(rows: [])
        var items = items
        do {
            try db.inSavepoint {
                try insert(db, &items)
                return .commit
            }
            outcome.items = items
        } catch let error as DatabaseError {
            (outcome.error, outcome.message) = (error.extendedResultCode, error.message)
        }
        outcome.rows = try Row.fetchAll(db, sql: "SELECT * FROM item ORDER BY id")
        return outcome
    }
}

/// A violation, in the form reported for insertions of several records.
private func naming(_ index: Int, _ insert: () throws -> Void) throws {
    do { try insert() } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
        throw DatabaseError(
            resultCode: error.extendedResultCode,
            message: "\(error.message ?? "") - inserting the record at index \(index)")
    }
}

struct InsertAllPropertyTests {
    @Test func itEqualsALoop() throws {
        var random = SeededGenerator(7)
        for _ in 0..<60 {
            let items = randomItems(&random)
            let resolutions: [Database.ConflictResolution?] = [nil, nil, .ignore, .replace, .fail]
            let resolution = resolutions.randomElement(using: &random)!
            let loop = try outcome(items) { db, items in
                for index in items.indices {
                    try naming(index) { try items[index].insert(db, onConflict: resolution) }
                }
            }
            let mutating = try outcome(items) { try Item.insertAll($0, &$1, onConflict: resolution) }
            #expect(mutating == loop, "ROWAN_SEED=\(random.seed)")
            let silent = try outcome(items) { db, items in
                try SilentItem.insertAll(db, items.map(SilentItem.init), onConflict: resolution)
                items = loop.items
            }
            #expect(silent == loop, "ROWAN_SEED=\(random.seed)")
            let skipping = try outcome(items) { db, items in
                try Item.insertAll(db, items, onConflict: resolution, callbacks: .skipped)
                items = loop.items
            }
            #expect(skipping == loop, "ROWAN_SEED=\(random.seed)")
        }
    }

    @Test func upsertsEqualALoop() throws {
        var random = SeededGenerator(8)
        for _ in 0..<30 {
            let items = randomItems(&random).filter { !$0.columns.isEmpty }
            let loop = try outcome(items) { db, items in
                for (index, item) in items.enumerated() {
                    try naming(index) { try SilentItem(item: item).upsert(db) }
                }
            }
            let all = try outcome(items) { db, items in try SilentItem.upsertAll(db, items.map(SilentItem.init)) }
            #expect(all == loop, "ROWAN_SEED=\(random.seed)")
        }
    }
}
