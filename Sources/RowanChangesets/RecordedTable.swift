// The tables whose changes can be recorded, and the queries of their rows.

import Rowan

/// A row by its table and its primary key.
struct ChangedRowKey: Hashable {
    let table: String
    let values: [DatabaseValue]
}

extension [ChangedRowKey] {
    /// The rows of each table together, in the order of the first row of each table.
    var byTable: [(table: String, rows: [ChangedRowKey])] {
        var tables: [(table: String, rows: [ChangedRowKey])] = []
        var indexes: [String: Int] = [:]
        for row in self {
            if let index = indexes[row.table] {
                tables[index].rows.append(row)
            } else {
                indexes[row.table] = tables.count
                tables.append((row.table, [row]))
            }
        }
        return tables
    }
}

/// A table of the main database whose rows have a primary key.
struct RecordedTable {
    let format: ChangesetTable
    /// The columns that are not generated, in order.
    let columnNames: [String]
    /// The positions in `columnNames` of the columns of the primary key.
    let keyColumns: [Int]
    /// `SELECT a, b FROM t`
    let selectionSQL: String
    /// `SELECT a, b FROM t WHERE a IS ?`, exactly: not by the collation of the key.
    let rowSQL: String

    /// - Returns: nil for a table without primary key, a virtual table, a view, or a table of SQLite.
    init?(_ name: String, _ db: Database) throws {
        guard !Database.isSQLiteInternalTable(name), try db.storesRows(name, in: "main") else { return nil }
        let columns = try db.columns(in: name, in: "main").filter { !$0.isGenerated && !$0.isHidden }
        let keyIndexes = columns.map { UInt8(clamping: $0.primaryKeyIndex) }
        guard keyIndexes.contains(where: { $0 > 0 }) else { return nil }
        format = ChangesetTable(name: name, keyIndexes: keyIndexes)
        let names = columns.map(\.name)
        columnNames = names
        keyColumns = keyIndexes.indices.filter { keyIndexes[$0] > 0 }
        let list = names.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        selectionSQL = "SELECT \(list) FROM main.\(name.quotedDatabaseIdentifier)"
        // The first condition uses the index, whatever its collation.
        let conditions = keyColumns.enumerated().map { number, column in
            let column = names[column].quotedDatabaseIdentifier
            return "\(column) = ?\(number + 1) AND \(column) IS ?\(number + 1) COLLATE BINARY"
        }
        rowSQL = "\(selectionSQL) WHERE \(conditions.joined(separator: " AND "))"
    }

    /// The values of the primary key; nil if one of them is NULL.
    func key(_ values: [DatabaseValue]) -> [DatabaseValue]? {
        let key = keyColumns.map { values[$0] }
        return key.contains(.null) ? nil : key
    }

    /// The row with a key.
    func row(_ key: [DatabaseValue], _ db: Database) throws -> [DatabaseValue]? {
        try Row.rows(db.connection, rowSQL, StatementArguments(key)).first.map { Array($0.databaseValues) }
    }

    /// The change from one row to another with the same key; nil if there is none.
    func change(from old: [DatabaseValue]?, to new: [DatabaseValue]?, isIndirect: Bool) -> ChangeValues? {
        let none = [DatabaseValue?](repeating: nil, count: columnNames.count)
        switch (old, new) {
        case (nil, nil): return nil
        case (nil, let new?): return ChangeValues(kind: .insert, isIndirect: isIndirect, old: none, new: new)
        case (let old?, nil): return ChangeValues(kind: .delete, isIndirect: isIndirect, old: old, new: none)
        case (let old?, let new?):
            let isChanged = zip(old, new).map { $0.storage != $1.storage }
            guard isChanged.contains(true) else { return nil }
            return ChangeValues(
                kind: .update, isIndirect: isIndirect,
                old: old.indices.map { isChanged[$0] || format.keyIndexes[$0] > 0 ? old[$0] : nil },
                new: new.indices.map { isChanged[$0] ? new[$0] : nil })
        }
    }
}
