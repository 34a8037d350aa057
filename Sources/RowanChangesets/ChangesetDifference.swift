// The difference between two databases, which may be on any connections.

public import Rowan

extension Changeset {
    /// The changes that make a database equal to another one.
    ///
    /// ```swift
    /// let changes = try old.read { old in
    ///     try new.read { new in try Changeset.difference(from: old, to: new) }
    /// }
    /// try old.write { try $0.apply(changes) }
    /// ```
    ///
    /// Only tables with a primary key that both databases have are compared, and rows whose key contains NULL are left out.
    ///
    /// - Parameters:
    ///   - old: the database before the changes.
    ///   - new: the database after the changes.
    ///   - tables: the types of the records of the tables to compare; nil for all tables that both have.
    /// - Throws: SQLITE_SCHEMA if a table has other columns in the other database; SQLite's errors.
    ///
    /// Complexity: one query for each row of both databases.
    public static func difference(
        from old: Database, to new: Database, in tables: [any TableRecord.Type]? = nil
    ) throws -> Changeset {
        var writer = ChangesetWriter(isPatchset: false)
        var columnNames: [String: [String]] = [:]
        for name in try tables?.map({ $0.databaseTableName }) ?? old.recordedTableNames() {
            guard let table = try RecordedTable(name, old), let other = try RecordedTable(name, new) else { continue }
            guard table.columnNames == other.columnNames, table.format.keyIndexes == other.format.keyIndexes else {
                throw DatabaseError(
                    resultCode: .SQLITE_SCHEMA, message: "the databases have different columns of table \"\(name)\"")
            }
            try table.forEachRow(old) { key, row in
                guard let change = table.change(from: row, to: try table.row(key, new), isIndirect: false) else {
                    return
                }
                writer.write(change, of: table.format)
            }
            try table.forEachRow(new) { key, row in
                guard try table.row(key, old) == nil else { return }
                if let change = table.change(from: nil, to: row, isIndirect: false) {
                    writer.write(change, of: table.format)
                }
            }
            columnNames[name] = table.columnNames
        }
        return Changeset(data: writer.bytes, columnNames: columnNames)
    }
}

extension Database {
    fileprivate func recordedTableNames() throws -> [String] {
        try tables(in: "main").map(\.name).filter { !connection.abilities.hiddenTables.contains($0) }
    }
}

extension RecordedTable {
    /// Calls the closure with each row that has a key.
    fileprivate func forEachRow(_ db: Database, _ body: ([DatabaseValue], [DatabaseValue]) throws -> Void) throws {
        let rows = try Row.fetchCursor(db, sql: selectionSQL)
        while let row = try rows.next() {
            let values = Array(row.databaseValues)
            if let key = key(values) { try body(key, values) }
        }
    }
}
