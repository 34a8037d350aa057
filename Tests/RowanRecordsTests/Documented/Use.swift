// The same operations for any definition: each way of writing, of identifying a key, and of reading.

import Foundation
import Rowan
import RowanRecords
import Testing

/// A definition, with the data to use it.
struct Use<Record: FetchableRecord & MutablePersistableRecord> {
    /// Records with distinct keys: at least three, because the first writes of a type run other code than later ones.
    var samples: [Record]
    /// The same number of other records.
    var spares: [Record]
    /// The key columns.
    var key = ["id"]
    /// A column to filter by, order by and set, and a value for it.
    var column: String
    var value: DatabaseValue
    /// Changes a record; each number stands for another change.
    var change: (inout Record, Int) -> Void
    /// Requests that use the definition's own columns.
    var requests: [QueryInterfaceRequest<Record>] = []
    /// Whether all columns of the table can be read, in its order.
    var readsTable = true
    /// Whether constant records can be inserted, if the definition has the protocol for it.
    var insertsConstants = true
    /// A record as text.
    var text: (Record) -> Any = { $0 }

    /// The same use with additional requests.
    func requesting(_ requests: QueryInterfaceRequest<Record>...) -> Self {
        var result = self
        result.requests = requests
        return result
    }

    func trail(_ schema: String, configuration: Configuration = Configuration()) throws -> Trail {
        try .of(schema, configuration: configuration) { db, trail in
            var records = samples
            insert(&records, db, trail)
            update(&records, db, trail)
            upsert(&records, db, trail)
            findKeys(records, db, trail)
            read(db, trail)
            try trail.keepRows(db)
            delete(&records, db, trail)
            insertAndReturn(db, trail)
            try trail.keepRows(db)
            runBatches(db, trail)
        }
    }

    private func insert(_ records: inout [Record], _ db: Database, _ trail: Trail) {
        for index in records.indices {
            trail.note("insert") {
                try records[index].insert(db)
                return try (text(records[index]), records[index].databaseDictionary.sorted { $0.key < $1.key })
            }
        }
        trail.note("insert twice") { try records[0].insert(db) }
        trail.note("replace") { try records[0].insert(db, onConflict: .replace) }
    }

    private func update(_ records: inout [Record], _ db: Database, _ trail: Trail) {
        for index in records.indices {
            trail.note("update") {
                change(&records[index], 1)
                try records[index].update(db)
                return text(records[index])
            }
        }
        for index in records.indices {
            trail.note("updateChanges") {
                let hasChanged = try records[index].updateChanges(db) { change(&$0, 2) }
                return try (hasChanged, records[index].updateChanges(db) { _ in }, text(records[index]))
            }
            trail.note("changes") {
                let old = records[index]
                change(&records[index], 3)
                return try (
                    records[index].databaseChanges(from: old).sorted { $0.key < $1.key },
                    records[index].updateChanges(db, from: old)
                )
            }
            trail.note("update a column") {
                change(&records[index], 4)
                try records[index].update(db, columns: [column])
                try records[index].update(db, columns: [Column(column)])
                return text(records[index])
            }
            trail.note("updateAndFetch") { try text(records[index].updateAndFetch(db)) }
        }
    }

    private func upsert(_ records: inout [Record], _ db: Database, _ trail: Trail) {
        for index in records.indices {
            trail.note("save") {
                change(&records[index], 5)
                try records[index].save(db)
                return text(records[index])
            }
            trail.note("upsert") {
                change(&records[index], 6)
                try records[index].upsert(db)
                return text(records[index])
            }
            trail.note("upsertAndFetch") {
                change(&records[index], 7)
                return try (text(records[index].upsertAndFetch(db)), text(records[index]))
            }
            trail.note("saveAndFetch") { try text(records[index].saveAndFetch(db)) }
        }
    }

    private func key(of record: Record) throws -> [String: (any DatabaseValueConvertible)?] {
        let values = try record.databaseDictionary
        return Dictionary(uniqueKeysWithValues: key.map { ($0, values[$0] ?? .null) })
    }

