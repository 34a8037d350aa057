// The effects of a statement, as reported by SQLite's compiler. They are not guessed from the SQL, where they may be
// hidden by comments, common table expressions, views and triggers, except for what SQLite does not report: see
// StatementProfile.findJoinedTables. ProfileRecorder fills the profile.

/// The reads, writes and changes of a statement.
///
/// SQLite reports these effects when it compiles the statement. They include the tables behind views, and the tables
/// that triggers and foreign keys write.
///
/// ```swift
/// let statement = try db.makeStatement(sql: "UPDATE player SET score = score + 1 WHERE team = 'Reds'")
/// statement.profile.reads    // [main.player: ["score", "team"]]
/// statement.profile.updates  // [main.player: ["score"]]
/// ```
///
/// Source: <https://sqlite.org/c3ref/set_authorizer.html>
public struct StatementProfile: Hashable, Sendable {
    /// A table, view or virtual table, with its schema.
    public struct Table: Hashable, Sendable, CustomStringConvertible {
        /// `main`, `temp`, or the name of an attached database.
        public var schema: String
        /// The name, as spelled in the schema.
        public var name: String

        /// Creates a table: a key of ``StatementProfile/reads``, for example.
        public init(schema: String, name: String) {
            self.schema = schema
            self.name = name
        }

        /// The schema and the name: `main.player`.
        public var description: String { "\(schema).\(name)" }
    }

    /// A schema change.
    public struct SchemaChange: Hashable, Sendable {
        /// The change to the object.
        public enum Action: Hashable, Sendable { case create, drop, alter }
        /// The kind of the object.
        public enum Kind: Hashable, Sendable { case table, index, trigger, view, virtualTable }

        /// The change to the object.
        public var action: Action
        /// The kind of the object.
        public var kind: Kind
        /// The schema of the object: `main`, `temp`, or the name of an attached database.
        public var schema: String
        /// The name of the table, index, trigger or view.
        public var name: String
    }

    /// The operation of a statement on a transaction or savepoint.
    public enum TransactionOperation: Hashable, Sendable {
        /// A `BEGIN`, `COMMIT` or `ROLLBACK` statement.
        case begin, commit, rollback
        /// A `SAVEPOINT` statement, with the name of the savepoint.
        case savepoint(String)
        /// A `RELEASE` statement, with the name of the savepoint.
        case release(String)
        /// A `ROLLBACK TO` statement, with the name of the savepoint.
        case rollbackTo(String)
    }

    /// A pragma, with its argument if it has one.
    public struct Pragma: Hashable, Sendable {
        /// The name, in lower case.
        public var name: String
        /// The argument, or nil without an argument.
        public var argument: String?
        /// The schema named by the pragma, or nil.
        public var schema: String?
    }

    /// The columns that the statement reads, by table. The set is empty for a table whose rows are read without their
    /// columns, as in `COUNT(*)`. A statement with `USING` or `NATURAL JOIN` may read less.
    public internal(set) var reads: [Table: Set<String>] = [:]
    /// The tables that the statement inserts rows into.
    public internal(set) var insertions: Set<Table> = []
    /// The tables that the statement deletes rows from.
    public internal(set) var deletions: Set<Table> = []
    /// The columns that the statement updates, by table.
    public internal(set) var updates: [Table: Set<String>] = [:]
    /// The schema changes.
    public internal(set) var schemaChanges: [SchemaChange] = []
    /// The operation on a transaction or savepoint, if any.
    public internal(set) var transactionOperation: TransactionOperation?
    /// The pragmas, except those run by table-valued functions.
    public internal(set) var pragmas: [Pragma] = []
    /// Whether the statement attaches or detaches a database.
    public internal(set) var changesAttachments = false
    /// The names, in lower case, of the functions that the statement calls.
    public internal(set) var functions: Set<String> = []
    /// Whether the statement makes no direct changes to the database. <https://sqlite.org/c3ref/stmt_readonly.html>
    public internal(set) var isReadonly = true
    /// The effects of the statement itself, without its triggers and views: see StatementOperation.
    var own = OwnEffects()

    package init() {}
}

extension StatementProfile {
    /// Adds the effects of another statement.
    mutating func formUnion(_ other: StatementProfile) {
        reads.merge(other.reads) { $0.union($1) }
        insertions.formUnion(other.insertions)
        deletions.formUnion(other.deletions)
        updates.merge(other.updates) { $0.union($1) }
        schemaChanges += other.schemaChanges.filter { !schemaChanges.contains($0) }
        pragmas += other.pragmas.filter { !pragmas.contains($0) }
        changesAttachments = changesAttachments || other.changesAttachments
        functions.formUnion(other.functions)
        isReadonly = isReadonly && other.isReadonly
    }

    /// Whether the statement changes tables or columns, or the objects that names refer to.
    package var changesSchema: Bool {
        !schemaChanges.isEmpty || changesAttachments || pragmas.contains { $0.argument != nil && $0.changesSchema }
    }

    /// Whether the statement may run in a read access.
    package var isAllowedInReads: Bool {
        guard pragmas.allSatisfy(\.isAllowedInReads) else { return false }
        // SQLite does not report every reading pragma as read-only, for example `PRAGMA journal_mode`.
        return isReadonly || (!pragmas.isEmpty && pragmas.allSatisfy { $0.argument == nil })
    }

    /// The pragma that changes a state of the connection, if the statement is one.
    package var settingPragma: Pragma? { pragmas.first { $0.argument != nil && !$0.isQuery } }
}

extension StatementProfile.TransactionOperation {
    var isRelease: Bool { if case .release = self { true } else { false } }
    var isRollbackTo: Bool { if case .rollbackTo = self { true } else { false } }
}

extension StatementProfile.Pragma {
    /// False for pragmas that write although SQLite reports them as read-only or they have no argument.
    fileprivate var isAllowedInReads: Bool {
        !["incremental_vacuum", "optimize", "wal_checkpoint"].contains(name)
    }

    /// Whether the argument selects what to report and changes nothing.
    fileprivate var isQuery: Bool {
        [
            "foreign_key_check", "foreign_key_list", "index_info", "index_list", "index_xinfo", "integrity_check",
            "quick_check", "table_info", "table_list", "table_xinfo",
        ].contains(name)
    }

    /// Whether the pragma can change the schema that the connection sees, or the tables that a statement writes:
    /// foreign key actions and triggers of replaced rows.
    fileprivate var changesSchema: Bool {
        [
            "foreign_keys", "hexkey", "key", "recursive_triggers", "rekey", "schema_version", "temp_store",
            "temp_store_directory", "writable_schema",
        ].contains(name)
    }
}

extension Statement.Traits {
    init(_ profile: StatementProfile) {
        self = []
        if profile.isAllowedInReads { insert(.isAllowedInReads) }
        if profile.transactionOperation != nil { insert(.controlsTransaction) }
        if profile.changesSchema { insert(.changesSchema) }
        if profile.settingPragma != nil { insert(.setsPragma) }
        if !profile.pragmas.isEmpty { insert(.isPragma) }
        if !profile.isReadonly || profile.transactionOperation != nil || profile.changesAttachments {
            insert(.isWatchable)
        }
    }
}
