// A statement's operation, in a word and the name of a table, for labelling logs, metrics and traces. SQLite's compiler
// reports both. They are never guessed from the SQL, because comments and common table expressions hide its first word.

extension StatementProfile {
    /// The operation of the statement, as reported by SQLite's compiler: `SELECT`, `INSERT`, `UPDATE`, `DELETE`,
    /// `BEGIN`, `COMMIT`, `CREATE TABLE`, `PRAGMA`… `_OTHER` for unreported operations, such as `VACUUM`.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "WITH t AS (SELECT 1) INSERT INTO player (id) SELECT * FROM t")
    /// statement.profile.operation   // INSERT
    /// statement.profile.tableName   // player
    /// ```
    ///
    /// An upsert is an `INSERT`. The effects of triggers and foreign keys don't count.
    ///
    /// Source: <https://sqlite.org/c3ref/set_authorizer.html>
    public var operation: String {
        if let transactionOperation { return transactionOperation.word }
        // ANALYZE may create its tables.
        if let maintenance = own.maintenance { return maintenance }
        if let change = schemaChanges.first { return change.words }
        if !pragmas.isEmpty { return "PRAGMA" }
        if let write = own.write { return write.operation.rawValue }
        if changesAttachments { return "ATTACH" }
        return isReadonly ? "SELECT" : "_OTHER"
    }

    /// The table that the statement writes, or the only table or view that it reads. Nil if it names several or none.
    public var tableName: String? {
        guard own.maintenance == nil else { return nil }
        if let change = schemaChanges.first { return change.name }
        if let write = own.write { return write.table }
        if case .one(let name) = own.read { return name }
        return nil
    }

    /// The first effect of the statement itself, without its triggers and views.
    struct OwnEffects: Hashable, Sendable {
        enum Operation: String, Sendable { case insert = "INSERT", update = "UPDATE", delete = "DELETE" }
        struct Write: Hashable, Sendable {
            let operation: Operation
            let table: String
        }
        enum Read: Hashable, Sendable { case none, one(String), several }

        var write: Write?
        var read = Read.none
        /// Whether it uses views, common tables or triggers.
        var usesViews = false
        /// `ANALYZE`, `REINDEX` or `DETACH`.
        var maintenance: String?

        mutating func noteRead(_ name: String) {
            switch read {
            case .none: read = .one(name)
            case .one(let known) where known != name: read = .several
            case .one, .several: break
            }
        }
    }
}

extension StatementProfile.TransactionOperation {
    fileprivate var word: String {
        switch self {
        case .begin: "BEGIN"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        case .savepoint: "SAVEPOINT"
        case .release: "RELEASE"
        case .rollbackTo: "ROLLBACK TO"
        }
    }
}

extension StatementProfile.SchemaChange {
    fileprivate var words: String {
        let action =
            switch action {
            case .create: "CREATE"
            case .drop: "DROP"
            case .alter: "ALTER"
            }
        let kind =
            switch kind {
            case .table: "TABLE"
            case .index: "INDEX"
            case .trigger: "TRIGGER"
            case .view: "VIEW"
            case .virtualTable: "VIRTUAL TABLE"
            }
        return "\(action) \(kind)"
    }
}

/// The properties of a statement for instruments, created once for all its runs.
package final class StatementFacts: Sendable {
    package let sql: String
    package let profile: StatementProfile
    package let operation: String
    package let tableName: String?
    /// The schema that the profile is valid for.
    let epoch: Int

    init(sql: String, profile: StatementProfile, isExplanation: Bool, epoch: Int) {
        (self.sql, self.profile, self.epoch) = (sql, profile, epoch)
        operation = isExplanation ? "EXPLAIN" : profile.operation
        tableName = profile.tableName
    }
}
