// Imports of comma-separated values.

public import Rowan
public import RowanPlatform

extension Database {
    /// Inserts the rows of a file with comma-separated values into a table: all of them or, after an error, none.
    ///
    /// ```swift
    /// // players.csv:
    /// // name,score
    /// // Arthur,500
    /// // Barbara,1000
    /// try dbQueue.write { db in
    ///     try db.importCSV(into: "player", from: url)
    /// }
    /// ```
    ///
    /// The names of the columns are in the first line. If the format has no header, the values are in the order of the
    /// table's columns. Values of generated columns are ignored. Values are converted to the types of the columns as SQLite
    /// does it, BLOB columns from Base64 or hexadecimal digits: an import reads what a dump in the same format has written.
    ///
    /// A table that doesn't exist is created. The types of its columns are those of all values: INTEGER or REAL, if each value
    /// is a number that can be stored without a loss, otherwise TEXT. Postal codes with leading zeros, and numbers with more
    /// digits than a number has, stay text. For this, the file is read twice, and what is not a file is read into memory.
    ///
    /// - Parameters:
    ///   - table: the name of the table.
    ///   - url: the file.
    ///   - format: the format of the file: see ``/RowanImport/CSVReader``.
    ///   - key: the columns of a unique key. A row whose key is in the table updates the row of the table. In a table that is
    ///     created, they are the primary key.
    ///   - onBadRow: called with the error of each row that is malformed or violates a constraint. The row is left out, unless
    ///     the closure throws an error. By default, such an error ends the import.
    ///   - onProgress: called after each part of the file that is read. If it throws an error, the import stops.
    /// - Returns: the number of rows.
    /// - Throws: an ``/RowanImport/ImportError`` for a malformed row, a row that violates a constraint, or a column that the
    ///   table doesn't have; an error with the code SQLITE_MISUSE if the separator is not an ASCII character; SQLite's
    ///   other errors.
    ///
    /// Complexity: one row in memory, and those of one statement.
    ///
    /// Article: <doc:ImportingFiles>.
    @discardableResult
    public func importCSV(
        into table: String, from url: URL, format: CSVDumpFormat = CSVDumpFormat(), key: [String] = [],
        onBadRow: ((ImportError) throws -> Void)? = nil, onProgress: ((ImportProgress) throws -> Void)? = nil
    ) throws -> ImportResult {
        try importRows(into: table, key: key, onBadRow, onProgress, ImportFile(url.path)) { try CSVReader($0, format) }
    }

    /// Inserts rows of comma-separated values into a table: see ``importCSV(into:from:format:key:onBadRow:onProgress:)``.
    @discardableResult
    public func importCSV(
        into table: String, data: Data, format: CSVDumpFormat = CSVDumpFormat(), key: [String] = [],
        onBadRow: ((ImportError) throws -> Void)? = nil
    ) throws -> ImportResult {
        try importRows(into: table, key: key, onBadRow, nil, ImportData(data, name: nil)) { try CSVReader($0, format) }
    }

    /// Inserts the rows that a reader reads into a table that exists: see ``importCSV(into:from:format:key:onBadRow:onProgress:)``.
    ///
    /// ```swift
    /// let reader = try CSVReader(named: "standard input") { buffer in
    ///     read(STDIN_FILENO, buffer.baseAddress, buffer.count)
    /// }
    /// try db.importCSV(into: "player", reader: reader)
    /// ```
    @discardableResult
    public func importCSV(
        into table: String, reader: CSVReader, key: [String] = [], onBadRow: ((ImportError) throws -> Void)? = nil
    ) throws -> ImportResult {
        try importRows(into: table, reader, key: key, hasCreatedTable: false, onBadRow)
    }
}
