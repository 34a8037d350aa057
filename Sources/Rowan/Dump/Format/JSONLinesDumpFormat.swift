// One JSON object per line: a program can read it line by line. Source: https://jsonlines.org

public import Foundation

/// A format that prints each row as a JSON object, on one line.
///
/// ```swift
/// // {"id":1,"name":"Arthur","score":500}
/// // {"id":2,"name":"Barbara","score":null}
/// try db.dumpRequest(Player.all(), format: .jsonLines())
/// ```
///
/// The keys stand in the order of the columns, even if the encoder sorts keys.
///
/// Article: <doc:Dump>.
///
/// Source: <https://jsonlines.org>
public struct JSONLinesDumpFormat: Sendable {
    /// How NULL is printed.
    public enum Nulls: Hashable, Sendable {
        /// As `null`.
        case null
        /// Not at all: the object has no such key.
        case omitted
    }

    /// How NULL is printed.
    public var nulls: Nulls
    /// The encoder of the values. It applies as in ``JSONDumpFormat/encoder``, except that objects are never
    /// pretty-printed.
    public var encoder: JSONEncoder

    private var object: JSONObjectWriter?

    /// Creates a format.
    public init(nulls: Nulls = .null, encoder: JSONEncoder = JSONDumpFormat.defaultEncoder) {
        self.nulls = nulls
        self.encoder = encoder
    }
}

extension JSONLinesDumpFormat: DumpFormat {
    /// Writes a row as an object.
    ///
    /// - Throws: the error of the encoder.
    public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) throws {
        let object = object ?? JSONObjectWriter(stream.columnNames(of: statement), encoder, .compact, nulls)
        self.object = object
        let text = stream.text()
        try object.write(statement, to: text)
        text.append(byte: 0x0A)
    }

    /// Ends the output.
    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) { object = nil }
}

extension DumpFormat where Self == JSONLinesDumpFormat {
    /// Each row as a JSON object, on one line.
    public static func jsonLines(
        nulls: JSONLinesDumpFormat.Nulls = .null, encoder: JSONEncoder = JSONDumpFormat.defaultEncoder
    ) -> Self {
        JSONLinesDumpFormat(nulls: nulls, encoder: encoder)
    }
}
