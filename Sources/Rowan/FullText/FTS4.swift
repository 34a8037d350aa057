// FTS4 tables. https://sqlite.org/fts3.html

/// The FTS4 module of virtual tables: ``FTS3`` with options, among them external content.
///
/// ```swift
/// // CREATE VIRTUAL TABLE "document" USING fts4(title, body, uuid, notindexed=uuid, tokenize=porter)
/// try db.create(virtualTable: "document", using: FTS4()) { t in
///     t.tokenizer = .porter
///     t.column("title")
///     t.column("body")
///     t.column("uuid").notIndexed()
/// }
/// ```
///
/// Article: <doc:FullText>.
///
/// Source: <https://sqlite.org/fts3.html#fts4_options>
public struct FTS4: VirtualTableModule, Sendable {
    /// The order in which the index stores the documents.
    public enum Order: String, Hashable, Sendable {
        /// By ascending rowid, the default.
        case ascending = "asc"
        /// By descending rowid, which makes `ORDER BY rowid DESC` fast.
        case descending = "desc"
    }

    /// Creates the module.
    public init() {}

    /// `fts4`
    public var moduleName: String { "fts4" }

    /// An empty definition.
    public func makeTableDefinition(configuration: VirtualTableConfiguration) -> FTS4TableDefinition {
        FTS4TableDefinition(configuration)
    }

    /// The columns, then the options.
    public func moduleArguments(for definition: FTS4TableDefinition, in db: Database) -> [String] {
        let columns = definition.columns
        var arguments = columns.map {
            $0.isLanguageID ? "languageid=\($0.name.quotedDatabaseIdentifier)" : $0.name.asModuleArgument
        }
        arguments += columns.filter { !$0.isIndexed }.map { "notindexed=\($0.name.asModuleArgument)" }
        if let tokenizer = definition.tokenizer { arguments.append(tokenizer.option) }
        func add(_ option: String, _ value: String?) {
            if let value { arguments.append("\(option)=\(value.quotedDatabaseIdentifier)") }
        }
        add("content", definition.content)
        add("compress", definition.compress)
        add("uncompress", definition.uncompress)
        add("matchinfo", definition.matchinfo)
        if let prefixes = definition.prefixes, !prefixes.isEmpty {
            add("prefix", prefixes.sorted().map(String.init).joined(separator: ","))
        }
        add("order", definition.order?.rawValue)
        return arguments
    }

    /// Creates the triggers of a synchronized table and indexes the existing rows.
    public func database(_ db: Database, didCreate tableName: String, using definition: FTS4TableDefinition) throws {
        guard case .synchronized(let table) = definition.source else { return }
        let schema = definition.configuration.schemaName
        let rowID = try db.rowIDColumn(ofContent: table, in: schema, .fts4)
        try FullTextSynchronization(
            engine: .fts4, table: tableName, contentTable: table, schema: schema,
            columns: definition.columns.map(\.name), rowIDColumn: rowID
        ).start(db)
    }
}

/// The definition of an ``FTS4`` table.
///
/// Source: <https://sqlite.org/fts3.html#fts4_options>
public final class FTS4TableDefinition {
    let configuration: VirtualTableConfiguration
    fileprivate(set) var columns: [FTS4ColumnDefinition] = []
    fileprivate(set) var source = FullTextContent.option(nil)

    /// The tokenizer; nil for SQLite's default, ``FTS3TokenizerDescriptor/simple``.
    public var tokenizer: FTS3TokenizerDescriptor?

    /// The table whose text is indexed, or empty text for a table that stores no text. It is not synchronized: see
    /// ``synchronize(withTable:)``.
    public var content: String? {
        get { source.option }
        set { source = .option(newValue) }
    }

    /// The SQL function that compresses the stored text.
    public var compress: String?

    /// The SQL function that decompresses the stored text.
    public var uncompress: String?

    /// `fts3` to save the space that some requests of `matchinfo()` need.
    public var matchinfo: String?

    /// The lengths of the prefixes with their own index, in bytes.
    public var prefixes: Set<Int>?

    /// The order in which the index stores the documents.
    public var order: FTS4.Order?

    init(_ configuration: VirtualTableConfiguration) { self.configuration = configuration }

    /// Adds a column, which contains text.
    @discardableResult
    public func column(_ name: String) -> FTS4ColumnDefinition {
        let column = FTS4ColumnDefinition(name)
        columns.append(column)
        return column
    }

    /// Indexes the text of another table, now and after each of its changes.
    ///
    /// ```swift
    /// try db.create(virtualTable: "book_ft", using: FTS4()) { t in
    ///     t.synchronize(withTable: "book")
    ///     t.column("title")
    /// }
    /// ```
    ///
    /// The columns of the full-text table must be columns of the other table, which must have a rowid. Four triggers
    /// keep the index up to date. When you drop the full-text table, also call
    /// ``Database/dropFTS4SynchronizationTriggers(forTable:)``.
    ///
    /// - Note: rows that `INSERT OR REPLACE` deletes stay in the index unless `PRAGMA recursive_triggers` is on. If the
    ///   table has no integer primary key, VACUUM may change its rowids: rebuild the index afterwards.
    public func synchronize(withTable tableName: String) { source = .synchronized(tableName) }
}

/// The definition of a column of an ``FTS4`` table.
public final class FTS4ColumnDefinition {
    let name: String
    fileprivate(set) var isIndexed = true
    fileprivate(set) var isLanguageID = false

    init(_ name: String) { self.name = name }

    /// Stores the column but does not index it. <https://sqlite.org/fts3.html#the_notindexed_option>
    @discardableResult
    public func notIndexed() -> Self {
        isIndexed = false
        return self
    }

    /// Makes the column a hidden column with the language of the document. Searches find documents of one language.
    /// <https://sqlite.org/fts3.html#the_languageid_option>
    @discardableResult
    public func asLanguageId() -> Self {
        isLanguageID = true
        return self
    }
}
