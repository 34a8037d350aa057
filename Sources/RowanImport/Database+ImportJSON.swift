// Imports of JSON lines.

public import Rowan
public import RowanPlatform

extension Database {
    /// Inserts the rows of a file with one JSON object per line into a table: all of them or, after an error, none.
    ///
    /// ```swift
    /// // players.jsonl:
    /// // {"name":"Arthur","score":500}
    /// // {"name":"Barbara"}
    /// try dbQueue.write { db in
    ///     try db.importJSONLines(into: "player", from: url)
    /// }
    /// ```
    ///
    /// The keys are the names of columns. A column without a key has its default value or, with an upsert, keeps its value. Values
    /// of generated columns are ignored. Arrays and objects are stored as text, and Booleans as numbers or, in columns of text,
    /// as `true` and `false`. SQLite converts values to the types of the columns; a text for a BLOB column is Base64: an import
    /// reads what a dump has written.
    ///
    /// A table that doesn't exist is created. Its columns are the keys of all lines, and their types are those of all values:
    /// INTEGER, REAL or BOOLEAN, if all values are, and can be stored without a loss, otherwise TEXT. For this, the file is
    /// read twice, and what is not a file is read into memory.
    ///
    /// - Parameters:
    ///   - table: the name of the table.
    ///   - url: the file.
    ///   - key: the columns of a unique key. A row whose key is in the table updates the row of the table. In a table that is
    ///     created, they are the primary key.
    ///   - onBadRow: called with the error of each row that is malformed, has a key without a column, or violates a
    ///     constraint. The row is left out, unless the closure throws an error. By default, such an error ends the import.
    ///   - onProgress: called after each part of the file that is read. If it throws an error, the import stops.
    /// - Returns: the number of rows.
    /// - Throws: an ``/RowanImport/ImportError`` for such a row, or for a file that can't be read; SQLite's other errors.
    ///
    /// Complexity: one line in memory, and the rows of one statement.
    ///
    /// Article: <doc:ImportingFiles>.
    ///
    /// Source: <https://jsonlines.org>
    @discardableResult
    public func importJSONLines(
        into table: String, from url: URL, key: [String] = [], onBadRow: ((ImportError) throws -> Void)? = nil,
        onProgress: ((ImportProgress) throws -> Void)? = nil
    ) throws -> ImportResult {
        try importRows(into: table, key: key, onBadRow, onProgress, ImportFile(url.path)) { try JSONLinesReader($0) }
    }

    /// Inserts the rows of JSON lines into a table: see ``importJSONLines(into:from:key:onBadRow:onProgress:)``.
    @discardableResult
    public func importJSONLines(
        into table: String, data: Data, key: [String] = [], onBadRow: ((ImportError) throws -> Void)? = nil
    ) throws -> ImportResult {
        try importRows(into: table, key: key, onBadRow, nil, ImportData(data, name: nil)) { try JSONLinesReader($0) }
    }
}
