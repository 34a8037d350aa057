// Regex literals: `/a/` on one line, and `#/a/#` on several.

extension Lexer {
    /// Skips a regex literal if there is one.
    ///
    /// - Throws: ``SyntaxError`` for an unterminated literal with hashes. An unmatched slash is an operator.
    mutating func skipRegex(hashes: Int) throws(SyntaxError) -> Bool {
        guard hashes > 0 || mayStartRegex else { return false }
        guard let end = endOfRegex(hashes: hashes) else {
            if hashes > 0 { throw SyntaxError("the regex literal has no end", at: position) }
            return false
        }
        position = end
        return true
    }

    /// Whether a slash starts a literal: after a space or an opening bracket, and after a prefix operator.
    private var mayStartRegex: Bool {
        if !isBound(position) { return true }
        guard let last = tokens.last else { return false }
        return last.kind == .symbol && last.end == position && last.mark != .period
    }

    /// Whether the text at an offset is bound to an operand on its left.
    func isBound(_ start: Int) -> Bool {
        guard !followsSpace(start) else { return false }
        return ![
            UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ","), UInt8(ascii: ";"),
            UInt8(ascii: ":"),
        ].contains(bytes[start - 1])
    }

    /// The end of a literal that starts here; nil if there is none.
    func endOfRegex(hashes: Int) -> Int? {
        var index = position + hashes + 1
        guard index < bytes.count, hashes > 0 || !Self.isSpace(bytes[index]) else { return nil }
        let isMultiline =
            hashes > 0 && bytes[index...].prefix { $0 != UInt8(ascii: "\n") }.allSatisfy { $0 <= 32 }
        var (parentheses, isInClass) = (0, false)
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                guard isMultiline else { return nil }
            case UInt8(ascii: "\\"):
                index += 1
                if index < bytes.count, !isMultiline, bytes[index] == UInt8(ascii: "\n") { return nil }
            case UInt8(ascii: "[") where hashes == 0: isInClass = true
            case UInt8(ascii: "]") where hashes == 0: isInClass = false
            case UInt8(ascii: "(") where hashes == 0 && !isInClass: parentheses += 1
            case UInt8(ascii: ")") where hashes == 0 && !isInClass:
                // As in `reduce(1, /)`.
                parentheses -= 1
                if parentheses < 0 { return nil }
            case UInt8(ascii: "/") where hasHashes(hashes, at: index + 1):
                return index + 1 + hashes
            case let byte where hashes == 0 && Self.isSpace(byte) && index + 1 < bytes.count:
                // A space before the end must be escaped.
                if bytes[index + 1] == UInt8(ascii: "/") { return nil }
            default: break
            }
            index += 1
        }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
    }
}
