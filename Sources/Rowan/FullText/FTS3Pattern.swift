// Patterns of FTS3 and FTS4. https://sqlite.org/fts3.html#full_text_index_queries

/// A pattern that FTS3 and FTS4 tables match with their documents.
///
/// ```swift
/// // Documents that contain all the words that the user has typed
/// let pattern = FTS3Pattern(matchingAllTokensIn: "SQLite database")
/// let documents = try Document.matching(pattern).fetchAll(db)
/// ```
///
/// The initializers that return nil for text without words accept any text, and their patterns are valid for all
/// built-in tokenizers with their default options. SQLite accepts 4,095 words in a pattern that is not a phrase:
/// repeated words, and those after the first 4,095, are left out. The other initializer accepts the pattern language
/// and throws an error for an invalid pattern.
///
/// Article: <doc:FullText>.
///
/// Source: <https://sqlite.org/fts3.html#full_text_index_queries>
public struct FTS3Pattern: Hashable, Sendable {
    /// The pattern in SQLite's syntax.
    public let rawPattern: String

    /// Creates a pattern in the pattern language of FTS3: `sqlite AND data*`.
    ///
    /// ```swift
    /// // malformed MATCH expression: [AND]
    /// try FTS3Pattern(rawPattern: "AND")
    /// ```
    ///
    /// - Throws: a ``DatabaseError`` for an invalid pattern.
    public init(rawPattern: String) throws {
        try Self.validation.check(rawPattern)
        self.rawPattern = rawPattern
    }

    private static let validation = FullTextValidation(using: FTS3()) { $0.column("content") }

    private init(valid rawPattern: String) { self.rawPattern = rawPattern }

    /// The maximum number of terms of a pattern: FTS3 accepts a tree of 12 levels.
    /// <https://sqlite.org/compile.html#fts3_max_expr_depth>
    private static let maximumTermCount = 4_095

    private init?(terms: [String], separator: String) {
        var known: Set<String> = []
        let distinct = terms.filter { known.insert($0).inserted }
        guard !distinct.isEmpty else { return nil }
        self.init(valid: distinct.prefix(Self.maximumTermCount).joined(separator: separator))
    }

    /// Matches the documents that contain at least one word of the text; nil without words.
    public init?(matchingAnyTokenIn string: String) {
        self.init(terms: FTS3Word.words(in: string).map(\.pattern), separator: " OR ")
    }

    /// Matches the documents that contain all words of the text; nil without words.
    public init?(matchingAllTokensIn string: String) {
        self.init(terms: FTS3Word.words(in: string).map(\.pattern), separator: " ")
    }

    /// Matches the documents that contain, for each word of the text, a word that starts with it; nil without words.
    public init?(matchingAllPrefixesIn string: String) {
        self.init(terms: FTS3Word.words(in: string).map(\.prefixPattern), separator: " ")
    }

    /// Matches the documents that contain the words of the text in the same order, without others between them; nil
    /// without words.
    public init?(matchingPhrase string: String) {
        let words = FTS3Word.words(in: string, for: .phrase)
        guard !words.isEmpty else { return nil }
        self.init(valid: "\"\(words.map(\.text).joined(separator: " "))\"")
    }
}

extension FTS3Pattern: DatabaseValueConvertible {
    /// The pattern as text.
    public var databaseValue: DatabaseValue { rawPattern.databaseValue }

    /// The pattern of a text; nil for an invalid one.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS3Pattern? {
        // An invalid pattern can't be converted.
        String.fromDatabaseValue(dbValue).flatMap { try? FTS3Pattern(rawPattern: $0) }
    }
}

/// A word of a text, as split by the tokenizers `simple` and `porter`. The tokenizer of the table may split it again.
/// The word is then a phrase, because FTS3 would interpret the operator after it as one of its tokens.
private struct FTS3Word {
    let text: String
    /// The word without its final punctuation, which some tokenizers ignore: the star of a prefix must follow the last
    /// token. A symbol at the end stays, because without it, the word would be the prefix of others.
    let start: String
    /// Whether all tokenizers treat the word as one token.
    let isToken: Bool

    var pattern: String { isToken ? text : "\"\(text)\"" }
    var prefixPattern: String { isToken ? "\(text)*" : "\"\(start)*\"" }

    private static let tokenizers = try? (
        simple: FTS3Tokenizer(.simple), unicode61: FTS3Tokenizer(.unicode61())
    )

    enum Use {
        /// Each word is a term of the pattern. FTS3 rejects OR without a token on each side, so words that a tokenizer
        /// ignores are left out.
        case terms
        /// The words are a phrase.
        case phrase
    }

    static func words(in text: String, for use: Use = .terms) -> [FTS3Word] {
        // For the tokenizer, NUL is a letter, but a pattern ends there.
        let text = text.utf8.contains(0) ? text.replacing("\0", with: " ") : text
        // Without FTS3, no pattern is valid.
        guard let tokenizers, let tokens = try? tokenizers.simple.tokens(of: text) else { return [] }
        return tokens.compactMap { token in
            let word = token.token
            guard use == .terms, word.utf8.contains(where: { $0 >= 0x80 }) else {
                return FTS3Word(text: word, start: word, isToken: true)
            }
            guard let parts = try? tokenizers.unicode61.tokens(of: word), !parts.isEmpty else { return nil }
            return FTS3Word(
                text: word, start: word.withoutFinalPunctuation,
                isToken: parts.count == 1 && parts[0].range == 0..<word.utf8.count)
        }
    }
}

extension String {
    fileprivate var withoutFinalPunctuation: String {
        var scalars = unicodeScalars[...]
        while let last = scalars.last, last.isPunctuation { scalars.removeLast() }
        return String(scalars)
    }
}

extension Unicode.Scalar {
    fileprivate var isPunctuation: Bool {
        switch properties.generalCategory {
        case .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation, .dashPunctuation,
            .otherPunctuation:
            true
        default: false
        }
    }
}
