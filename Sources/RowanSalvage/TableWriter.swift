// A table of the recovered database.

import Rowan

/// Inserts rows of the file into their table.
final class TableWriter {
    let hasRowID: Bool
    private let db: Database
    private let name: String
    private let encoding: FileHeader.Encoding
    /// The columns in the order of the values of a record, without virtual generated ones, which no record has.
    private let columns: [Column]
    /// The name of the rowid, unless a column is the rowid, or columns have all its names.
    private let rowIDName: String?
    /// The statements, by the number of values. A row that is older than a column has no value for it: it has the default.
    private var writers: [Int: RowWriter] = [:]

    private struct Column {
        let name: String
        /// Whether the column is the rowid. Its value in the record is NULL.
        let isRowID: Bool
        let isGenerated: Bool
    }

    /// - Throws: a ``/Rowan/DatabaseError``.
    init(_ db: Database, _ name: String, _ encoding: FileHeader.Encoding) throws {
        (self.db, self.name, self.encoding) = (db, name, encoding)
        let key = try db.primaryKey(name, in: "main")
        hasRowID = key.tableHasRowID
        rowIDName = hasRowID && key.rowIDColumn == nil ? key.hiddenRowIDName : nil
        var columns = try Row.fetchAll(
            db, sql: "SELECT name, hidden FROM pragma_table_xinfo(?, 'main') WHERE hidden <> 2", arguments: [name]
        ).map { row in
            let name: String = row["name"]
            return Column(name: name, isRowID: name == key.rowIDColumn, isGenerated: row["hidden"] == 3)
        }
        if !hasRowID {
            // The columns of the key come first, each once.
            let names = try String.fetchAll(
                db,
                sql: """
                    SELECT i.name FROM pragma_index_list(?1, 'main') AS list, pragma_index_xinfo(list.name, 'main') AS i
                    WHERE list.origin = 'pk' AND i.key ORDER BY i.seqno
                    """, arguments: [name])
            let position = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
            let first = columns.filter { position[$0.name] != nil }.sorted { position[$0.name]! < position[$1.name]! }
            columns = first + columns.filter { position[$0.name] == nil }
        }
        self.columns = columns
    }

    /// Inserts a row.
    ///
    /// - Returns: nil if it is in the table, or why not.
    /// - Throws: an error that concerns not only this row.
    func insert(_ row: StoredRow) throws -> String? {
        if let defect = row.defect { return defect }
        let count = row.record.values.count
        guard count > 0, count <= columns.count else { return "the table has \(columns.count) columns" }
        let writer: RowWriter
        do { writer = try self.writer(count) } catch let error as DatabaseError { return error.message ?? "" }
        let isRowIDNamed = rowIDName != nil
        if isRowIDNamed { writer.bind(row.rowID, at: 1) }
        var parameter = isRowIDNamed ? 2 : 1
        var values: [(parameter: Int, value: StoredValue)] = []
        values.reserveCapacity(count)
        for (column, value) in zip(columns, row.record.values) where !column.isGenerated {
            values.append((parameter, column.isRowID ? row.rowID.map(StoredValue.integer) ?? value : value))
            parameter += 1
        }
        return try writer.insert(row.record, values)
    }

    private func writer(_ count: Int) throws -> RowWriter {
        if let writer = writers[count] { return writer }
        let names = (rowIDName.map { [$0] } ?? []) + columns.prefix(count).filter { !$0.isGenerated }.map(\.name)
        let list = names.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        let marks = repeatElement("?", count: names.count).joined(separator: ", ")
        let sql =
            names.isEmpty
            ? "INSERT INTO main.\(name.quotedDatabaseIdentifier) DEFAULT VALUES"
            : "INSERT INTO main.\(name.quotedDatabaseIdentifier) (\(list)) VALUES (\(marks))"
        let writer = try RowWriter(db, sql, encoding)
        writers[count] = writer
        return writer
    }
}
