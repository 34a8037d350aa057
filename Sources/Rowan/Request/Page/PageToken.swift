// The start of a page, as a string.

import RowanPlatform

/// The start of a page: after the row with these values in the order of the request.
///
/// A token is encoded as one string, for a URL or a JSON response. It is valid only for the order of its request;
/// requests with another order reject it.
///
/// Article: <doc:BeyondTheBasics>.
public struct PageToken: Hashable, Sendable {
    /// The values of the ordering terms in the last row of the page.
    let values: [Value]
    /// The order of the values.
    let order: UInt64

    enum Value: Hashable, Codable {
        case null
        case integer(Int64)
        /// JSON can't represent all doubles.
        case doubleBits(UInt64)
        case text(String)
        /// The bytes of a text that is not valid UTF-8. A repaired text has another place in the order.
        case brokenText(Data)
        case blob(Data)
    }
}

extension PageToken.Value {
    init(_ column: ColumnValue) {
        self =
            switch column.databaseValue.storage {
            case .null: .null
            case .int64(let integer): .integer(integer)
            case .double(let double): .doubleBits(double.bitPattern)
            case .string(let text):
                if let bytes = column.data, !text.utf8.elementsEqual(bytes) { .brokenText(bytes) } else { .text(text) }
            case .blob(let data): .blob(data)
            }
    }

    var expression: SQLExpression {
        switch self {
        case .null: .null
        case .integer(let integer): .value(.int64(integer))
        case .doubleBits(let bits): .value(.double(Double(bitPattern: bits)))
        case .text(let text): .value(.string(text))
        case .brokenText(let bytes): SQLExpression(.cast(.value(.blob(bytes)), "TEXT"))
        case .blob(let data): .value(.blob(data))
        }
    }
}

extension PageToken: Codable {
    /// Decodes the token from one string.
    ///
    /// - Throws: `DecodingError` if the string is not a page token; its underlying error is
    ///   ``PageError/malformedToken``.
    public init(from decoder: any Decoder) throws {
        let string = try decoder.singleValueContainer().decode(String.self)
        guard let token = PageToken(string) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath, debugDescription: PageError.malformedToken.description,
                    underlyingError: PageError.malformedToken))
        }
        self = token
    }

    /// Encodes the token as one string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension PageToken: LosslessStringConvertible {
    /// Creates a token from a string; returns nil if the string is not a token.
    public init?(_ description: String) {
        var base64 = String(description.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: base64),
            let content = try? JSONDecoder().decode(Content.self, from: data)
        else { return nil }
        order = content.order
        values = content.values
    }

    /// The token as a string of letters, digits, `-` and `_`.
    public var description: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Integers, text and base64 can always be encoded.
        let data = try? encoder.encode(Content(order: order, values: values))
        let base64 = (data ?? Data()).base64EncodedString()
        return String(base64.filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }

    private struct Content: Codable {
        var order: UInt64
        var values: [Value]
    }
}
