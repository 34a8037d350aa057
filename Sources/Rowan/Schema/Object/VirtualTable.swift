// The creation of virtual tables. The table and everything that its module adds to it exist together or not at all.

/// The options of a virtual table. <https://sqlite.org/lang_createvtab.html>
public struct VirtualTableOptions: OptionSet, Sendable {
    /// The raw value of the options.
    public let rawValue: Int
    /// Creates options from their raw value.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Does nothing if the table exists.
    public static let ifNotExists = VirtualTableOptions(rawValue: 1 << 0)
    /// Creates a table that only this connection sees, until it closes.
    public static let temporary = VirtualTableOptions(rawValue: 1 << 1)
}

extension Database {
    /// Creates a virtual table without a definition.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "vocabulary" USING fts5vocab(document_ft, row)
    /// try db.create(virtualTable: "vocabulary", using: "fts5vocab(document_ft, row)")
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the table.
    ///   - options: the options of the table; none by default.
    ///   - module: the name of the module, with its arguments, if any, as SQL.
    /// - Throws: a ``DatabaseError``.
    ///
    /// Source: <https://sqlite.org/vtab.html>
    public func create(virtualTable name: String, options: VirtualTableOptions = [], using module: String) throws {
        try execute(sql: Self.creation(of: name, options, using: module))
    }

    /// Creates a virtual table.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "document" USING fts5(title, body, tokenize='porter')
    /// try db.create(virtualTable: "document", using: FTS5()) { t in
    ///     t.tokenizer = .porter()
    ///     t.column("title")
    ///     t.column("body")
    /// }
    /// ```
    ///
    /// The module may run further statements, such as the triggers of a full-text table. If one of them fails, the
    /// table is not created.
    ///
    /// - Throws: an error of SQLite, the module or the closure.
    ///
    /// Source: <https://sqlite.org/vtab.html>
    public func create<Module: VirtualTableModule>(
        virtualTable tableName: String, options: VirtualTableOptions = [], using module: Module,
        _ body: ((Module.TableDefinition) throws -> Void)? = nil
    ) throws {
        let configuration = VirtualTableConfiguration(isTemporary: options.contains(.temporary))
        let definition = module.makeTableDefinition(configuration: configuration)
        try body?(definition)
        try inSavepoint {
            let exists = try options.contains(.ifNotExists) && self.exists(tableName, in: configuration.schemaName)
            let arguments = try module.moduleArguments(for: definition, in: self)
            let list = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
            let name = module.moduleName
            let sql = (name.isPlainDatabaseName ? name : name.quotedDatabaseIdentifier) + list
            try execute(sql: Self.creation(of: tableName, options, using: sql))
            // The triggers of an existing table also exist.
            if !exists { try didCreate(tableName, in: configuration, using: module, definition) }
            return .commit
        }
    }

    private func didCreate<Module: VirtualTableModule>(
        _ name: String, in configuration: VirtualTableConfiguration, using module: Module,
        _ definition: Module.TableDefinition
    ) throws {
        do { try module.database(self, didCreate: name, using: definition) } catch {
            // If a savepoint undoes both the creation of an FTS5 table and changes to its rows, SQLite can't commit the
            // transaction. The first error takes precedence.
            try? execute(sql: "DROP TABLE \(configuration.schemaName).\(name.quotedDatabaseIdentifier)")
            throw error
        }
    }

    /// Creates a virtual table without a definition.
    @available(*, deprecated, message: "Use create(virtualTable:options:using:)")
    public func create(virtualTable name: String, ifNotExists: Bool, using module: String) throws {
        try create(virtualTable: name, options: ifNotExists ? [.ifNotExists] : [], using: module)
    }

    /// Creates a virtual table.
    @available(*, deprecated, message: "Use create(virtualTable:options:using:_:)")
    public func create<Module: VirtualTableModule>(
        virtualTable tableName: String, ifNotExists: Bool, using module: Module,
        _ body: ((Module.TableDefinition) throws -> Void)? = nil
    ) throws {
        try create(virtualTable: tableName, options: ifNotExists ? [.ifNotExists] : [], using: module, body)
    }

    private func exists(_ name: String, in schema: String) throws -> Bool {
        try tableExists(name, in: schema) || viewExists(name, in: schema)
    }

    private static func creation(of name: String, _ options: VirtualTableOptions, using module: String) -> String {
        // SQLite has no CREATE TEMPORARY VIRTUAL TABLE. Its schema makes the table temporary.
        "CREATE VIRTUAL TABLE \(options.contains(.ifNotExists) ? "IF NOT EXISTS " : "")"
            + "\(options.contains(.temporary) ? "temp." : "")\(name.quotedDatabaseIdentifier) USING \(module)"
    }
}
