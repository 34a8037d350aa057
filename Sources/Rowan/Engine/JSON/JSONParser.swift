// The grammar of RFC 8259. <https://www.rfc-editor.org/rfc/rfc8259>

/// Reads JSON texts, each once, from the first byte to the last.
package struct JSONParser {
    private var text = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    /// The position of the byte that can't be read, after a text that is not JSON.
    package private(set) var index = 0
    private var depth = 0
    package private(set) var nodes: [JSONDocument.Node] = []

    /// JSONDecoder also rejects deeper texts.
    private static let maximumDepth = 500

    package init() {}

    /// Reads a text, whose nodes replace those of the previous one.
    ///
    /// - Returns: whether the text is a single JSON value.
    package mutating func parse(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        (self.text, index, depth) = (text, 0, 0)
        nodes.removeAll(keepingCapacity: true)
        // An estimate that fits columns with short keys and values.
        nodes.reserveCapacity(text.count / 6 + 2)
        guard parseValue() else { return false }
        skipSpace()
        return index == text.count
    }

    @inline(__always)
    private var byte: UInt8? { index < text.count ? text[index] : nil }

    @inline(__always)
    private mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { index += 1 }
    }

    /// Skips a byte if it comes next.
    @inline(__always)
    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard byte == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func append(_ kind: JSONDocument.Node.Kind, isASCII: Bool = true, start: Int, end: Int) {
        let next = UInt32(truncatingIfNeeded: nodes.count + 1)
        nodes.append(
            JSONDocument.Node(
                kind: kind, isASCII: isASCII, start: UInt32(truncatingIfNeeded: start),
                end: UInt32(truncatingIfNeeded: end), next: next))
    }

    private mutating func parseValue() -> Bool {
        skipSpace()
        switch byte {
        case UInt8(ascii: "\""): return parseString()
        case UInt8(ascii: "{"): return parseContainer(.object, closing: "}")
        case UInt8(ascii: "["): return parseContainer(.array, closing: "]")
        case UInt8(ascii: "t"): return parseWord("true", .true)
        case UInt8(ascii: "f"): return parseWord("false", .false)
        case UInt8(ascii: "n"): return parseWord("null", .null)
        default: return parseNumber()
        }
    }

    private mutating func parseWord(_ word: StaticString, _ kind: JSONDocument.Node.Kind) -> Bool {
        let end = index + word.utf8CodeUnitCount
        guard end <= text.count else { return false }
        for offset in 0..<word.utf8CodeUnitCount where text[index + offset] != word.utf8Start[offset] { return false }
        append(kind, start: index, end: end)
        index = end
        return true
    }

    // MARK: Containers

    private mutating func parseContainer(_ kind: JSONDocument.Node.Kind, closing: Unicode.Scalar) -> Bool {
        depth += 1
        guard depth <= Self.maximumDepth else { return false }
        defer { depth -= 1 }
        let node = nodes.count
        append(kind, start: 0, end: 0)
        index += 1
        skipSpace()
        var count: UInt32 = 0
        if !skip(closing) {
            repeat {
                if kind == .object {
                    guard parseKey() else { return false }
                }
                guard parseValue() else { return false }
                count += 1
                skipSpace()
            } while skip(",")
            guard skip(closing) else { return false }
        }
        nodes[node].start = count
        nodes[node].end = UInt32(truncatingIfNeeded: index)
        nodes[node].next = UInt32(truncatingIfNeeded: nodes.count)
        return true
    }

    private mutating func parseKey() -> Bool {
        skipSpace()
        guard byte == UInt8(ascii: "\""), parseString() else { return false }
        skipSpace()
        return skip(":")
    }

    // MARK: Texts

    private mutating func parseString() -> Bool {
        index += 1
        let start = index
        var isASCII = true
        var isEscaped = false
        while let byte {
            switch byte {
            case UInt8(ascii: "\""):
                append(isEscaped ? .escaped : .string, isASCII: isASCII, start: start, end: index)
                index += 1
                return true
            case UInt8(ascii: "\\"):
                guard let escape = JSONEscape(text, at: index) else { return false }
                isEscaped = true
                index += escape.count
            case 0x20..<0x80:
                index += 1
            case 0x80...:
                isASCII = false
                guard skipCharacter(byte) else { return false }
            default:
                return false
            }
        }
        return false
    }

    /// Skips a character that is not ASCII, if its UTF-8 is valid.
    private mutating func skipCharacter(_ first: UInt8) -> Bool {
        let count: Int
        let second: ClosedRange<UInt8>
        switch first {
        case 0xc2...0xdf: (count, second) = (2, 0x80...0xbf)
        case 0xe0: (count, second) = (3, 0xa0...0xbf)
        case 0xed: (count, second) = (3, 0x80...0x9f)
        case 0xe1...0xef: (count, second) = (3, 0x80...0xbf)
        case 0xf0: (count, second) = (4, 0x90...0xbf)
        case 0xf1...0xf3: (count, second) = (4, 0x80...0xbf)
        case 0xf4: (count, second) = (4, 0x80...0x8f)
        default: return false
        }
        guard index + count <= text.count, second.contains(text[index + 1]) else { return false }
        for offset in 2..<max(2, count) where text[index + offset] & 0xc0 != 0x80 { return false }
        index += count
        return true
    }

    // MARK: Numbers

    /// - Returns: the number of skipped digits.
    @inline(__always)
    private mutating func skipDigits() -> Int {
        let start = index
        while let byte, byte &- UInt8(ascii: "0") < 10 { index += 1 }
        return index - start
    }

    private mutating func parseNumber() -> Bool {
        let start = index
        _ = skip("-")
        let hasZero = byte == UInt8(ascii: "0")
        let count = skipDigits()
        guard count == 1 || count > 1 && !hasZero else { return false }
        var kind = JSONDocument.Node.Kind.integer
        if skip(".") {
            kind = .number
            guard skipDigits() > 0 else { return false }
        }
        if skip("e") || skip("E") {
            kind = .number
            if !skip("+") { _ = skip("-") }
            guard skipDigits() > 0 else { return false }
        }
        append(kind, start: start, end: index)
        return true
    }
}
