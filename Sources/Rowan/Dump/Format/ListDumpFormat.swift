// One row per line, as printed by the `list` mode of the sqlite3 shell, except for reals, which the shell rounds.

/// A format that prints one row per line, with a separator between its values.
///
/// ```swift
/// // 1|Arthur|500
/// // 2|Barbara|1000
/// try db.dumpRequest(Player.all(), format: .list())
/// ```
///
/// Blobs are interpreted as text: bytes that are not valid UTF-8 are replaced with U+FFFD.
///
/// Source: <https://sqlite.org/cli.html#changing_output_formats>
public struct ListDumpFormat: Sendable {
    /// Whether the names of the columns are printed before the first row.
    public var header: Bool
    /// The text between two values.
    public var separator: String
    /// The text of NULL.
    public var nullValue: String

    private var lines = DumpedLines()

    /// Creates a format.
    public init(header: Bool = false, separator: String = "|", nullValue: String = "") {
        self.header = header
        self.separator = separator
        self.nullValue = nullValue
    }
}

extension ListDumpFormat: DumpFormat {
    /// Writes a row on one line.
    public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        lines.writeRow(statement, header: header, separator: separator, to: &stream) { column, text in
            column.appendAsText(to: text, nullValue: nullValue)
        }
    }

    /// Finishes the output.
    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        lines = DumpedLines()
    }
}

extension DumpFormat where Self == ListDumpFormat {
    /// One row per line, with a separator between its values. Blobs are interpreted as text.
    public static func list(header: Bool = false, separator: String = "|", nullValue: String = "") -> Self {
        ListDumpFormat(header: header, separator: separator, nullValue: nullValue)
    }
}

extension StoredColumn {
    /// Appends the value as text; a real with the shortest digits that represent it.
    func appendAsText(to buffer: TextBuffer, nullValue: String) {
        switch self {
        case .null: buffer.append(nullValue)
        case .integer(let integer): buffer.append(integer)
        case .real(let double): buffer.append(double.description)
        case .text(let bytes), .blob(let bytes): buffer.append(bytes)
        }
    }
}
