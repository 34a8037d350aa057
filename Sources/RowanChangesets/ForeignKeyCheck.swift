// The foreign keys after changes have been applied. Their actions must not run meanwhile: a parent that is deleted before its
// child gets another one would take the child along. SQLite can only leave them out since 3.44, so foreign keys are off, and
// checked afterwards: for the changed rows, and for the rows that refer to them.

import Rowan

/// The foreign keys that some changes may violate.
struct ForeignKeyCheck {
    private struct Key {
        let child: String
        let parent: String
        let columns: [(child: String, parent: String)]
        /// `NOT EXISTS (SELECT 1 FROM parent AS p WHERE p.a = c.b)`
        let isOrphan: String
        /// Whether rows with the same key have equal values, by the parent's collation.
        let hasSameAffinity: Bool
    }

    private let db: Database
    private let keys: [Key]

    /// - Parameter tables: the tables of the changes.
    init(_ tables: [String], _ db: Database) throws {
        self.db = db
        var keys: [Key] = []
        for child in try db.tables(in: "main").map(\.name) {
            for key in try db.foreignKeys(on: child, in: "main") {
                let parent = key.destinationTable
                guard [child, parent].contains(where: { name in tables.contains(where: name.isSameDatabaseName) })
                else {
                    continue
                }
                func affinity(_ column: String, _ table: String) -> Affinity? {
                    db.connection.columnType(column, of: table, in: "main").map { Affinity(declaredType: $0.declared) }
                }
                let pairs = key.mapping.map { (child: $0.origin, parent: $0.destination) }
                let conditions = pairs.map {
                    "p.\($0.parent.quotedDatabaseIdentifier) = c.\($0.child.quotedDatabaseIdentifier)"
                }
                let isOrphan =
                    try db.tableExists(parent, in: "main")
                    ? "NOT EXISTS (SELECT 1 FROM main.\(parent.quotedDatabaseIdentifier) AS p "
                        + "WHERE \(conditions.joined(separator: " AND ")))" : "1"
                keys.append(
                    Key(
                        child: child, parent: parent, columns: pairs, isOrphan: isOrphan,
                        hasSameAffinity: pairs.allSatisfy { affinity($0.child, child) == affinity($0.parent, parent) }))
            }
        }
        self.keys = keys
    }

    /// The number of rows without a parent, among those that the changes concern.
    ///
    /// - Parameter hasReplaced: whether rows were replaced whose values the changes don't contain.
    func violationCount(
        _ changes: some DatabaseChanges, _ columnNames: [String: [String]], hasReplaced: Bool
    ) throws -> Int {
        guard !keys.isEmpty else { return 0 }
        var count = 0
        var incomplete = Set(hasReplaced ? keys.map(\.child) : [])
        var reader = ChangesetReader(changes.data)
        while let change = try reader.next(), let table = reader.table, let names = columnNames[table.name] {
            for key in keys {
                if change.kind != .delete, key.child.isSameDatabaseName(as: table.name) {
                    count += try orphans(of: change, table, names, key)
                }
                guard !hasReplaced, change.kind != .insert, key.parent.isSameDatabaseName(as: table.name) else {
                    continue
                }
                if let children = try children(of: change, table, names, key) {
                    count += children
                } else {
                    incomplete.insert(key.child)
                }
            }
        }
        for child in incomplete.sorted() {
            let sql = "PRAGMA main.foreign_key_check(\(child.quotedDatabaseIdentifier))"
            count += try Row.rows(of: db.makeStatement(sql: sql), []).count
        }
        return count
    }

    /// 1 if the changed row has no parent; 0 otherwise.
    private func orphans(
        of change: ChangeValues, _ table: ChangesetTable, _ names: [String], _ key: Key
    ) throws -> Int {
        let indexes = table.keyIndexes.indices.filter { table.keyIndexes[$0] > 0 }
        let values = change.kind == .insert ? change.new : change.old
        let conditions =
            indexes.map { "c.\(names[$0].quotedDatabaseIdentifier) = ?" }
            + key.columns.map { "c.\($0.child.quotedDatabaseIdentifier) NOT NULL" }
        return try count(of: key, where: conditions, indexes.compactMap { values[$0] })
    }

    /// The number of rows that refer to the values that a row had, and have no parent now; 0 if they did not change, and nil if
    /// the change does not say what they were.
    private func children(
        of change: ChangeValues, _ table: ChangesetTable, _ names: [String], _ key: Key
    ) throws -> Int? {
        guard key.hasSameAffinity else { return nil }
        var conditions: [String] = []
        var values: [DatabaseValue] = []
        var isChanged = change.kind == .delete
        for (child, parent) in key.columns {
            guard let index = names.firstIndex(where: parent.isSameDatabaseName) else { return nil }
            if change.new[index] != nil { isChanged = true }
            let collation = db.connection.columnType(parent, of: key.parent, in: "main")?.collation ?? "BINARY"
            conditions.append("c.\(child.quotedDatabaseIdentifier) = ? COLLATE \(collation.quotedDatabaseIdentifier)")
            if let value = change.old[index] { values.append(value) }
        }
        guard isChanged else { return 0 }
        guard values.count == key.columns.count else { return nil }
        return try count(of: key, where: conditions, values)
    }

    private func count(of key: Key, where conditions: [String], _ values: [DatabaseValue]) throws -> Int {
        let sql = """
            SELECT COUNT(*) FROM main.\(key.child.quotedDatabaseIdentifier) AS c \
            WHERE \((conditions + [key.isOrphan]).joined(separator: " AND "))
            """
        return try Row.rows(db.connection, sql, StatementArguments(values)).first?[0] ?? 0
    }
}
