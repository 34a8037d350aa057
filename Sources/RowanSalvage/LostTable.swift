// The table for rows that don't fit in a table, or whose table isn't known. It is like that of the sqlite3 shell.

import Rowan

/// The table `lost_and_found`, which is created with the first row.
///
/// | Column | Value |
/// | --- | --- |
/// | `rootpgno` | the topmost page that leads to the row |
/// | `pgno` | the page of the row |
/// | `nfield` | the number of values |
/// | `id` | the rowid; NULL for a row of an index or of a table without rowid |
/// | `source` | the table to which the page belongs; NULL if it isn't known |
/// | `reason` | why the row is not in this table |
/// | `c0`, `c1`, … | the values |
final class LostTable {
    private let db: Database
    private let encoding: FileHeader.Encoding
    private let reservedNames: Set<String>
    private(set) var name: String?
    private(set) var rowCount = 0
    private(set) var incompleteRowCount = 0
    private var columnCount = 0
    private var writer: RowWriter?

    /// SQLite's limit of columns leaves this many for values.
    private static let mostColumns = 1_990

    /// - Parameter reservedNames: the names of the other tables, folded.
    init(_ db: Database, _ encoding: FileHeader.Encoding, reservedNames: Set<String>) {
        (self.db, self.encoding, self.reservedNames) = (db, encoding, reservedNames)
    }

    /// - Throws: a ``/Rowan/DatabaseError``.
    func insert(_ row: StoredRow, root: UInt32, table: String?, reason: String) throws {
        let values = row.record.values.prefix(Self.mostColumns)
        let writer = try writer(values.count)
        writer.bind(Int64(root), at: 1)
        writer.bind(Int64(row.page), at: 2)
        writer.bind(Int64(row.record.values.count), at: 3)
        writer.bind(row.rowID, at: 4)
        let problem = try (table ?? "").withCString { name in
            try reason.withCString { reason in
                if table != nil { writer.bind(name, at: 5) }
                writer.bind(reason, at: 6)
                return try writer.insert(
                    row.record, values.enumerated().lazy.map { (parameter: $0.offset + 7, value: $0.element) })
            }
        }
        if let problem { throw DatabaseError(message: problem) }
        rowCount += 1
        if row.defect != nil || values.count < row.record.values.count { incompleteRowCount += 1 }
    }

    /// The statement for rows with a number of values.
    private func writer(_ count: Int) throws -> RowWriter {
        if let writer, count <= columnCount { return writer }
        writer = nil
        let name = try self.name ?? create()
        while columnCount < count {
            try db.execute(sql: "ALTER TABLE main.\(name) ADD COLUMN c\(columnCount)")
            columnCount += 1
        }
        let marks = repeatElement("?", count: 6 + columnCount).joined(separator: ", ")
        let writer = try RowWriter(db, "INSERT INTO main.\(name) VALUES (\(marks))", encoding)
        self.writer = writer
        return writer
    }

    private func create() throws -> String {
        var (name, number) = ("lost_and_found", 0)
        while reservedNames.contains(name) { (name, number) = ("lost_and_found_\(number)", number + 1) }
        try db.execute(sql: "CREATE TABLE main.\(name) (rootpgno, pgno, nfield, id, source, reason)")
        self.name = name
        return name
    }
}
