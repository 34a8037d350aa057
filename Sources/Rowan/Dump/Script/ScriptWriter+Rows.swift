// The rows of a script. A statement inserts many rows, because compiling a statement takes longer than inserting a row.

extension ScriptWriter {
    /// The maximum number of rows that a statement inserts, and of bytes before its last row.
    private static let maximumRowCount = 256
    private static let maximumByteCount = 1 << 14
    /// The maximum number of columns of a table, and of terms of a statement. <https://sqlite.org/limits.html>
    private static let maximumColumnCount = 2_000

    /// Writes the rows of a table, in the order of their rowids.
    ///
    /// - Parameters:
    ///   - target: the schema of the table for the script, with its dot, if a temporary table may hide it.
    ///   - verb: the first words of the statements.
    func writeRows(
        of table: String, in target: String = "", verb: String = "INSERT INTO", to stream: inout DumpStream
    ) throws {
        let name = table.quotedDatabaseIdentifier
        let all = try db.columns(in: table, in: schema.name)
        let stored = all.filter { !$0.isGenerated }.map(\.name)
        let key = try db.primaryKey(table, in: schema.name)
        var rowID = key.hiddenRowIDName
        if case .some = key.rowIDColumn { rowID = nil }
        if let rowID, stored.count >= Self.maximumColumnCount {
            return try writeRows(of: table, "\(verb) \(target)\(name)", rowID, columns: stored, to: &stream)
        }
        var columns: [String] = stored.map { $0.quotedDatabaseIdentifier }
        var order = ""
        if let rowID {
            columns.insert(rowID, at: 0)
            order = " ORDER BY \(rowID)"
        }
        let list = columns.joined(separator: ",")
        let statement = try db.makeStatement(
            sql: "SELECT \(list) FROM \(schema.name.quotedDatabaseIdentifier).\(name)\(order)")
        let isComplete = rowID == nil && stored.count == all.count
        let names = isComplete ? "" : "(\(list))"
        let insertion = "\(verb) \(target)\(name)\(names) VALUES\n"
        stream.progress.table = table
        try writeRows(RowCursor(statement, adapter: nil), insertion, to: &stream)
    }

    /// Writes the rows of a table with so many columns that no statement can contain its rowid as well: the rows get
    /// consecutive rowids, and those that had another one get it back.
    private func writeRows(
        of table: String, _ start: String, _ rowID: String, columns: [String], to stream: inout DumpStream
    ) throws {
        let name = table.quotedDatabaseIdentifier
        let source = "FROM \(schema.name.quotedDatabaseIdentifier).\(name)"
        let list = columns.map(\.quotedDatabaseIdentifier).joined(separator: ",")
        let insertion = "\(start)(\(list)) VALUES\n"
        let rowIDs = try Int64.fetchCursor(db, sql: "SELECT \(rowID) \(source) ORDER BY \(rowID)")
        let statement = try db.makeStatement(sql: "SELECT \(list) \(source) WHERE \(rowID)=?")
        stream.progress.table = table
        var last: Int64 = 0
        while let row = try rowIDs.next() {
            try statement.setArguments([row])
            try writeRows(RowCursor(statement, adapter: nil), insertion, to: &stream)
            if row != last + 1 {
                stream.write("UPDATE \(name) SET \(rowID)=\(row) WHERE \(rowID)=\(last + 1);\n")
                try stream.didEndStatement()
            }
            last = row
        }
    }

    func writeRows(_ cursor: RowCursor, _ insertion: String, to stream: inout DumpStream) throws {
        guard try cursor.nextRow() != nil else { return }
        let statement = cursor.statement
        let width = statement.columnCount
        let text = stream.text()
        var rowCount = 0
        var start = 0
        repeat {
            if rowCount == 0 {
                start = text.totalCount
                text.append(insertion)
            } else {
                text.append(literal: ",\n")
            }
            writeRow(statement, width, to: text)
            rowCount &+= 1
            if rowCount == Self.maximumRowCount || text.totalCount &- start > Self.maximumByteCount {
                text.append(literal: ";\n")
                rowCount = 0
                try stream.didEndStatement()
            }
            try stream.didWriteRow()
        } while try cursor.nextRow() != nil
        guard rowCount > 0 else { return }
        text.append(literal: ";\n")
        try stream.didEndStatement()
    }

    @inline(__always)
    private func writeRow(_ statement: Statement, _ width: Int, to text: TextBuffer) {
        text.append(byte: 0x28)
        for index in 0..<width {
            if index > 0 { text.append(byte: 0x2C) }
            switch statement.storedColumn(index) {
            case .null: text.append(literal: "NULL")
            case .integer(let integer): text.append(integer)
            case .real(let double): reals.append(double, to: text)
            case .text(let bytes): text.append(textLiteral: bytes)
            case .blob(let bytes): text.append(blobLiteral: bytes)
            }
        }
        text.append(byte: 0x29)
    }
}
