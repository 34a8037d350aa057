// One row per line, for debugging: a list with readable blobs.

import RowanPlatform

/// A format that prints one row per line, for debugging.
///
/// ```swift
/// // 1|Arthur|500
/// // 2|Barbara|1000
/// try db.dumpRequest(Player.all())
/// ```
///
/// A blob is printed as text if it is valid UTF-8, as a UUID if it has 16 bytes, and otherwise as an SQL literal, such
/// as `X'FF00'`.
///
/// This format may change. Don't parse its output, and use another format for tests.
public struct DebugDumpFormat: Sendable {
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

extension DebugDumpFormat: DumpFormat {
    /// Writes a row on one line.
    public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        lines.writeRow(statement, header: header, separator: separator, to: &stream) { column, text in
            if case .blob(let bytes) = column, !bytes.isValidUTF8 {
                if let uuid = UUID(bytes) { text.append(uuid.uuidString) } else { text.append(blobLiteral: bytes) }
            } else {
                column.appendAsText(to: text, nullValue: nullValue)
            }
        }
    }

    /// Finishes the output.
    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        lines = DumpedLines()
    }
}

extension DumpFormat where Self == DebugDumpFormat {
    /// One row per line, for debugging.
    public static func debug(header: Bool = false, separator: String = "|", nullValue: String = "") -> Self {
        DebugDumpFormat(header: header, separator: separator, nullValue: nullValue)
    }
}

extension UUID {
    /// The UUID that a blob of 16 bytes contains.
    fileprivate init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.init(uuid: UnsafeRawBufferPointer(bytes).loadUnaligned(as: uuid_t.self))
    }
}
