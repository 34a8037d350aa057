// Patterns of FTS5. https://sqlite.org/fts5.html#full_text_query_syntax

/// A pattern that FTS5 tables match with their documents.
///
/// ```swift
/// // Documents that contain all the words that the user has typed
/// let pattern = FTS5Pattern(matchingAllTokensIn: "SQLite database")
/// let documents = try Document.matching(pattern).order(Column.rank).fetchAll(db)
/// ```
///
/// The initializers that return nil for text without words accept any text, and their patterns are always valid.
/// ``Database/makeFTS5Pattern(rawPattern:forTable:)`` accepts the pattern language and throws an error for an invalid
/// pattern. If the tokenizer of a table accepts words such as "C++", let the table split the text:
/// ``Database/makeFTS5Pattern(matchingAllTokensIn:forTable:)``.
///
/// Article: <doc:FullText>.
///
/// Source: <https://sqlite.org/fts5.html#full_text_query_syntax>
public struct FTS5Pattern: Hashable, Sendable {
    /// The pattern in SQLite's syntax.
    public let rawPattern: String

    /// Creates a pattern in the pattern language of FTS5: `title: sqlite AND data*`.
    ///
    /// ```swift
    /// // fts5: syntax error near "AND"
    /// try FTS5Pattern(rawPattern: "AND")
    /// // no such column: missing
    /// try FTS5Pattern(rawPattern: "missing: sqlite", allowedColumns: ["title"])
    /// ```
    ///
    /// - Parameters:
    ///   - rawPattern: a pattern in the pattern language of FTS5.
    ///   - allowedColumns: the columns that the pattern may contain.
    /// - Throws: a ``DatabaseError`` for an invalid pattern.
    public init(rawPattern: String, allowedColumns: [String] = []) throws {
        // No column can have these names.
        let columns = allowedColumns.filter { !["rank", "rowid"].contains($0.foldedDatabaseName) }
        guard !columns.isEmpty else {
            try Self.validation.check(rawPattern)
            self.rawPattern = rawPattern
            return
        }
        var table = "document"
        while columns.contains(where: table.isSameDatabaseName) { table += "_" }
        let validation = FullTextValidation(using: FTS5(), table: table) { t in
            for column in columns { t.column(column) }
        }
        try validation.check(rawPattern)
        self.rawPattern = rawPattern
    }

    /// The validation of patterns without columns. No pattern contains the name of this one.
    private static let validation = FullTextValidation(using: FTS5()) { $0.column("\u{1}") }

    fileprivate init(valid rawPattern: String) { self.rawPattern = rawPattern }

    /// Matches the documents that contain at least one word of the text; nil without words.
    public init?(matchingAnyTokenIn string: String) {
        let words = FTS5Words.words(in: string)
        guard !words.isEmpty else { return nil }
        self.init(valid: words.joined(separator: " OR "))
    }

    /// Matches the documents that contain all words of the text; nil without words.
    public init?(matchingAllTokensIn string: String) {
        let words = FTS5Words.words(in: string)
        guard !words.isEmpty else { return nil }
        self.init(valid: words.joined(separator: " "))
    }

    /// Matches the documents that contain, for each word of the text, a word that starts with it; nil without words.
    public init?(matchingAllPrefixesIn string: String) {
        let words = FTS5Words.words(in: string)
        guard !words.isEmpty else { return nil }
        self.init(valid: words.map { $0 + "*" }.joined(separator: " "))
    }

    /// Matches the documents that contain the words of the text in the same order, without others between them; nil
    /// without words.
    public init?(matchingPhrase string: String) {
        let words = FTS5Words.words(in: string, for: .phrase)
        guard !words.isEmpty else { return nil }
        self.init(valid: "\"\(words.joined(separator: " "))\"")
    }

    /// Matches the documents with a column that starts with the words of the text; nil without words.
    public init?(matchingPrefixPhrase string: String) {
        let words = FTS5Words.words(in: string, for: .phrase)
        guard !words.isEmpty else { return nil }
        self.init(valid: "^\"\(words.joined(separator: " "))\"")
    }
}

extension FTS5Pattern: DatabaseValueConvertible {
    /// The pattern as text.
    public var databaseValue: DatabaseValue { rawPattern.databaseValue }

    /// The pattern of a text; nil for an invalid pattern, and for a pattern with column names.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS5Pattern? {
        // An invalid pattern can't be converted.
        String.fromDatabaseValue(dbValue).flatMap { try? FTS5Pattern(rawPattern: $0) }
    }
}

extension Database {
    /// Creates a pattern in the pattern language of FTS5, which may contain the columns of a table.
    ///
    /// ```swift
    /// let pattern = try db.makeFTS5Pattern(rawPattern: "title: sqlite", forTable: "book")
    ///
    /// // no such column: missing
    /// try db.makeFTS5Pattern(rawPattern: "missing: sqlite", forTable: "book")
    /// ```
    ///
    /// - Throws: a ``DatabaseError`` for an invalid pattern, or a table that does not exist.
    public func makeFTS5Pattern(rawPattern: String, forTable table: String) throws -> FTS5Pattern {
        try FTS5Pattern(rawPattern: rawPattern, allowedColumns: columns(in: table).map(\.name))
    }
}

