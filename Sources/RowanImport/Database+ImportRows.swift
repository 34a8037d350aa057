// Imports of rows, whatever their format.

import Rowan

extension Database {
    /// Inserts the rows of a source into a table, which is created if it doesn't exist.
    ///
    /// - Parameter open: returns the rows of a source at its start.
    func importRows<Reader: ImportReader>(
        into table: String, key: [String], _ onBadRow: ((ImportError) throws -> Void)?,
        _ onProgress: ((ImportProgress) throws -> Void)?, _ source: any ImportSource,
        _ open: (any ImportSource) throws -> Reader
    ) throws -> ImportResult {
        let reported = onProgress.map { ReportedSource(source, $0) }
        let first: any ImportSource = reported ?? source
        guard try !tableExists(table), try !viewExists(table) else {
            return try importRows(into: table, open(first), key: key, hasCreatedTable: false, onBadRow, reported)
        }
        reported?.progress.isFindingTypes = true
        let source = try first.repeatable()
        var result = ImportResult()
        try inSavepoint {
            try createTable(table, for: open(source), key: key, skipsRows: onBadRow != nil)
            guard source.rewind() else {
                throw ImportError(source.name, line: nil, field: nil, "the file can't be read a second time")
            }
            reported?.progress.isFindingTypes = false
            result = try importRows(into: table, open(source), key: key, hasCreatedTable: true, onBadRow, reported)
            return .commit
        }
        return result
    }

    /// Creates a table for the values of a file.
    private func createTable<Reader: ImportReader>(
        _ name: String, for reader: Reader, key: [String], skipsRows: Bool
    ) throws {
        var columns = reader.allColumnNames.map { _ in InferredColumn() }
        while true {
            // No statement notices a cancellation.
            if connection.mustStop { throw CancellationError() }
            do { guard try reader.advance() else { break } } catch let error as ImportError
                where skipsRows && error.line != nil
            {
                // The import reports it.
                continue
            }
            reader.note(in: &columns)
        }
        let names = reader.allColumnNames
        func error(_ index: Int?, _ message: String) -> ImportError {
            ImportError(reader.fileName, line: reader.lineOfNames, field: index, message).naming(names)
        }
        guard !names.isEmpty else { throw ImportError(reader.fileName, line: nil, field: nil, "the file is empty") }
        for (index, column) in names.enumerated() {
            if column.isEmpty { throw error(index, "the column has no name") }
            if names[..<index].contains(where: column.isSameDatabaseName) {
                throw error(index, "the column occurs twice")
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

    /// Inserts the rows of a reader.
    func importRows<Reader: ImportReader>(
        into name: String, _ reader: Reader, key: [String], hasCreatedTable: Bool,
        _ onBadRow: ((ImportError) throws -> Void)?, _ reported: ReportedSource? = nil
    ) throws -> ImportResult {
        var result = ImportResult(hasCreatedTable: hasCreatedTable)
        let batch = ImportBatch(self)
        var layout: Int?
        var tables: [Int: ImportedTable] = [:]
        if let line = reader.lineOfNames {
            guard !reader.columnNames.isEmpty else { return result }
            batch.table = try ImportedTable(self, name, reader, line: line, key: key)
            layout = reader.layout
        }
        func reject(_ error: ImportError) throws {
            guard let onBadRow else { throw error }
            try onBadRow(error)
            result.skippedCount += 1
        }
        func flush() throws {
            try batch.flush { line, error in
                try reject(ImportError(reader.fileName, line: line, field: nil, error.publicMessage ?? "\(error)"))
            }
            reported?.progress.rowCount = batch.rowCount
        }
        /// The table of rows with the columns of the current one.
        func currentTable() throws -> ImportedTable {
            if let known = tables[reader.layout] { return known }
            // A file may have any number of layouts.
            if tables.count == 256 { tables = [:] }
            let table = try ImportedTable(self, name, reader, line: reader.line, key: key)
            tables[reader.layout] = table
            return table
        }
        func skip(_ error: ImportError) throws {
            batch.dropRow()
            // The rows before it are reported first.
            try flush()
            try reject(error)
        }
        try inSavepoint {
            while true {
                var next: ImportedTable?
                do {
                    guard try reader.advance() else { break }
                    if reader.layout != layout { next = try currentTable() }
                } catch let error as ImportError where error.line != nil {
                    try skip(error)
                    continue
                }
                if let next {
                    try flush()
                    (batch.table, layout) = (next, reader.layout)
                }
                do { try reader.addValues(to: batch) } catch let error as ImportError {
                    try skip(error)
                    continue
                }
                if batch.endRow(line: reader.line) { try flush() }
            }
            try flush()
            return .commit
        }
        result.rowCount = batch.rowCount
        return result
    }
}

extension ImportReader {
    @inline(__always)
    fileprivate func addValues(to batch: ImportBatch) throws {
        let table = batch.table
        for index in table.positions.indices {
            guard let position = table.positions[index] else { continue }
            try add(index, as: table.columns[position], to: batch)
        }
    }
}
