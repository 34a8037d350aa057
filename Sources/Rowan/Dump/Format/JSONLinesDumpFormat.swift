// One JSON object per line: a program can read it line by line. Source: https://jsonlines.org

public import RowanPlatform

/// A format that prints each row as a JSON object, on one line.
///
/// ```swift
/// // {"id":1,"name":"Arthur","score":500}
/// // {"id":2,"name":"Barbara","score":null}
/// try db.dumpRequest(Player.all(), format: .jsonLines())
/// ```
///
/// The keys are in column order, even if the encoder sorts keys.
///
/// Article: <doc:Dump>.
///
/// Source: <https://jsonlines.org>
public struct JSONLinesDumpFormat: Sendable {
    /// The format of NULL.
    public enum Nulls: Hashable, Sendable {
        /// As `null`.
        case null
        /// Omitted: the object has no such key.
        case omitted
    }

    /// The format of NULL.
    public var nulls: Nulls
    /// The encoder of the values. Its strategies apply as in ``JSONDumpFormat/encoder``, except that objects are never
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
    /// - Throws: an error of the encoder.
    public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) throws {
        let object = object ?? JSONObjectWriter(stream.columnNames(of: statement), encoder, .compact, nulls)
        self.object = object
        let text = stream.text()
        try object.write(statement, to: text)
        text.append(byte: 0x0A)
    }

    /// Finishes the output.
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
