// Transactions and savepoints. TransactionState, which follows SQLite, records whether a transaction is open and may be
// committed. This file defines how transactions begin and end, even after errors: if a rollback fails, it is retried
// without the running statements. If it fails again, the transaction can't be committed.

public import RowanPlatform
import Synchronization

/// The statements of transactions. They don't depend on the schema.
struct TransactionStatements {
    let deferred = PreparedSQL("BEGIN DEFERRED TRANSACTION", ignoresSchema: true)
    let immediate = PreparedSQL("BEGIN IMMEDIATE TRANSACTION", ignoresSchema: true)
    let commit = PreparedSQL("COMMIT TRANSACTION", ignoresSchema: true)
    let rollback = PreparedSQL("ROLLBACK TRANSACTION", ignoresSchema: true)
}

extension Database {
    /// Runs the operations in a transaction.
    ///
    /// ```swift
    /// // BEGIN IMMEDIATE TRANSACTION; ...; COMMIT TRANSACTION
    /// try db.inTransaction {
    ///     try player.insert(db)
    ///     return .commit
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - kind: the kind; by default, immediate, or deferred on a read-only connection.
    ///   - operations: a closure that runs in the transaction and returns its completion.
    /// - Throws: the error of the operations or the commit, after a rollback. SQLITE_ABORT if the operations request a
    ///   commit but the transaction has already been rolled back, by SQLite or by one of their statements; or if they
    ///   request a rollback but a statement has committed it.
    @inline(never)
    public func inTransaction(
        _ kind: TransactionKind? = nil, _ operations: () throws -> TransactionCompletion
    ) throws {
        _ = try transaction(kind, completion: { $0 }, operations)
    }

    /// The implementation of all transactions. It uses no tuple and no Result, because their metadata would be looked
    /// up at each access (benchmark point-read-pool).
    ///
    /// - Parameter completion: whether to commit for a result of the operations; nil to commit for any result.
    package func transaction<T>(
        _ kind: TransactionKind?, completion: ((T) -> TransactionCompletion)? = nil, _ operations: () throws -> T
    ) throws -> T {
        let outer = connection.transaction
        try begin(kind, owner: .scope)
        defer { connection.transaction.endScope(outer: outer) }
        let result: T
        do {
            result = try operations()
            connection.transaction.isScopeEnding = true
            if completion.map({ $0(result) }) ?? .commit == .commit {
                try commitScope()
                return result
            }
        } catch {
            connection.transaction.isScopeEnding = true
            // The first error takes precedence. If the rollback fails, the transaction can't be committed and is rolled
            // back when the access finishes.
            try? rollback()
            throw error
        }
        try rollbackScope()
        return result
    }

    /// Commits the transaction of a scope, unless its operations have committed it.
    private func commitScope() throws {
        // A read has nothing to lose: its results remain valid if the task is cancelled in the meantime.
        if connection.mustStop, connection.readOnlyDepth == 0 { throw CancellationError() }
        if connection.transaction.phase != .ended(.committed) { try commit() }
    }

    /// Rolls back the transaction of a scope, unless its operations have rolled it back.
    private func rollbackScope() throws {
        try refuseRollbackOfCommit()
        try rollback()
    }

    /// - Throws: SQLITE_ABORT if the operations of a scope have committed the transaction that the scope must roll
    ///   back.
    private func refuseRollbackOfCommit() throws {
        guard connection.transaction.phase == .ended(.committed) else { return }
        throw DatabaseError(
            resultCode: .SQLITE_ABORT,
            message: "the transaction was committed by a statement in it, and can't be rolled back: "
                + "commit or roll back only with the result of the closure")
    }

    /// Begins a transaction.
    ///
    /// - Parameter kind: by default, immediate; deferred on a read-only connection.
    public func beginTransaction(_ kind: TransactionKind? = nil) throws { try begin(kind, owner: .program) }

    private func begin(_ kind: TransactionKind?, owner: TransactionState.Owner) throws {
        let isReadOnly = configuration.readonly || connection.readOnlyDepth > 0
        try connection.compile(transactionStatements.rollback)
        switch kind ?? (isReadOnly ? .deferred : .immediate) {
        case .deferred:
            try run(transactionStatements.deferred)
        case .immediate:
            try run(transactionStatements.immediate)
        case .exclusive: try connection.run("BEGIN EXCLUSIVE TRANSACTION")
        }
        if !isReadOnly {
            noteOtherWriters()
            connection.checkForeignCommits()
        }
        connection.transaction.begin(owner: owner, epoch: connection.schemaEpoch)
    }

