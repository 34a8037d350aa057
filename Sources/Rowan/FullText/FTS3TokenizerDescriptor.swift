// The built-in tokenizers of FTS3 and FTS4. https://sqlite.org/fts3.html#tokenizer

/// A tokenizer of ``FTS3`` and ``FTS4``: how text and patterns are split into tokens. A text matches a pattern if both
/// give the same tokens.
public struct FTS3TokenizerDescriptor: Hashable, Sendable {
    let name: String
    let arguments: [String]

    private init(_ name: String, _ arguments: [String] = []) {
        self.name = name
        self.arguments = arguments
    }

    /// Splits at ASCII characters that are neither letters nor digits, and converts ASCII letters to lower case. It
    /// matches "Foo" with "FOO", but not "Jérôme" with "JÉRÔME". This is the default tokenizer.
    public static let simple = FTS3TokenizerDescriptor("simple")

    /// Splits like ``simple`` and reduces English words to their stem: it matches "database" with "databases".
    public static let porter = FTS3TokenizerDescriptor("porter")

    /// Splits at all Unicode characters that are neither letters nor digits, and converts letters to lower case without
    /// their diacritics. It matches "Jérôme" with "JEROME".
    ///
    /// - Parameters:
    ///   - diacritics: the handling of diacritics.
    ///   - separators: letters and digits to split at.
    ///   - tokenCharacters: other characters that belong to tokens.
    public static func unicode61(
        diacritics: FTS3.Diacritics = .removeLegacy, separators: Set<Character> = [],
        tokenCharacters: Set<Character> = []
    ) -> FTS3TokenizerDescriptor {
        var arguments: [String] = []
        switch diacritics {
        case .keep: arguments.append("remove_diacritics=0")
        case .removeLegacy: break
        case .remove: arguments.append("remove_diacritics=2")
        }
        if !separators.isEmpty { arguments.append("separators=\(String(separators.sorted()))") }
        if !tokenCharacters.isEmpty { arguments.append("tokenchars=\(String(tokenCharacters.sorted()))") }
        return FTS3TokenizerDescriptor("unicode61", arguments)
    }

    /// `tokenize=unicode61 "remove_diacritics=0"`
    var option: String { "tokenize=" + ([name] + arguments.map(\.quotedDatabaseIdentifier)).joined(separator: " ") }
}

/// A tokenizer of FTS3, on its own database.
struct FTS3Tokenizer {
    struct Token {
        let token: String
        /// The bytes of the text that the token represents.
        let range: Range<Int>
    }

    private let queue: DatabaseQueue

    init(_ descriptor: FTS3TokenizerDescriptor) throws {
        queue = try DatabaseQueue()
        let arguments = ([descriptor.name] + descriptor.arguments).map(\.quotedDatabaseString)
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: "CREATE VIRTUAL TABLE token USING fts3tokenize(\(arguments.joined(separator: ", ")))")
        }
    }

    /// Complexity: the length of the text.
    func tokens(of text: String) throws -> [Token] {
        try queue.unsafeReentrantRead { db in
            let rows = try Row.fetchCursor(
                db, sql: #"SELECT token, "start", "end" FROM token WHERE input = ?"#, arguments: [text])
            var tokens: [Token] = []
            while let row = try rows.next() { tokens.append(Token(token: row[0], range: row[1]..<row[2])) }
            return tokens
        }
    }
}
