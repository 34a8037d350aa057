// Rows as JSON objects. The columns keep their order and duplicate names, which a dictionary would lose: objects are
// written here, and only unusual values by the encoder.

public import RowanPlatform

/// A format that prints rows as a JSON array.
///
/// ```swift
/// // [{"id":1,"name":"Arthur","score":500},
/// // {"id":2,"name":"Barbara","score":1000}]
/// try db.dumpRequest(Player.all(), format: .json())
/// ```
///
/// An encoder can change how values are printed:
///
/// ```swift
/// // [
/// //   {
/// //     "id":1,
/// //     "name":"Arthur",
/// //     "score":500
/// //   }
/// // ]
/// let encoder = JSONDumpFormat.defaultEncoder
/// encoder.outputFormatting = .prettyPrinted
/// try db.dumpRequest(Player.filter(key: 1), format: .json(encoder: encoder))
/// ```
///
/// The keys are in column order, even if the encoder sorts keys. Two columns with the same name give two keys. Bytes of
/// text that are not valid UTF-8 are replaced with U+FFFD.
///
/// Article: <doc:Dump>.
public struct JSONDumpFormat: Sendable {
    /// The encoder of the values. These strategies apply: `outputFormatting`, `dataEncodingStrategy` for blobs, and
    /// `nonConformingFloatEncodingStrategy` for infinite numbers.
    public var encoder: JSONEncoder

    private var object: JSONObjectWriter?

    /// Creates a format.
    public init(encoder: JSONEncoder = JSONDumpFormat.defaultEncoder) { self.encoder = encoder }

    /// An encoder that prints blobs in Base64, infinite numbers as `"inf"` and `"-inf"`, and slashes unescaped. Each
    /// call returns a new encoder.
    public static var defaultEncoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        encoder.dataEncodingStrategy = .base64
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
    }

    private var isPretty: Bool { encoder.outputFormatting.contains(.prettyPrinted) }
}

extension JSONDumpFormat: DumpFormat {
    /// Writes a row as an object.
    ///
    /// - Throws: an error of the encoder.
    public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) throws {
        let text = stream.text()
        if let object {
            text.append(literal: ",\n")
            try object.write(statement, to: text)
        } else {
            let layout: JSONObjectWriter.Layout = isPretty ? .pretty : .compact
            let object = JSONObjectWriter(stream.columnNames(of: statement), encoder, layout, .null)
            self.object = object
            text.append(literal: isPretty ? "[\n" : "[")
            try object.write(statement, to: text)
        }
    }

    /// Finishes the array: `[]` if there are no rows.
    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        if object == nil {
            stream.write("[]\n")
        } else {
            stream.write(isPretty ? "\n]\n" : "]\n")
        }
        object = nil
    }
}

extension DumpFormat where Self == JSONDumpFormat {
    /// Rows as a JSON array.
    public static func json(encoder: JSONEncoder = JSONDumpFormat.defaultEncoder) -> Self {
        JSONDumpFormat(encoder: encoder)
    }
}
