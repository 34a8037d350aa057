// Text and blobs as SQL literals. SQL text can't contain NUL characters or invalid UTF-8, so such text is written as an
// expression.

extension TextBuffer {
    /// Appends `X'CAFE'`.
    func append(blobLiteral bytes: UnsafeBufferPointer<UInt8>) {
        append(literal: "X'")
        append(hexadecimal: bytes)
        append(byte: Self.quote)
    }

    /// Appends `'O''Brien'`, `replace('a\0b','\0',char(0))` for text with NUL characters, or `CAST(X'FF' AS TEXT)` for
    /// invalid UTF-8.
    func append(textLiteral bytes: UnsafeBufferPointer<UInt8>) {
        let traits = bytes.textTraits
        if traits.hasQuote || traits.hasNUL || traits.isNotASCII {
            appendUnusual(bytes, traits)
        } else {
            append(byte: Self.quote)
            append(bytes)
            append(byte: Self.quote)
        }
    }

    /// Appends `1.5`: fifteen digits, or more if fifteen represent another double.
    func append(realLiteral double: Double) {
        guard double.isFinite else { return append(double > 0 ? "9.0e+999" : "-9.0e+999") }
        append(asText: double)
    }

    private static var quote: UInt8 { 0x27 }

    private func appendUnusual(_ bytes: UnsafeBufferPointer<UInt8>, _ traits: TextTraits) {
        if traits.isNotASCII, !bytes.isValidUTF8 {
            append(literal: "CAST(")
            append(blobLiteral: bytes)
            append(literal: " AS TEXT)")
        } else if traits.hasNUL {
            appendReplacingNUL(bytes)
        } else {
            append(byte: Self.quote)
            append(bytes, doubling: Self.quote)
            append(byte: Self.quote)
        }
    }

    private func appendReplacingNUL(_ bytes: UnsafeBufferPointer<UInt8>) {
        // A backslash and enough zeros that the text does not contain it.
        let mark = "\\" + String(repeating: "0", count: bytes.longestRunOfZerosAfterBackslash + 1)
        append(literal: "replace('")
        for (index, part) in bytes.split(separator: 0, omittingEmptySubsequences: false).enumerated() {
            if index > 0 { append(mark) }
            append(UnsafeBufferPointer(rebasing: part), doubling: Self.quote)
        }
        append("','\(mark)',char(0))")
    }
}

struct TextTraits {
    var hasQuote = false
    var hasNUL = false
    var isNotASCII = false
}

extension UnsafeBufferPointer<UInt8> {
    /// Without branches, so that the compiler compares many bytes at once.
    var textTraits: TextTraits {
        var quotes: UInt8 = 0
        var nuls: UInt8 = 0
        var all: UInt8 = 0
        for byte in self {
            quotes |= byte == 0x27 ? 1 : 0
            nuls |= byte == 0 ? 1 : 0
            all |= byte
        }
        return TextTraits(hasQuote: quotes != 0, hasNUL: nuls != 0, isNotASCII: all >= 0x80)
    }

    /// Whether the bytes are valid UTF-8.
    package var isValidUTF8: Bool {
        var index = 0
        while index < count {
            let byte = self[index]
            guard byte >= 0x80 else {
                index &+= 1
                continue
            }
            guard let length = lengthOfCharacter(at: index, byte) else { return false }
            index &+= length
        }
        return true
    }

    /// The length of a non-ASCII character; nil if the bytes are not valid UTF-8.
    /// <https://www.rfc-editor.org/rfc/rfc3629#section-4>
    func lengthOfCharacter(at index: Int, _ byte: UInt8) -> Int? {
        let (length, second): (Int, ClosedRange<UInt8>)
        switch byte {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard index + length <= count, second.contains(self[index + 1]) else { return nil }
        for next in index + 2..<index + length where self[next] & 0xC0 != 0x80 { return nil }
        return length
    }

    fileprivate var longestRunOfZerosAfterBackslash: Int {
        var longest = 0
        var run: Int?
        for byte in self {
            switch byte {
            case 0x5C: run = 0
            case 0x30: run = run.map { $0 + 1 }
            default: run = nil
            }
            longest = Swift.max(longest, run ?? 0)
        }
        return longest
    }
}
