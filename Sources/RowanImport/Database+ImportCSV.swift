// Imports of files.

public import Rowan
public import RowanPlatform

/// What an import has done.
public struct ImportResult: Hashable, Sendable {
    /// The number of rows that were inserted or updated.
    public internal(set) var rowCount = 0
    /// The number of rows that were left out.
    public internal(set) var skippedCount = 0
    /// Whether the table was created.
    public internal(set) var hasCreatedTable = false
}

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
    /// - Returns: the number of rows.
    /// - Throws: a ``/RowanImport/CSVError`` for a malformed row, a row that violates a constraint, or a column that the
    ///   table doesn't have; an error with the code SQLITE_MISUSE if the separator is not an ASCII character; SQLite's
    ///   other errors.
    ///
    /// Complexity: one row in memory, and those of one statement.
    ///
    /// Article: <doc:ImportingFiles>.
    @discardableResult
    public func importCSV(
        into table: String, from url: URL, format: CSVDumpFormat = CSVDumpFormat(), key: [String] = [],
        onBadRow: ((CSVError) throws -> Void)? = nil
    ) throws -> ImportResult {
        let file = try CSVFile(url.path)
        guard try !tableOrViewExists(table) else {
            return try importCSV(into: table, reader: CSVReader(file, format), key: key, onBadRow: onBadRow)
        }
        guard file.rewind() else {
            let data = try file.readAll()
            return try importCSV(into: table, format, key: key, onBadRow) { CSVData(data, name: url.path) }
        }
        return try importCSV(into: table, format, key: key, onBadRow) {
            _ = file.rewind()
            return file
        }
    }

    /// Inserts rows of comma-separated values into a table: see ``importCSV(into:from:format:key:onBadRow:)``.
    @discardableResult
    public func importCSV(
        into table: String, data: Data, format: CSVDumpFormat = CSVDumpFormat(), key: [String] = [],
        onBadRow: ((CSVError) throws -> Void)? = nil
    ) throws -> ImportResult {
        try importCSV(into: table, format, key: key, onBadRow) { CSVData(data, name: nil) }
    }

    /// Inserts the rows that a reader reads into a table that exists: see ``importCSV(into:from:format:key:onBadRow:)``.
    ///
    /// ```swift
    /// let reader = try CSVReader(named: "standard input") { buffer in
    ///     read(STDIN_FILENO, buffer.baseAddress, buffer.count)
    /// }
    /// try db.importCSV(into: "player", reader: reader)
    /// ```
    @discardableResult
    public func importCSV(
        into table: String, reader: CSVReader, key: [String] = [], onBadRow: ((CSVError) throws -> Void)? = nil
    ) throws -> ImportResult {
        try importCSV(into: table, reader, key: key, hasCreatedTable: false, onBadRow)
    }

    /// - Parameter open: returns the source at its start.
    private func importCSV(
        into table: String, _ format: CSVDumpFormat, key: [String], _ onBadRow: ((CSVError) throws -> Void)?,
        _ open: () throws -> any CSVSource
    ) throws -> ImportResult {
        let isNew = try !tableOrViewExists(table)
        var result = ImportResult()
        try inSavepoint {
            if isNew { try createTable(table, for: CSVReader(open(), format), key: key, skipsRows: onBadRow != nil) }
            result = try importCSV(into: table, CSVReader(open(), format), key: key, hasCreatedTable: isNew, onBadRow)
            return .commit
        }
        return result
    }

    private func tableOrViewExists(_ name: String) throws -> Bool { try tableExists(name) || viewExists(name) }

    /// Creates a table for the values of a file.
    private func createTable(_ name: String, for reader: CSVReader, key: [String], skipsRows: Bool) throws {
        let names = reader.columnNames
        guard !names.isEmpty else { throw CSVError(reader.fileName, line: nil, field: nil, "the file is empty") }
        for (index, column) in names.enumerated() {
            if column.isEmpty {
                throw CSVError(reader.fileName, line: 1, field: index, "the column has no name")
            }
            if names[..<index].contains(where: column.isSameDatabaseName) {
                throw CSVError(reader.fileName, line: 1, field: index, "the column occurs twice").naming(names)
            }
        }
        var columns = names.map { _ in InferredColumn() }
        while true {
            // No statement notices a cancellation.
            if connection.mustStop { throw CancellationError() }
            do { guard try reader.advance() else { break } } catch let error as CSVError
                where skipsRows && error.line != nil
            {
                // The import reports it.
                continue
            }
            for index in columns.indices {
                let field = reader.scanner.fields[index]
                if !reader.isNull(field) { columns[index].note(reader.scanner.bytes(field)) }
            }
        }
        try create(table: name) { table in
            for (name, column) in zip(names, columns) {
                let definition = table.column(name, column.type)
                if key.contains(where: name.isSameDatabaseName) { definition.notNull() }
            }
            let key = names.filter { name in key.contains(where: name.isSameDatabaseName) }
            if !key.isEmpty { table.primaryKey(key) }
        }
    }

    private func importCSV(
        into name: String, _ reader: CSVReader, key: [String], hasCreatedTable: Bool,
        _ onBadRow: ((CSVError) throws -> Void)?
    ) throws -> ImportResult {
        var result = ImportResult(hasCreatedTable: hasCreatedTable)
        guard !reader.columnNames.isEmpty else { return result }
        let table = try ImportedTable(self, name, reader, key: key)
        let batch = ImportBatch(self, table)
        func reject(_ error: CSVError) throws {
            guard let onBadRow else { throw error }
            try onBadRow(error)
            result.skippedCount += 1
        }
        func flush() throws {
            try batch.flush { line, error in
                try reject(CSVError(reader.fileName, line: line, field: nil, error.message ?? "\(error)"))
            }
        }
        try inSavepoint {
            while true {
                do {
                    guard try reader.advance() else { break }
                    for index in table.positions.indices {
                        guard let position = table.positions[index] else { continue }
                        try table.columns[position].add(reader.scanner.fields[index], index, of: reader, to: batch)
                    }
                } catch let error as CSVError where error.line != nil {
                    batch.dropRow()
                    // The rows before it are reported first.
                    try flush()
                    try reject(error)
                    continue
                }
                if batch.endRow(line: reader.scanner.line) { try flush() }
            }
            try flush()
            return .commit
        }
        result.rowCount = batch.rowCount
        return result
    }
}

extension CSVFile {
    fileprivate func readAll() throws -> Data {
        var data = Data()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
        defer { buffer.deallocate() }
        while case let count = try read(into: buffer), count > 0 {
            data.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        return data
    }
}
