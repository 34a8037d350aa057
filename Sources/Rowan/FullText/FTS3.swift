// FTS3 tables. https://sqlite.org/fts3.html

/// The FTS3 module of virtual tables.
///
/// ```swift
/// // CREATE VIRTUAL TABLE "document" USING fts3(title, body, tokenize=porter)
/// try db.create(virtualTable: "document", using: FTS3()) { t in
///     t.tokenizer = .porter
///     t.column("title")
///     t.column("body")
/// }
///
/// // SELECT * FROM "document" WHERE "document" MATCH ?
/// let pattern = FTS3Pattern(matchingAllTokensIn: "SQLite database")
/// let documents = try Document.matching(pattern).fetchAll(db)
/// ```
///
/// ``FTS4`` has more options and is faster. ``FTS5`` sorts by relevance and accepts tokenizers in Swift.
///
/// Source: <https://sqlite.org/fts3.html>
public struct FTS3: VirtualTableModule, Sendable {
    /// The handling of diacritics of Latin letters by a tokenizer.
    public enum Diacritics: Hashable, Sendable {
        /// Keeps them: "é" and "e" differ.
        case keep
        /// Removes them, except from letters that have several of them.
        case removeLegacy
        /// Removes all of them.
        case remove
    }

    /// Creates the module.
    public init() {}

    /// `fts3`
    public var moduleName: String { "fts3" }

    /// An empty definition.
    public func makeTableDefinition(configuration: VirtualTableConfiguration) -> FTS3TableDefinition {
        FTS3TableDefinition()
    }

    /// The columns, then the tokenizer.
    public func moduleArguments(for definition: FTS3TableDefinition, in db: Database) -> [String] {
        definition.columns.map(\.asModuleArgument) + (definition.tokenizer.map { [$0.option] } ?? [])
    }

    /// Does nothing.
    public func database(_ db: Database, didCreate tableName: String, using definition: FTS3TableDefinition) {}

    /// The tokens of a text, as FTS3 and FTS4 index it.
    ///
    /// ```swift
    /// try FTS3.tokenize("Gustave Doré")                               // ["gustave", "doré"]
    /// try FTS3.tokenize("Gustave Doré", withTokenizer: .unicode61())  // ["gustave", "dore"]
    /// ```
    ///
    /// - Throws: an error of SQLite if it was built without FTS3 or does not have the tokenizer.
    public static func tokenize(
        _ string: String, withTokenizer tokenizer: FTS3TokenizerDescriptor = .simple
    ) throws -> [String] {
        try FTS3Tokenizer(tokenizer).tokens(of: string).map(\.token)
    }
}

/// The definition of an ``FTS3`` table.
public final class FTS3TableDefinition {
    fileprivate(set) var columns: [String] = []

    /// The tokenizer; nil for SQLite's default, ``FTS3TokenizerDescriptor/simple``.
    public var tokenizer: FTS3TokenizerDescriptor?

    init() {}

    /// Adds a column, which contains text.
    public func column(_ name: String) { columns.append(name) }
}

extension String {
    /// The name as an argument of a module, quoted only if necessary.
    var asModuleArgument: String { isPlainDatabaseName ? self : quotedDatabaseIdentifier }
}
