// The words that SQLite does not report the effects of, found without reading the tokens of a text.

/// The words of an SQL text that may determine the behavior of its object, whether keywords, names, or parts of texts
/// and comments.
package struct MentionedWords: OptionSet {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let autoincrement = MentionedWords(rawValue: 1)
    package static let conflict = MentionedWords(rawValue: 2)
    package static let ignore = MentionedWords(rawValue: 4)
    package static let raise = MentionedWords(rawValue: 8)
    package static let replace = MentionedWords(rawValue: 16)
    package static let strict = MentionedWords(rawValue: 32)
    package static let collate = MentionedWords(rawValue: 64)
    package static let deferred = MentionedWords(rawValue: 128)

    /// One pass over the bytes (benchmark observe-latency). A keyword is not adjacent to a letter, digit, underscore,
    /// dollar sign or non-ASCII character, except for a preceding byte order mark, which counts as a space.
    package init(in sql: String) {
        self = []
        var sql = sql
        let found = sql.withUTF8 { bytes in
            var found: MentionedWords = []
            var start = 0
            for index in 0...bytes.count where index == bytes.count || !bytes[index].isWord {
                if index - start >= 5 { found.formUnion(.of(bytes[start..<index])) }
                start = index + 1
            }
            return found
        }
        formUnion(found)
    }

    private static func of(_ run: Slice<UnsafeBufferPointer<UInt8>>) -> MentionedWords {
        var word = run
        while word.starts(with: [0xEF, 0xBB, 0xBF]) { word = word.dropFirst(3) }
        func matches(_ other: StaticString) -> Bool {
            other.withUTF8Buffer { other in word.elementsEqual(other) { $0 | 0x20 == $1 } }
        }
        return switch word.count {
        case 5: matches("raise") ? .raise : []
        case 6: matches("ignore") ? .ignore : matches("strict") ? .strict : []
        case 7: matches("replace") ? .replace : matches("collate") ? .collate : []
        case 8: matches("conflict") ? .conflict : matches("deferred") ? .deferred : []
        case 13: matches("autoincrement") ? .autoincrement : []
        default: []
        }
    }
}
