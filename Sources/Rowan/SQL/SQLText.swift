// The text that the renderer writes. Appending to a String costs three times as much as copying the bytes, and a query
// has some fifty parts (benchmark request-build).

/// SQL text in the making.
package struct SQLText {
    private var bytes: [UInt8] = []

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    @inline(__always)
    package static func += (text: inout SQLText, part: String) {
        var part = part
        part.withUTF8 { text.bytes.append(contentsOf: $0) }
    }

    /// Appends a name between double quotes; those in the name are doubled.
    mutating func append(identifier: String) {
        var identifier = identifier
        identifier.withUTF8 { name in
            let quote = UInt8(ascii: "\"")
            bytes.append(quote)
            if name.contains(quote) {
                for byte in name {
                    if byte == quote { bytes.append(quote) }
                    bytes.append(byte)
                }
            } else {
                bytes.append(contentsOf: name)
            }
            bytes.append(quote)
        }
    }

    var string: String { String(decoding: bytes, as: UTF8.self) }
}
