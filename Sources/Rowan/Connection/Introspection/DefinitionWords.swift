// Words in the definitions of tables and triggers. SQLite reports neither that a conflict clause replaces rows nor that
// a table counts its rowids.

/// The folded names of the tables whose definitions or triggers contain a word. Names and texts may also contain it,
/// and schemas may have tables with the same name, so the sets may be too large but never too small.
package struct DefinitionWords {
    package var replacing: Set<String> = []
    package var autoincrementing: Set<String> = []
    /// The tables whose definitions contain conflict clauses.
    package var conflicting: Set<String> = []
    /// The tables whose definitions contain the word STRICT: their types are checked.
    package var strict: Set<String> = []
    /// The tables with triggers.
    package var triggering: Set<String> = []
    /// The tables with triggers that contain RAISE and IGNORE: they may ignore a change.
    package var ignoring: Set<String> = []
    /// The tables with indexes, including those of constraints.
    package var indexed: Set<String> = []
}

extension Database {
    /// The words in the definitions of tables and their triggers.
    package func definitionWords() throws -> DefinitionWords {
        try validateCache()
        if let known = schemaCache.definitionWords { return known }
        var words = DefinitionWords()
        for schema in try schemaIDs(nil) {
            let table = "\(schema.name.quotedDatabaseIdentifier).\(schema.schemaTableName)"
            let rows = try Row.rows(of: makeStatement(sql: "SELECT * FROM \(table)"), [])
            // Not in SQL, because LIKE can be redefined by a pragma or by the program.
            for row in rows {
                let name = (row["tbl_name"] as String).foldedDatabaseName
                let type = row["type"] as String
                if type == "index" { words.indexed.insert(name) }
                guard type != "index", let sql = row["sql"] as String? else { continue }
                let mentioned = MentionedWords(in: sql)
                if type == "trigger" {
                    words.triggering.insert(name)
                    if mentioned.isSuperset(of: [.raise, .ignore]) { words.ignoring.insert(name) }
                }
                if type == "table" {
                    if mentioned.contains(.conflict) { words.conflicting.insert(name) }
                    if mentioned.contains(.strict) { words.strict.insert(name) }
                }
                if mentioned.contains(.replace) { words.replacing.insert(name) }
                if mentioned.contains(.autoincrement) { words.autoincrementing.insert(name) }
            }
        }
        schemaCache.definitionWords = words
        return words
    }
}

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

    /// One pass over the bytes (benchmark observe-latency). A keyword is not adjacent to a letter, digit, underscore,
    /// dollar sign or non-ASCII character, except for a preceding byte order mark, which counts as a space.
    package init(in sql: String) {
        self = []
        var sql = sql
        let found = sql.withUTF8 { bytes in
            var found: MentionedWords = []
            var start = 0
            for index in 0...bytes.count where index == bytes.count || !bytes[index].isPartOfWord {
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
        func isWord(_ other: StaticString) -> Bool {
            other.withUTF8Buffer { other in word.elementsEqual(other) { $0 | 0x20 == $1 } }
        }
        return switch word.count {
        case 5: isWord("raise") ? .raise : []
        case 6: isWord("ignore") ? .ignore : isWord("strict") ? .strict : []
        case 7: isWord("replace") ? .replace : []
        case 8: isWord("conflict") ? .conflict : []
        case 13: isWord("autoincrement") ? .autoincrement : []
        default: []
        }
    }
}

extension UInt8 {
    /// Whether SQLite treats the byte as part of a name. <https://sqlite.org/draft/tokenreq.html>
    fileprivate var isPartOfWord: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
        default: false
        }
    }
}