    private func findKeys(_ records: [Record], _ db: Database, _ trail: Trail) {
        for record in records {
            trail.note("key") {
                let key = try key(of: record)
                return try (
                    record.exists(db), Record.exists(db, key: key), Record.fetchOne(db, key: key).map(text),
                    text(Record.find(db, key: key)), Record.filter(key: key).fetchAll(db).map(text),
                    Record.fetchAll(db, keys: [key]).map(text), Record.filter(keys: [key]).fetchCount(db)
                )
            }
            guard key.count == 1 else { continue }
            trail.note("key of one column") {
                let key = try record.databaseDictionary[key[0]] ?? .null
                return try (
                    Record.exists(db, key: key), Record.fetchOne(db, key: key).map(text),
                    text(Record.find(db, key: key)), Record.filter(key: key).fetchAll(db).map(text),
                    Record.fetchAll(db, keys: [key, key]).map(text), Record.filter(keys: [key]).fetchCount(db),
                    Record.selectPrimaryKey(as: DatabaseValue.self).fetchAll(db)
                )
            }
        }
    }

    private func read(_ db: Database, _ trail: Trail) {
        let all: [QueryInterfaceRequest<Record>] = [
            Record.all(), Record.filter(Column(column) == value), Record.filter(Column(column) != nil),
            Record.order(Column(column).desc), Record.all().orderByPrimaryKey().reversed(), Record.limit(2, offset: 1),
            Record.all().distinct(), Record.select(Column(column)).distinct(), Record.none(),
        ]
        for request in all + requests {
            trail.note("rows") { try request.asRequest(of: Row.self).fetchAll(db) }
            trail.note("count") { try (request.fetchCount(db), request.isEmpty(db)) }
        }
        for (number, request) in (all + requests).enumerated() where number != 7 {
            trail.note("fetch") {
                let cursor = try request.fetchCursor(db)
                return try (
                    request.fetchAll(db).map(text), request.fetchOne(db).map(text), cursor.next().map(text)
                )
            }
        }
        trail.note("select") { try Record.select(Column(column), as: DatabaseValue.self).fetchAll(db) }
        trail.note("maximum") { try Record.select(max(Column(column)), as: DatabaseValue.self).fetchOne(db) as Any }
        if readsTable {
            trail.note("SQL") { try Record.fetchAll(db, sql: "SELECT * FROM \(Record.databaseTableName)").map(text) }
        }
        trail.note("counts") {
            try (Record.fetchCount(db), Record.fetchAll(db).map(text), Record.fetchOne(db).map(text))
        }
    }

    private func delete(_ records: inout [Record], _ db: Database, _ trail: Trail) {
        for index in records.indices {
            trail.note("delete") { try (records[index].delete(db), records[index].delete(db)) }
            trail.note("update a missing row") { try records[index].update(db) }
            trail.note("save a missing row") {
                try records[index].save(db)
                return text(records[index])
            }
            trail.note("delete by key") {
                try (
                    Record.deleteOne(db, key: key(of: records[index])),
                    Record.deleteAll(db, keys: [key(of: records[index])])
                )
            }
            trail.note("upsert a missing row") {
                try records[index].upsert(db)
                return text(records[index])
            }
        }
    }

    private func insertAndReturn(_ db: Database, _ trail: Trail) {
        trail.note("inserted") { try text(spares[0].inserted(db)) }
        trail.note("saved") { try text(spares[1].saved(db)) }
        trail.note("insertAndFetch") { try text(spares[2].insertAndFetch(db)) }
        trail.note("delete all") { try Record.deleteAll(db) }
        for case let constant as any PersistableRecord in spares where insertsConstants {
            trail.note("insert a constant") { try constant.insert(db) }
            trail.note("save a constant") { try constant.save(db) }
            trail.note("upsert a constant") { try constant.upsert(db) }
        }
        trail.note("delete all") { try Record.deleteAll(db) }
        trail.note("insertAll") {
            var spares = spares
            try Record.insertAll(db, &spares)
            return spares.map(text)
        }
    }

    private func runBatches(_ db: Database, _ trail: Trail) {
        trail.note("updateAll") {
            try Record.filter(Column(column) != value).updateAll(db, Column(column).set(to: value))
        }
        for request in requests { trail.note("delete requested rows") { try request.deleteAll(db) } }
        trail.note("delete filtered rows") { try Record.filter(Column(column) == value).deleteAll(db) }
        trail.note("delete all") { try Record.deleteAll(db) }
    }
}

/// Expects that two definitions behave the same in each use.
func expectSame<First, Second>(
    _ schema: String, documented: Use<First>, byMacro: Use<Second>, _ difference: Difference = .none,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    expectSame(
        try documented.trail(schema), try byMacro.trail(schema), difference, sourceLocation: sourceLocation)
}
