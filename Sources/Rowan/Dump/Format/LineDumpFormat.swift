// One value per line, as printed by the `line` mode of the sqlite3 shell.

/// A format that prints one value per line, with an empty line between rows.
///
/// ```swift
/// //    id = 1
/// //  name = Arthur
/// // score = 500
/// //
/// //    id = 2
/// //  name = Barbara
/// // score = 1000
/// try db.dumpRequest(Player.all(), format: .line())
/// ```
///
/// Names are aligned on the longest one. Blobs are interpreted as text: bytes that are not valid
/// UTF-8 are replaced with U+FFFD.
///
/// Source: <https://sqlite.org/cli.html#changing_output_formats>
public struct LineDumpFormat: Sendable {
    /// The text of NULL.
    public var nullValue: String

    /// The aligned names of the columns, once there is a row.
    private var names: [String]?

    /// Creates a format.
    public init(nullValue: String = "") { self.nullValue = nullValue }

    private static func aligned(_ names: ArraySlice<String>) -> [String] {
        let width = names.map(\.count).max() ?? 0
        return names.map { String(repeating: " ", count: width - $0.count) + $0 + " = " }
    }
}

extension LineDumpFormat: DumpFormat {
    /// Writes each value of a row on its own line.
    public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        let names = names ?? Self.aligned(stream.columnNames(of: statement))
        self.names = names
        let text = stream.text()
        for (index, name) in names.enumerated() {
            text.append(name)
            statement.storedColumn(index).appendAsText(to: text, nullValue: nullValue)
            text.append(byte: 0x0A)
        }
        // Separates the row from the following text, if any: rows or another table.
        stream.margin()
    }

    /// Finishes the output.
    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) { names = nil }
}

extension DumpFormat where Self == LineDumpFormat {
    /// One value per line. Blobs are interpreted as text.
    public static func line(nullValue: String = "") -> Self { LineDumpFormat(nullValue: nullValue) }
}
