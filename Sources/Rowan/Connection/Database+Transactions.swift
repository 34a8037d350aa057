// Transactions and savepoints. Begin, commit and rollback are cached statements. A transaction that SQLite rolls
// back by itself (a full disk, ON CONFLICT ROLLBACK) is noticed: what follows in it is refused, until it is closed.

import CSQLite
import Synchronization
public import Foundation

/// The statements of transactions, prepared once.
package struct TransactionStart {
    var deferred: Statement?
    var immediate: Statement?
    var commit: Statement?
    var rollback: Statement?
    /// The date of a transaction, and which.
    var date: (number: Int, date: Date)?
}

/// The callbacks that wait for the end of the transaction.
package struct TransactionEnd {
    typealias Callback = @Sendable (Database) -> Void
    var callbacks: [(onCommit: Callback, onRollback: Callback)] = []
    var isInstalled = false
    /// False once SQLite has told of a rollback.
    var didCommit = true
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
    /// - Parameter kind: by default immediate, deferred for a read-only connection.
    /// - Throws: the error of the operations, after a rollback; the error of the commit, after a rollback;
    ///   SQLITE_ABORT if SQLite had rolled the transaction back by itself, and the operations ask to commit it.
    public func inTransaction(
        _ kind: TransactionKind? = nil, _ operations: () throws -> TransactionCompletion
    ) throws {
        _ = try transaction(kind, completion: { $0 }, operations)
    }

    /// The one body of all transactions. No tuple, no Result: their metadata would be looked up at each access
    /// (benchmark point-read-pool).
    ///
    /// - Parameter completion: whether the result of the operations commits, as it does by default.
    package func transaction<T>(
        _ kind: TransactionKind?, completion: (T) -> TransactionCompletion = { _ in .commit },
        _ operations: () throws -> T
    ) throws -> T {
        try beginTransaction(kind)
        let result: T
        do {
            result = try operations()
            if completion(result) == .commit {
                try commitTransaction()
                return result
            }
        } catch {
            rollbackIgnoringErrors()
            throw error
        }
        try endRolledBackTransaction()
        return result
    }

    /// Commits, unless SQLite has rolled back by itself, or the operations have ended the transaction.
    private func commitTransaction() throws {
        if connection.isTransactionAborted {
            throw DatabaseError(resultCode: .SQLITE_ABORT, message: "the transaction was rolled back by SQLite")
        }
        if connection.isCancelled.load(ordering: .relaxed) { throw CancellationError() }
        if connection.isInsideTransaction { try commit() }
        connection.isInManagedTransaction = false
    }

    private func endRolledBackTransaction() throws {
        defer { closeManagedTransaction() }
        if connection.isInsideTransaction { try rollback() }
    }

    package func rollbackIgnoringErrors() {
        // The first error is the one that matters. A failed rollback leaves a transaction that the end of the
        // access notices.
        if connection.isInsideTransaction { try? rollback() }
        closeManagedTransaction()
    }

    private func closeManagedTransaction() {
        connection.isTransactionAborted = false
        connection.isInManagedTransaction = false
    }

    /// Begins a transaction.
    ///
    /// - Parameter kind: by default immediate, deferred for a read-only connection.
    public func beginTransaction(_ kind: TransactionKind? = nil) throws {
        let isReadOnly = configuration.readonly || connection.readOnlyDepth > 0
        switch kind ?? (isReadOnly ? .deferred : .immediate) {
        case .deferred:
            try prepared(transactionStart.deferred, "BEGIN DEFERRED TRANSACTION") {
                transactionStart.deferred = $0
            }
        case .immediate:
            try prepared(transactionStart.immediate, "BEGIN IMMEDIATE TRANSACTION") {
                transactionStart.immediate = $0
            }
        case .exclusive: try cachedStatement(sql: "BEGIN EXCLUSIVE TRANSACTION").execute()
        }
        connection.isInManagedTransaction = true
        if !isReadOnly { try checkForeignSchemaChanges() }
    }

    /// Commits the transaction.
    public func commit() throws {
        try prepared(transactionStart.commit, "COMMIT TRANSACTION") { transactionStart.commit = $0 }
    }

    /// Rolls the transaction back. Does nothing when there is none: SQLite may have rolled it back by itself.
    public func rollback() throws {
        defer { closeManagedTransaction() }
        guard connection.isInsideTransaction else { return }
        try prepared(transactionStart.rollback, "ROLLBACK TRANSACTION") { transactionStart.rollback = $0 }
    }

    /// Runs a statement that is prepared once.
    private func prepared(_ statement: Statement?, _ sql: String, _ keep: (Statement) -> Void) throws {
        if let statement { return try statement.runToEnd() }
        let statement = try makeStatement(sql: sql)
        keep(statement)
        try statement.runToEnd()
    }

    /// Runs the operations in a savepoint: a transaction when there is none yet, else a part of the current one
    /// that rolls back alone.
    ///
    /// ```swift
    /// try db.inSavepoint {
    ///     try player.insert(db)
    ///     return .commit
    /// }
    /// ```
    ///
    /// Source: <https://sqlite.org/lang_savepoint.html>
    public func inSavepoint(_ operations: () throws -> TransactionCompletion) throws {
        guard connection.isInsideTransaction else { return try inTransaction(nil, operations) }
        try cachedStatement(sql: "SAVEPOINT rowan").execute()
        let completion: TransactionCompletion
        do {
            completion = try operations()
            if completion == .commit {
                try connection.check(aborted: "RELEASE SAVEPOINT rowan")
                try cachedStatement(sql: "RELEASE SAVEPOINT rowan").execute()
            }
        } catch {
            try? rollbackSavepoint()
            throw error
        }
        if completion == .rollback { try rollbackSavepoint() }
    }

    private func rollbackSavepoint() throws {
        guard connection.isInsideTransaction else { return }
        try cachedStatement(sql: "ROLLBACK TRANSACTION TO SAVEPOINT rowan").execute()
        try cachedStatement(sql: "RELEASE SAVEPOINT rowan").execute()
    }

    /// The date of the current transaction, the same at each call in it.
    ///
    /// - Throws: SQLITE_MISUSE outside of a transaction, and the error of the clock.
    public var transactionDate: Date {
        get throws {
            guard connection.isInsideTransaction else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "there is no transaction, hence no transaction date")
            }
            let number = connection.transactionNumber
            if let known = transactionStart.date, known.number == number { return known.date }
            let date = try configuration.transactionClock.now(self)
            transactionStart.date = (number, date)
            return date
        }
    }

    /// Registers callbacks for the end of the current transaction. Outside of a transaction, `onCommit` is called
    /// at once.
    ///
    /// ```swift
    /// func willDelete(_ db: Database) throws {
    ///     db.afterNextTransaction { _ in try? FileManager.default.removeItem(at: url) }
    /// }
    /// ```
    public func afterNextTransaction(
        onCommit: @escaping @Sendable (Database) -> Void,
        onRollback: @escaping @Sendable (Database) -> Void = { _ in }
    ) {
        guard connection.isInsideTransaction else { return onCommit(self) }
        installTransactionHooks()
        transactionEnd.callbacks.append((onCommit, onRollback))
    }

    private func installTransactionHooks() {
        guard !transactionEnd.isInstalled, let pointer = connection.pointer else { return }
        transactionEnd.isInstalled = true
        connection.transactionDidEnd = { [unowned self] in notifyTransactionEnd() }
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_commit_hook(
            pointer,
            { context in
                let db = Unmanaged<Database>.fromOpaque(context!).takeUnretainedValue()
                db.transactionEnd.didCommit = true
                db.connection.hasPendingTransactionEnd = true
                return 0
            }, context)
        sqlite3_rollback_hook(
            pointer,
            { context in
                let db = Unmanaged<Database>.fromOpaque(context!).takeUnretainedValue()
                db.transactionEnd.didCommit = false
                db.connection.hasPendingTransactionEnd = true
            }, context)
    }

    /// The statement that ended the transaction is over. A commit that failed has not ended it.
    private func notifyTransactionEnd() {
        connection.hasPendingTransactionEnd = false
        guard !connection.isInsideTransaction else { return }
        let didCommit = transactionEnd.didCommit
        let callbacks = transactionEnd.callbacks
        transactionEnd.callbacks = []
        transactionEnd.didCommit = true
        for callback in callbacks {
            if didCommit { callback.onCommit(self) } else { callback.onRollback(self) }
        }
    }

    /// Drops what is known of the schema if another connection has changed it.
    private func checkForeignSchemaChanges() throws {
        var version: UInt32 = 0
        guard let pointer = connection.pointer,
            sqlite3_file_control(pointer, "main", SQLITE_FCNTL_DATA_VERSION, &version) == SQLITE_OK,
            version != dataVersion
        else { return }
        dataVersion = version
        let schemaVersion = try schemaVersion()
        if schemaVersion != knownSchemaVersion {
            knownSchemaVersion = schemaVersion
            connection.schemaGeneration &+= 1
        }
    }

    /// The version of the schema, which moves with each change. <https://sqlite.org/pragma.html#pragma_schema_version>
    public func schemaVersion() throws -> Int32 {
        let statement = try cachedStatement(sql: "PRAGMA schema_version")
        try statement.start()
        defer { statement.reset() }
        guard try statement.firstStep() else { return 0 }
        return sqlite3_column_int(statement.sqliteStatement, 0)
    }
}
