// One row per line, with SQL literals, as printed by SQLite's function `quote`.

/// A format that prints one row per line, with its values as SQL literals.
///
/// ```swift
/// // 1,'Arthur',500
/// // 2,'Barbara',NULL
/// try db.dumpRequest(Player.all(), format: .quote())
/// ```
///
/// Values are printed as by SQLite's function `quote`, except those that can't be read back from it: an infinite number
/// is printed as `9.0e+999`, and text with NUL characters as an expression.
///
/// Source: <https://sqlite.org/lang_corefunc.html#quote>
public struct QuoteDumpFormat: Sendable {
    /// Whether the names of the columns are printed before the first row, as literals.
    public var header: Bool
    /// The text between two values.
    public var separator: String

    private var lines = DumpedLines()

    /// Creates a format.
    public init(header: Bool = false, separator: String = ",") {
        self.header = header
        self.separator = separator
    }
}

extension QuoteDumpFormat: DumpFormat {
    /// Writes a row on one line.
    public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        lines.writeRow(
            statement, header: header, separator: separator, to: &stream, name: { $1.append($0.quotedDatabaseString) }
        ) { column, text in
            switch column {
            case .null: text.append(literal: "NULL")
            case .integer(let integer): text.append(integer)
            case .real(let double): text.append(realLiteral: double)
            case .text(let bytes): text.append(textLiteral: bytes)
            case .blob(let bytes): text.append(blobLiteral: bytes)
            }
        }
    }

    /// Finishes the output.
    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        lines = DumpedLines()
    }
}

extension DumpFormat where Self == QuoteDumpFormat {
    /// One row per line, with its values as SQL literals.
    public static func quote(header: Bool = false, separator: String = ",") -> Self {
        QuoteDumpFormat(header: header, separator: separator)
    }
}
