// The escape sequences of JSON texts.

/// An escape sequence in a text.
package struct JSONEscape {
    let scalar: Unicode.Scalar
    /// The length of the sequence in bytes.
    let count: Int

    private init(scalar: Unicode.Scalar, count: Int) { (self.scalar, self.count) = (scalar, count) }

    /// Reads the sequence at a backslash; nil if it is not valid.
    init?(_ text: UnsafeBufferPointer<UInt8>, at index: Int) {
        guard index + 1 < text.count else { return nil }
        if text[index + 1] == UInt8(ascii: "u") {
            guard let escape = Self.unicode(text, at: index) else { return nil }
            self = escape
        } else {
            guard let scalar = Self.character(text[index + 1]) else { return nil }
            self = JSONEscape(scalar: scalar, count: 2)
        }
    }

    private static func character(_ letter: UInt8) -> Unicode.Scalar? {
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): Unicode.Scalar(letter)
        case UInt8(ascii: "b"): "\u{8}"
        case UInt8(ascii: "f"): "\u{c}"
        case UInt8(ascii: "n"): "\n"
        case UInt8(ascii: "r"): "\r"
        case UInt8(ascii: "t"): "\t"
        default: nil
        }
    }

    /// Reads `\u00e9`, or two such sequences that form a surrogate pair.
    private static func unicode(_ text: UnsafeBufferPointer<UInt8>, at index: Int) -> JSONEscape? {
        guard let first = hexadecimal(text, at: index + 2) else { return nil }
        if let scalar = Unicode.Scalar(first) { return JSONEscape(scalar: scalar, count: 6) }
        guard UTF16.isLeadSurrogate(first), index + 7 < text.count,
            text[index + 6] == UInt8(ascii: "\\"), text[index + 7] == UInt8(ascii: "u"),
            let second = hexadecimal(text, at: index + 8), UTF16.isTrailSurrogate(second)
        else { return nil }
        let value = 0x10000 + (UInt32(first & 0x3ff) << 10 | UInt32(second & 0x3ff))
        return Unicode.Scalar(value).map { JSONEscape(scalar: $0, count: 12) }
    }

    private static func hexadecimal(_ text: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt16? {
        guard index + 4 <= text.count else { return nil }
        var value: UInt16 = 0
        for byte in text[index..<(index + 4)] {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            value = value << 4 | UInt16(digit)
        }
        return value
    }
}

extension JSONEscape {
    /// The content of a text whose escape sequences are valid.
    package static func replaced(in text: UnsafeBufferPointer<UInt8>) -> String {
        // No escape sequence is shorter than its character.
        String(unsafeUninitializedCapacity: text.count) { content in
            var count = 0
            var index = 0
            while index < text.count {
                guard text[index] == UInt8(ascii: "\\"), let escape = JSONEscape(text, at: index) else {
                    content[count] = text[index]
                    (count, index) = (count + 1, index + 1)
                    continue
                }
                for byte in String(escape.scalar).utf8 {
                    content[count] = byte
                    count += 1
                }
                index += escape.count
            }
            return count
        }
    }
}
