// The protocol of formats. A dump copies the format for each query, so a format may count rows without resetting.

/// A type that prints database rows.
///
/// The formats of Rowan are ``debug(header:separator:nullValue:)``, ``json(encoder:)``, ``jsonLines(nulls:encoder:)``,
/// ``csv(header:separator:lineEnding:nullValue:blobs:formulas:)``, ``line(nullValue:)``,
/// ``list(header:separator:nullValue:)`` and ``quote(header:separator:)``. A program can define its own:
///
/// ```swift
/// struct CountFormat: DumpFormat {
///     var count = 0
///     mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) { count += 1 }
///     mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
///         stream.write("\(count) rows\n")
///     }
/// }
/// try db.dumpSQL("SELECT * FROM player", format: CountFormat())
/// ```
///
/// Article: <doc:Dump>.
public protocol DumpFormat {
    /// Writes the current row of a statement, which must not be stepped or reset.
    mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) throws

    /// Finishes the output after the last row of the statement. Also called if there are no rows.
    mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream)
}

/// A format with options that don't all make sense.
protocol CheckedDumpFormat: DumpFormat {
    /// - Throws: SQLITE_MISUSE for options that make the output unreadable.
    func check() throws
}

/// When a dump of tables prints their names.
public enum DumpTableHeaderOptions: Hashable, Sendable {
    /// The names are printed if there are several tables.
    case automatic
    /// The names are always printed.
    case always
}

extension DumpStream {
    /// Writes the names of the columns on one line.
    mutating func writeHeader(
        _ statement: Statement, separator: String, _ write: (String, TextBuffer) -> Void
    ) {
        let text = text()
        for (index, name) in columnNames(of: statement).enumerated() {
            if index > 0 { text.append(separator) }
            write(name, text)
        }
        text.append(byte: 0x0A)
    }

    /// Writes the values of the current row on one line.
    @inline(__always)
    mutating func writeRow(
        _ statement: Statement, separator: String, _ write: (StoredColumn, TextBuffer) -> Void
    ) {
        let text = text()
        for index in 0..<columnCount(of: statement) {
            if index > 0 { text.append(separator) }
            write(statement.storedColumn(index), text)
        }
        text.append(byte: 0x0A)
    }
}

/// Lines of values, below a line of names if there is a row.
struct DumpedLines: Sendable {
    private var isFirst = true

    /// Writes the current row on one line, and the names before the first row.
    @inline(__always)
    mutating func writeRow(
        _ statement: Statement, header: Bool, separator: String, to stream: inout DumpStream,
        name writeName: (String, TextBuffer) -> Void = { $1.append($0) }, _ write: (StoredColumn, TextBuffer) -> Void
    ) {
        if isFirst {
            isFirst = false
            if header { stream.writeHeader(statement, separator: separator, writeName) }
        }
        stream.writeRow(statement, separator: separator, write)
    }
}
