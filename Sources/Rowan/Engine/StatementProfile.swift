// What a statement touches and does, as SQLite's compiler reports it. No text is ever read to find that out: comments,
// common table expressions, views and triggers all hide a first word. ProfileRecorder fills it.

/// What a statement touches and does.
///
/// SQLite reports it while it compiles the statement: the tables behind views, and those that triggers and foreign
/// keys write, are in it.
///
/// ```swift
/// let statement = try db.makeStatement(sql: "UPDATE player SET score = score + 1 WHERE team = 'Reds'")
/// statement.profile.reads    // [main.player: ["score", "team"]]
/// statement.profile.updates  // [main.player: ["score"]]
/// ```
///
/// Source: <https://sqlite.org/c3ref/set_authorizer.html>
public struct StatementProfile: Hashable, Sendable {
    /// A table, a view or a virtual table, in its schema.
    public struct Table: Hashable, Sendable, CustomStringConvertible {
        /// `main`, `temp`, or the name of an attached database.
        public var schema: String
        /// The name, as the schema writes it.
        public var name: String

        public var description: String { "\(schema).\(name)" }
    }

    /// A change of the schema.
    public struct SchemaChange: Hashable, Sendable {
        public enum Action: Hashable, Sendable { case create, drop, alter }
        public enum Kind: Hashable, Sendable { case table, index, trigger, view, virtualTable }

        public var action: Action
        public var kind: Kind
        public var schema: String
        /// The name of the table, index, trigger or view.
        public var name: String
    }

    /// How a statement begins or ends a transaction or a savepoint.
    public enum TransactionOperation: Hashable, Sendable {
        case begin, commit, rollback
        case savepoint(String)
        case release(String)
        case rollbackTo(String)
    }

    /// A pragma, with its argument if it has one.
    public struct Pragma: Hashable, Sendable {
        /// The name, in lower case.
        public var name: String
        public var argument: String?
        /// The schema that the pragma names, nil for none.
        public var schema: String?
    }

    /// The columns that are read, by table. The set is empty if rows are read without their columns: `COUNT(*)`.
    public internal(set) var reads: [Table: Set<String>] = [:]
    /// The tables that rows are inserted into.
    public internal(set) var insertions: Set<Table> = []
    /// The tables that rows are deleted from.
    public internal(set) var deletions: Set<Table> = []
    /// The columns that are updated, by table.
    public internal(set) var updates: [Table: Set<String>] = [:]
    /// The changes of the schema.
    public internal(set) var schemaChanges: [SchemaChange] = []
    /// How the statement begins or ends a transaction or a savepoint, if it does.
    public internal(set) var transactionOperation: TransactionOperation?
    /// The pragmas; those that table-valued functions run are not among them.
    public internal(set) var pragmas: [Pragma] = []
    /// Whether the statement attaches or detaches a database.
    public internal(set) var changesAttachments = false
    /// The names of the functions that are called, in lower case.
    public internal(set) var functions: Set<String> = []
    /// Whether the statement makes no direct change to the database. <https://sqlite.org/c3ref/stmt_readonly.html>
    public internal(set) var isReadonly = true

    package init() {}
}

extension StatementProfile {
    /// Whether the statement changes which tables and columns there are, or what names stand for.
    package var changesSchema: Bool {
        !schemaChanges.isEmpty || changesAttachments || pragmas.contains { $0.argument != nil && $0.changesSchema }
    }

    /// Whether an access that only reads may run the statement.
    package var isAllowedInReads: Bool {
        guard pragmas.allSatisfy(\.isAllowedInReads) else { return false }
        // SQLite doesn't report all pragmas that only read as such: `PRAGMA journal_mode`.
        return isReadonly || (!pragmas.isEmpty && pragmas.allSatisfy { $0.argument == nil })
    }

    /// The pragma that sets a state of the connection, if the statement is one.
    package var settingPragma: Pragma? { pragmas.first { $0.argument != nil && !$0.isQuery } }
}

extension StatementProfile.Pragma {
    /// Those that write, although SQLite reports them as read-only, or although they have no argument.
    fileprivate var isAllowedInReads: Bool {
        !["incremental_vacuum", "optimize", "wal_checkpoint"].contains(name)
    }

    /// Those whose argument says what is asked for, and sets nothing.
    fileprivate var isQuery: Bool {
        [
            "foreign_key_check", "foreign_key_list", "index_info", "index_list", "index_xinfo", "integrity_check",
            "quick_check", "table_info", "table_list", "table_xinfo",
        ].contains(name)
    }

    /// Those that make another schema of the same file.
    fileprivate var changesSchema: Bool {
        ["schema_version", "writable_schema", "temp_store", "temp_store_directory", "key", "hexkey", "rekey"]
            .contains(name)
    }
}
