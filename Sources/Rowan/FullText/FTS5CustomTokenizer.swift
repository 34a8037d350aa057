// Tokenizers of FTS5 in Swift, at the level of the C API.

/// A tokenizer of FTS5 in Swift, at the level of the C API. ``FTS5WrapperTokenizer`` is easier to write.
///
/// ```swift
/// final class LineTokenizer: FTS5CustomTokenizer {
///     static let name = "line"
///     init(db: Database, arguments: [String]) throws {}
///     func tokenize(...) -> CInt { ... }
/// }
///
/// var config = Configuration()
/// config.prepareDatabase { db in db.add(tokenizer: LineTokenizer.self) }
///
/// try db.create(virtualTable: "document", using: FTS5()) { t in
///     t.tokenizer = LineTokenizer.tokenizerDescriptor()
///     t.column("body")
/// }
/// ```
///
/// A table keeps its tokenizer until its connection closes. Don't keep the connection in the tokenizer.
///
/// Article: <doc:FullText>.
///
/// Source: <https://sqlite.org/fts5.html#custom_tokenizers>
public protocol FTS5CustomTokenizer: FTS5Tokenizer {
    /// The name of the tokenizer, which differs from those of the built-in tokenizers.
    static var name: String { get }

    /// Creates a tokenizer for a table. FTS5 calls it when it opens the table.
    ///
    /// - Parameters:
    ///   - db: the connection, which can create the built-in tokenizers.
    ///   - arguments: the arguments of the descriptor.
    /// - Throws: an error that makes the statement that opens the table fail. The statement's error keeps the code of a
    ///   ``DatabaseError``, but not the message, which is sent to ``Database/logError``.
    init(db: Database, arguments: [String]) throws
}

extension FTS5CustomTokenizer {
    /// The tokenizer in the definition of a table.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "document" USING fts5(body, tokenize='line 80')
    /// try db.create(virtualTable: "document", using: FTS5()) { t in
    ///     t.tokenizer = LineTokenizer.tokenizerDescriptor(arguments: ["80"])
    ///     t.column("body")
    /// }
    /// ```
    public static func tokenizerDescriptor(arguments: [String] = []) -> FTS5TokenizerDescriptor {
        FTS5TokenizerDescriptor(components: [name] + arguments)
    }
}

extension Database {
    /// Adds a tokenizer for the FTS5 tables of this connection.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in db.add(tokenizer: LineTokenizer.self) }
    /// ```
    ///
    /// It replaces the tokenizer with the same name for the tables that this connection opens later.
    ///
    /// If SQLite rejects it, because it was built without FTS5 or the name contains a NUL character, the statements
    /// that use the tokenizer throw the reason.
    public func add(tokenizer: (some FTS5CustomTokenizer).Type) {
        guard connection.pointer != nil else { return }
        let name = tokenizer.name
        connection.define(.init(.tokenizer, name)) { [weak self] connection in
            try LocalConnection.Definition.check(name: name)
            // Not the connection itself, which owns SQLite's list of tokenizers.
            try connection.addFTS5Tokenizer(name) { arguments in
                guard let self else { throw DatabaseError.connectionIsClosed }
                let tokenizer = try tokenizer.init(db: self, arguments: arguments)
                return { context, flags, text, count, callback in
                    tokenizer.tokenize(
                        context: context, tokenization: FTS5Tokenization(rawValue: flags), pText: text, nText: count,
                        tokenCallback: callback)
                }
            }
        }
    }
}
