// A parsed JSON text, for the columns of Decodable records: a flat list of the text's values in order, from which
// decoders read. Foundation's JSONDecoder takes three times as long for the short texts of columns (benchmark
// fetch-json). Texts rejected by this parser are left to JSONDecoder, which decides what is valid.

/// The values of a JSON text.
package final class JSONDocument {
    /// A value in the text, or a key of an object.
    package struct Node {
        package enum Kind: UInt8 {
            case null, `false`, `true`
            /// A number without fraction and exponent.
            case integer
            /// Any other number.
            case number
            /// A text whose bytes are its content.
            case string
            /// A text with escape sequences.
            case escaped
            case array, object
        }

        package var kind: Kind
        /// Whether a text has only ASCII characters. Escape sequences may represent others.
        var isASCII = true
        /// The first byte of a number, or of the content of a text. The number of elements of an array, or of the pairs
        /// of an object.
        package var start: UInt32
        /// The byte after a number, a container, or the content of a text.
        package var end: UInt32 = 0
        /// The index of the node after this value and everything it contains.
        package var next: UInt32
    }

    let nodes: [Node]
    let bytes: [UInt8]
    /// The options for reading the values.
    let options: JSONOptions

    /// Whether a decoder encountered a value that only JSONDecoder can decode. The type may have caught the decoder's
    /// error, so its result must be discarded.
    var needsFoundation = false

    /// Parses a text.
    ///
    /// - Returns: nil for a text that is not valid JSON in UTF-8, and for some that are, such as deeply nested ones.
    /// - Complexity: O(*n*), where *n* is the number of bytes.
    init?(_ text: UnsafeBufferPointer<UInt8>, options: JSONOptions) {
        guard text.count <= UInt32.max else { return nil }
        var parser = JSONParser()
        guard parser.parse(text) else { return nil }
        nodes = parser.nodes
        bytes = Array(text)
        self.options = options
    }
}

/// Options for reading values that JSON lacks: the strategies of a JSONDecoder.
struct JSONOptions {
    enum Dates { case milliseconds, seconds, ownCoding }

    let dates: Dates
    /// Whether data is base64 text rather than an array of numbers.
    let dataIsBase64: Bool
    let userInfo: [CodingUserInfoKey: Any]
}