// The initializers of patterns don't depend on a table: they split text at all ASCII characters that are neither
// letters nor digits. FTS5 splits quoted text with the tokenizer of the table.
extension Database {
    /// Creates a pattern that matches the documents that contain at least one word of a text. Words are separated by
    /// spaces; the tokenizer of the table determines the tokens of each.
    ///
    /// ```swift
    /// // "C++" OR "Swift"
    /// let pattern = try db.makeFTS5Pattern(matchingAnyTokenIn: "C++ Swift", forTable: "book")
    /// ```
    ///
    /// - Returns: nil for text without words. A word without tokens matches nothing.
    /// - Throws: SQLITE_ERROR if the table does not exist.
    public func makeFTS5Pattern(matchingAnyTokenIn string: String, forTable table: String) throws -> FTS5Pattern? {
        try pattern(string, table) { $0.joined(separator: " OR ") }
    }

    /// Creates a pattern that matches the documents that contain all words of a text: `"C++" "Swift"`. A word without
    /// tokens is not required.
    ///
    /// - Throws: SQLITE_ERROR if the table does not exist.
    public func makeFTS5Pattern(matchingAllTokensIn string: String, forTable table: String) throws -> FTS5Pattern? {
        try pattern(string, table) { $0.joined(separator: " ") }
    }

    /// Creates a pattern that matches the documents that contain, for each word of a text, a word that starts with it:
    /// `"C+" * "Sw" *`.
    ///
    /// - Throws: SQLITE_ERROR if the table does not exist.
    public func makeFTS5Pattern(matchingAllPrefixesIn string: String, forTable table: String) throws -> FTS5Pattern? {
        try pattern(string, table) { words in words.map { $0 + " *" }.joined(separator: " ") }
    }

    /// Creates a pattern that matches the documents that contain the words of a text in the same order, without others
    /// between them: `"C++ Swift"`.
    ///
    /// - Throws: SQLITE_ERROR if the table does not exist.
    public func makeFTS5Pattern(matchingPhrase string: String, forTable table: String) throws -> FTS5Pattern? {
        try pattern(string, table) { _ in FTS5Pattern.quoted(string) }
    }

    /// Creates a pattern that matches the documents with a column that starts with the words of a text: `^"C++ Swift"`.
    ///
    /// - Throws: SQLITE_ERROR if the table does not exist.
    public func makeFTS5Pattern(matchingPrefixPhrase string: String, forTable table: String) throws -> FTS5Pattern? {
        try pattern(string, table) { _ in "^" + FTS5Pattern.quoted(string) }
    }

    private func pattern(
        _ string: String, _ table: String, _ pattern: ([String]) -> String
    ) throws -> FTS5Pattern? {
        _ = try columns(in: table)
        let words = string.replacing("\0", with: " ").split(whereSeparator: \.isWhitespace).map { String($0) }
        return words.isEmpty ? nil : FTS5Pattern(valid: pattern(words.map(FTS5Pattern.quoted)))
    }
}

extension FTS5Pattern {
    /// A string of FTS5, which can't contain a NUL character.
    fileprivate static func quoted(_ string: String) -> String {
        "\"\(string.replacing("\0", with: " ").replacing("\"", with: "\"\""))\""
    }
}

/// The words of texts, as split by FTS5.
private struct FTS5Words {
    // The tokenizers exist while their connection does.
    private let queue: DatabaseQueue
    private let ascii: any FTS5Tokenizer
    private let unicode61: any FTS5Tokenizer

    private init() throws {
        queue = try DatabaseQueue()
        ascii = try queue.inDatabase { try $0.makeTokenizer(.ascii()) }
        unicode61 = try queue.inDatabase { try $0.makeTokenizer(.unicode61()) }
    }

    private static let shared = Mutex<FTS5Words?>(nil)

    enum Use { case terms, phrase }

    /// The words of a text. FTS5 reads them without quotes, because ASCII letters are in lower case: AND is an
    /// operator, but `and` isn't.
    static func words(in text: String, for use: Use = .terms) -> [String] {
        shared.withLock { words in
            // Without FTS5, no pattern is valid.
            if words == nil { words = try? FTS5Words() }
            guard let words, let tokens = try? words.ascii.tokens(of: text, for: .query) else { return [] }
            return use == .phrase ? tokens.map(\.token) : tokens.flatMap { words.parts(of: $0.token) }
        }
    }

    /// The parts of a word between non-ASCII separators, such as typographic quotes: a table without phrases rejects a
    /// word of several tokens. Other words are unchanged: without the symbol at its end, a word would be the prefix of
    /// others, and a word that contains only symbols may be a word for the table's tokenizer.
    private func parts(of word: String) -> [String] {
        guard word.utf8.contains(where: { $0 >= 0x80 }),
            let tokens = try? unicode61.tokens(of: word, for: .query), tokens.count > 1
        else { return [word] }
        let bytes = Array(word.utf8)
        return tokens.map {
            String(decoding: bytes[Int($0.range.lowerBound)..<Int($0.range.upperBound)], as: UTF8.self)
        }
    }
}
