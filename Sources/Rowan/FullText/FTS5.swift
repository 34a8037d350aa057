// FTS5 tables. https://sqlite.org/fts5.html

/// The FTS5 module of virtual tables.
///
/// ```swift
/// // CREATE VIRTUAL TABLE "document" USING fts5(title, body, uuid UNINDEXED, tokenize='porter')
/// try db.create(virtualTable: "document", using: FTS5()) { t in
///     t.tokenizer = .porter()
///     t.column("title")
///     t.column("body")
///     t.column("uuid").notIndexed()
/// }
///
/// // SELECT * FROM "document" WHERE "document" MATCH ? ORDER BY "rank"
/// let pattern = FTS5Pattern(matchingAllPrefixesIn: "SQLite data")
/// let documents = try Document.matching(pattern).order(Column.rank).fetchAll(db)
/// ```
///
/// Article: <doc:FullText>.
///
/// Source: <https://sqlite.org/fts5.html>
public struct FTS5: VirtualTableModule, Sendable {
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

    /// `fts5`
    public var moduleName: String { "fts5" }

    /// An empty definition.
    public func makeTableDefinition(configuration: VirtualTableConfiguration) -> FTS5TableDefinition {
        FTS5TableDefinition(configuration)
    }

    /// The columns, then the options.
    ///
    /// - Throws: SQLITE_ERROR for a content table that can't be synchronized; SQLITE_MISUSE for a tokenizer without a
    ///   name.
    public func moduleArguments(for definition: FTS5TableDefinition, in db: Database) throws -> [String] {
        var arguments = definition.columns.map { $0.name.asModuleArgument + ($0.isIndexed ? "" : " UNINDEXED") }
        if let tokenizer = definition.tokenizer { arguments.append(try tokenizer.option) }
        func add(_ option: String, text: String?) {
            if let text { arguments.append("\(option)=\(text.quotedDatabaseString)") }
        }
        add("content", text: definition.content)
        add("content_rowid", text: try definition.contentRowID(db))
        if let prefixes = definition.prefixes, !prefixes.isEmpty {
            add("prefix", text: prefixes.sorted().map(String.init).joined(separator: " "))
        }
        if let columnSize = definition.columnSize { arguments.append("columnSize=\(columnSize)") }
        if let detail = definition.detail { arguments.append("detail=\(detail.asModuleArgument)") }
        if definition.contentlessDelete { arguments.append("contentless_delete=1") }
        if definition.contentlessUnindexed { arguments.append("contentless_unindexed=1") }
        if definition.locale { arguments.append("locale=1") }
        return arguments
    }

    /// Creates the triggers of a synchronized table and indexes the existing rows.
    public func database(_ db: Database, didCreate tableName: String, using definition: FTS5TableDefinition) throws {
        guard case .synchronized(let table) = definition.source else { return }
        try FullTextSynchronization(
            engine: .fts5, table: tableName, contentTable: table, schema: definition.configuration.schemaName,
            columns: definition.columns.map(\.name), rowIDColumn: definition.contentRowID(db) ?? "rowid"
        ).start(db)
    }
}

/// The definition of an ``FTS5`` table.
///
/// Source: <https://sqlite.org/fts5.html#fts5_table_creation_and_initialization>
public final class FTS5TableDefinition {
    let configuration: VirtualTableConfiguration
    fileprivate(set) var columns: [FTS5ColumnDefinition] = []
    fileprivate(set) var source = FullTextContent.option(nil)

    /// The tokenizer; nil for SQLite's default,
    /// ``FTS5TokenizerDescriptor/unicode61(diacritics:categories:separators:tokenCharacters:)``.
    public var tokenizer: FTS5TokenizerDescriptor?

    /// The table whose text is indexed, or empty text for a table that stores no text. It is not synchronized: see
    /// ``synchronize(withTable:)``.
    public var content: String? {
        get { source.option }
        set { source = .option(newValue) }
    }

    /// The integer primary key of the content table. ``synchronize(withTable:)`` determines it.
    public var contentRowID: String?

    /// The lengths of the prefixes with their own index, in characters.
    public var prefixes: Set<Int>?

    /// 0 to save the space of the column lengths, which `bm25()` needs: it then counts the tokens.
    public var columnSize: Int?

    /// The content of the index for each token: `full` is the default; `column` and `none` save space but reject
    /// phrases. <https://sqlite.org/fts5.html#the_detail_option>
    public var detail: String?

    /// Whether rows of a table that stores no text can be deleted. Requires SQLite 3.43.
    /// <https://sqlite.org/fts5.html#contentless_delete_tables>
    public var contentlessDelete = false

    /// Whether a table that stores no text stores the columns that are not indexed. Requires SQLite 3.47.
    /// <https://sqlite.org/fts5.html#the_contentless_unindexed_option>
    public var contentlessUnindexed = false

    /// Whether text can have a locale for its tokenizer. Requires SQLite 3.47.
    /// <https://sqlite.org/fts5.html#the_locale_option>
    public var locale = false

    init(_ configuration: VirtualTableConfiguration) { self.configuration = configuration }

    /// Adds a column, which contains text.
    @discardableResult
    public func column(_ name: String) -> FTS5ColumnDefinition {
        let column = FTS5ColumnDefinition(name)
        columns.append(column)
        return column
    }

    /// Indexes the text of another table, now and after each of its changes.
    ///
    /// ```swift
    /// try db.create(virtualTable: "book_ft", using: FTS5()) { t in
    ///     t.synchronize(withTable: "book")
    ///     t.column("title")
    /// }
    /// ```
    ///
    /// The columns of the full-text table must be columns of the other table, which must have a rowid. Three triggers
    /// keep the index up to date. When you drop the full-text table, also call
    /// ``Database/dropFTS5SynchronizationTriggers(forTable:)``.
    ///
    /// - Note: rows that `INSERT OR REPLACE` deletes stay in the index unless `PRAGMA recursive_triggers` is on. If the
    ///   table has no integer primary key, VACUUM may change its rowids: rebuild the index afterwards.
    public func synchronize(withTable tableName: String) { source = .synchronized(tableName) }

    /// The column of the content table with its rowid; nil for the hidden rowid.
    func contentRowID(_ db: Database) throws -> String? {
        if let contentRowID { return contentRowID }
        guard case .synchronized(let table) = source else { return nil }
        let column = try db.rowIDColumn(ofContent: table, in: configuration.schemaName, .fts5)
        return column == "rowid" ? nil : column
    }
}

/// The definition of a column of an ``FTS5`` table.
public final class FTS5ColumnDefinition {
    let name: String
    fileprivate(set) var isIndexed = true

    init(_ name: String) { self.name = name }

    /// Stores the column but does not index it. <https://sqlite.org/fts5.html#the_unindexed_column_option>
    @discardableResult
    public func notIndexed() -> Self {
        isIndexed = false
        return self
    }
}
