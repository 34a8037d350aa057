// The form in which SQLite's pre-update hook provides the rows of a table. Virtual generated columns have no values.
// Before version 3.53, the columns after them move up; an INTEGER in a REAL column is the short form of a double; a row
// older than a column has no value for it; and some columns are mistaken for others.

/// The stored columns of a table, and the positions of their values in the pre-update hook.
package struct PreUpdateLayout: Sendable {
    private struct Column: Sendable {
        /// The index in the table.
        let index: Int
        /// Whether the column is the rowid.
        let isRowID: Bool
        let isReal: Bool
        /// The value of the column in rows older than the column.
        let missingValue: DatabaseValue
    }

    /// The names of the stored columns.
    package let columnNames: [String]
    private let hasRowID: Bool
    private let columns: [Column]
    private let columnCount: Int
    /// The index of a column that exists only if SQLite counts the columns that are not stored; nil if this makes no
    /// difference.
    private let lastIndex: Int?
    /// Whether SQLite mistakes another column for the rowid if it does not count the columns that are not stored.
    private let hidesColumn: Bool
    /// Whether SQLite mistakes one column for another.
    private let isMisread: Bool

    fileprivate init(_ db: Database, _ table: String, _ schema: String) throws {
        let key = try db.primaryKey(table, in: schema)
        let all = try db.columns(in: table, in: schema)
        let stored = all.indices.filter { !all[$0].isComputed }
        let rowIDIndex = all.firstIndex { $0.name == key.rowIDColumn }
        let table = try db.existingTable(table, in: schema)
        let defaults = try stored.filter { $0 != rowIDIndex }.map {
            (try db.affinity(declaredType: all[$0].type, in: table), all[$0].defaultValueSQL)
        }
        var missingValues = try MissingValues.of(defaults)[...]
        columns = stored.map { index in
            Column(
                index: index, isRowID: index == rowIDIndex, isReal: Affinity(declaredType: all[index].type) == .real,
                missingValue: index == rowIDIndex ? .null : missingValues.removeFirst())
        }
        columnNames = stored.map { all[$0].name }
        hasRowID = key.tableHasRowID
        columnCount = all.count
        lastIndex = stored.last.flatMap { $0 == stored.count - 1 ? nil : $0 }
        hidesColumn = rowIDIndex.map { $0 < stored.count && stored[$0] != $0 } ?? false
        isMisread =
            Database.sqliteLibVersionNumber < 3_053_000
            && Self.convertsIntegers(all, stored, key: key.tableHasRowID ? [] : key.columns)
    }

    /// Whether SQLite mistakes a column for a REAL one and converts its integers to doubles: it looks up the type of a
    /// column by its position in the stored row, where the columns of the key come first.
    private static func convertsIntegers(_ all: [ColumnInfo], _ stored: [Int], key: [String]) -> Bool {
        let keyIndexes = key.compactMap { name in stored.first { all[$0].name.isSameDatabaseName(as: name) } }
        let positions = keyIndexes + stored.filter { !keyIndexes.contains($0) }
        return positions.enumerated().contains { position, index in
            let affinity = Affinity(declaredType: all[index].type)
            return position != index && Affinity(declaredType: all[position].type) == .real
                && affinity != .real && affinity != .text
        }
    }

    /// The event for a row that is about to change.
    ///
    /// - Returns: nil if SQLite does not provide all values.
    package func event(
        _ row: PreUpdateRow, _ kind: DatabaseEvent.Kind, _ table: StatementProfile.Table
    ) -> DatabasePreUpdateEvent? {
        // If the count differs, another connection has just changed the table.
        guard !isMisread, row.columnCount == columnCount else { return nil }
        var initial, final: [DatabaseValue]?
        if kind != .insert {
            initial = values(of: row, .initial)
            guard initial != nil else { return nil }
        }
        if kind != .delete {
            final = values(of: row, .final)
            guard final != nil else { return nil }
        }
        return DatabasePreUpdateEvent(
            kind: kind, table: table, columnNames: columnNames, depth: row.depth,
            initialRowID: hasRowID && initial != nil ? row.initialRowID : nil,
            finalRowID: hasRowID && final != nil ? row.finalRowID : nil,
            initialDatabaseValues: initial, finalDatabaseValues: final)
    }

    private func values(of row: PreUpdateRow, _ version: PreUpdateRow.Version) -> [DatabaseValue]? {
        var countsStored = false
        if let lastIndex, case .none = row.field(lastIndex, version) { countsStored = true }
        if countsStored, hidesColumn { return nil }
        var values: [DatabaseValue] = []
        values.reserveCapacity(columns.count)
        for (position, column) in columns.enumerated() {
            if column.isRowID {
                let rowID =
                    switch version {
                    case .initial: row.initialRowID
                    case .final: row.finalRowID
                    }
                values.append(DatabaseValue(storage: .int64(rowID)))
                continue
            }
            switch row.field(countsStored ? position : column.index, version) {
            case .value(let value):
                if column.isReal, case .int64(let integer) = value.storage {
                    values.append(DatabaseValue(storage: .double(Double(integer))))
                } else {
                    values.append(value)
                }
            case .missing: values.append(column.missingValue)
            case .none: return nil
            }
        }
        return values
    }
}

extension Database {
    /// The form in which the pre-update hook provides the rows of a table; nil for a table it does not report.
    ///
    /// - Throws: an error if the schema can't be read.
    package func preUpdateLayout(of table: StatementProfile.Table) throws -> PreUpdateLayout? {
        guard !Self.isSQLiteInternalTable(table.name), try storesRows(table.name, in: table.schema) else {
            return nil
        }
        return try PreUpdateLayout(self, table.name, table.schema)
    }
}

// MARK: - Added columns

/// The values that SQLite reads for a column in rows older than the column.
private enum MissingValues {
    /// - Parameter columns: the affinity and the default of each column.
    static func of(_ columns: [(affinity: Affinity, defaultSQL: String?)]) throws -> [DatabaseValue] {
        // Later versions of SQLite provide these values.
        guard Database.sqliteLibVersionNumber < 3_053_000, columns.contains(where: { $0.defaultSQL != nil }) else {
            return columns.map { _ in .null }
        }
        // The values come from SQLite: a row older than all columns, in a separate database.
        return try DatabaseQueue().inDatabase { db in
            try db.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (NULL)")
            return try columns.enumerated().map { index, column in
                guard let sql = column.defaultSQL else { return .null }
                let definition = "ALTER TABLE t ADD COLUMN c\(index) \(column.affinity.rawValue)"
                // SQLite accepts names and literals without parentheses, and expressions in parentheses. A column with
                // any other default can't be added to a table that has rows.
                guard
                    ["DEFAULT \(sql)", "DEFAULT (\(sql))"].contains(where: { clause in
                        (try? db.makeStatement(sql: "\(definition) \(clause)").execute()) != nil
                    })
                else { return .null }
                return try Row.rows(of: db.makeStatement(sql: "SELECT c\(index) FROM t"), [])[0][0]
            }
        }
    }
}