    /// Commits the transaction.
    ///
    /// - Throws: SQLite's error, which leaves the transaction open; SQLITE_ABORT if the transaction has been or must be
    ///   rolled back.
    public func commit() throws {
        if connection.transaction.phase != .open, let refusal = connection.transaction.refusal(of: .commit) {
            connection.transaction.acknowledge()
            throw DatabaseError(resultCode: .SQLITE_ABORT, message: refusal)
        }
        try run(transactionStatements.commit)
    }

    /// Rolls back the transaction. Does nothing if no transaction is open, because SQLite may have rolled it back
    /// itself.
    ///
    /// - Throws: SQLite's error; the transaction can then only be rolled back.
    public func rollback() throws {
        try connection.refuseEndOfKeptTransaction(.rollback)
        defer { connection.transaction.acknowledge() }
        guard connection.isInsideTransaction else { return }
        try insisting { try run(transactionStatements.rollback) }
    }

    /// Runs a rollback. If it fails, retries it without the running statements, because an interrupted statement blocks
    /// others.
    ///
    /// - Throws: the second error; the transaction then can't be committed.
    private func insisting(_ rollback: () throws -> Void) throws {
        // The second attempt determines the error, unless the transaction was lost with a remote database: the first
        // error then gives the reason.
        do { return try rollback() } catch {
            if connection.abilities.losesTransactions, !connection.isInsideTransaction { throw error }
            connection.resetRunningStatements()
        }
        do { try rollback() } catch {
            connection.transaction.condemn()
            throw error
        }
    }

    private func run(_ sql: PreparedSQL) throws {
        let use = try connection.use(sql)
        try use.statement.runToEnd()
    }

    /// Runs the operations in a savepoint. Outside a transaction, the savepoint is itself a transaction. Otherwise, it
    /// is a part of the current transaction that can be rolled back separately.
    ///
    /// ```swift
    /// try db.inSavepoint {
    ///     try player.insert(db)
    ///     return .commit
    /// }
    /// ```
    ///
    /// - Throws: the error of the operations, after a rollback of the savepoint; SQLite's error; SQLITE_ABORT if the
    ///   operations request a rollback but have committed the transaction.
    ///
    /// Source: <https://sqlite.org/lang_savepoint.html>
    public func inSavepoint(_ operations: () throws -> TransactionCompletion) throws {
        guard connection.isInsideTransaction else { return try inTransaction(nil, operations) }
        try connection.withoutScope { try connection.run("SAVEPOINT rowan") }
        let outer = connection.transaction
        connection.transaction.beginSavepoint()
        defer { connection.transaction.endSavepoint(outer: outer) }
        let completion: TransactionCompletion
        do {
            completion = try operations()
            if completion == .commit {
                try connection.withoutScope { try connection.run("RELEASE SAVEPOINT rowan") }
            }
        } catch {
            // The first error takes precedence. If the rollback fails, the whole transaction fails.
            try? rollbackSavepoint()
            throw error
        }
        guard completion == .rollback else { return }
        try refuseRollbackOfCommit()
        try rollbackSavepoint()
    }

    private func rollbackSavepoint() throws {
        guard connection.isInsideTransaction else { return }
        try insisting { try connection.withoutScope { try connection.run("ROLLBACK TRANSACTION TO SAVEPOINT rowan") } }
        try insisting { try connection.withoutScope { try connection.run("RELEASE SAVEPOINT rowan") } }
    }

    /// The date of the current transaction, constant during the transaction. Outside a transaction, the current date.
    ///
    /// - Throws: the clock's error.
    public var transactionDate: Date {
        get throws {
            guard connection.isInsideTransaction else { return try configuration.transactionClock.now(self) }
            let number = connection.transaction.number
            if let known = knownTransactionDate, known.number == number { return known.date }
            let date = try configuration.transactionClock.now(self)
            knownTransactionDate = (number, date)
            return date
        }
    }

    /// The version of the schema, which changes with the schema. <https://sqlite.org/pragma.html#pragma_schema_version>
    public func schemaVersion() throws -> Int32 {
        let row = try Row.rows(connection, "PRAGMA schema_version").first
        return row?[0] ?? 0
    }
}
