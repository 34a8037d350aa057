import GRDB
import Harness

// Written by hand, as a user of the peer would: the peer introspects tables, and the program compares.

extension Assignment {
    func checkSchema() throws -> any Run {
        let queue = try makeQueue(path: path)
        let count = count
        return ClosureRun {
            try queue.read { db in try (0..<count).map { try mismatches(db, "entry\($0)") }.reduce(0, +) }
        } digest: { mismatches, checksum in
            checksum.add(Int64(mismatches))
        } close: {
            try queue.close()
        }
    }
}

private let expected: [(name: String, type: String, isNotNull: Bool)] = [
    ("id", "INTEGER", false), ("name", "TEXT", true), ("score", "INTEGER", true), ("note", "TEXT", false),
    ("previousId", "INTEGER", false),
]

private func mismatches(_ db: Database, _ table: String) throws -> Int {
    let columns = try db.columns(in: table)
    var count = try db.primaryKey(table).columns == ["id"] ? 0 : 1
    for (name, type, isNotNull) in expected {
        guard let column = columns.first(where: { $0.name == name }) else {
            count += 1
            continue
        }
        if column.type != type { count += 1 }
        if column.isNotNull != isNotNull { count += 1 }
    }
    let indexes = try db.indexes(on: table)
    for foreignKey in try db.foreignKeys(on: table) {
        let key = foreignKey.mapping.map(\.origin)
        if !indexes.contains(where: { Array($0.columns.prefix(key.count)) == key }) { count += 1 }
    }
    return count
}
