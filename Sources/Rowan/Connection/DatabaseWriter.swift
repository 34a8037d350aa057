// Writing: the verbs exist here once, for queues, pools and erasures.

import Foundation

/// A connection, or several, that can write a database: ``DatabaseQueue``, ``DatabasePool``.
public protocol DatabaseWriter: DatabaseReader {
    /// Runs the closure while no other access of this writer is going on. Not for users.
    func _withBarrier<T>(_ body: () throws -> T) throws -> T

    /// Schedules a read of the last committed state. Call it from the writer's access, out of a transaction.
    ///
    /// ```swift
    /// try dbPool.writeWithoutTransaction { db in
    ///     try db.inTransaction { try player.insert(db); return .commit }
    ///     dbPool.spawnConcurrentRead { result in
    ///         // Sees the player, whatever is written meanwhile.
    ///         let count = try? Player.fetchCount(result.get())
    ///     }
    /// }
    /// ```
    func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)
}

extension DatabaseWriter {
    /// Writes the database, in a transaction, which is rolled back if the closure throws.
    ///
    /// ```swift
    /// // BEGIN IMMEDIATE TRANSACTION; INSERT ...; COMMIT TRANSACTION
    /// try dbQueue.write { db in try player.insert(db) }
    /// ```
    ///
    /// - Throws: the error of the closure, or of the commit; SQLITE_MISUSE for a nested access.
    @discardableResult
    public func write<T>(_ updates: (Database) throws -> T) throws -> T {
        try _route(.write).run { db in try db.transaction(nil) { try updates(db) } }
    }

    /// Writes the database, in a transaction, without blocking the thread of the task.
    ///
    /// - Throws: the error of the closure, or of the commit; `CancellationError` if the task is cancelled, after a
    ///   rollback.
    @discardableResult
    public func write<T: Sendable>(_ updates: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await _route(.write).run { db in try db.transaction(nil) { try updates(db) } }
    }

    /// Schedules a write, in a transaction.
    ///
    /// - Parameter completion: called on the same connection, after the commit or the rollback.
    public func asyncWrite<T>(
        _ updates: @escaping @Sendable (Database) throws -> T,
        completion: @escaping @Sendable (Database, Result<T, any Error>) -> Void
    ) {
        asyncWriteWithoutTransaction { db in
            completion(db, Result { try db.transaction(nil) { try updates(db) } })
        }
    }

    /// Writes the database, without transaction: each statement commits by itself.
    ///
    /// ```swift
    /// try dbQueue.writeWithoutTransaction { db in
    ///     try db.inTransaction { try player.insert(db); return .commit }
    /// }
    /// ```
    ///
    /// - Throws: the error of the closure; SQLITE_MISUSE for a nested access, on a closed connection, and for a
    ///   transaction that is left open, which is rolled back.
    @discardableResult
    public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        try _route(.write).run(updates)
    }

    /// Writes the database, without transaction, with a closure that throws no error. On a closed connection, its
    /// database refuses all statements.
    ///
    /// - Precondition: the access is not nested, and leaves no transaction open.
    @discardableResult
    public func writeWithoutTransaction<T>(_ updates: (Database) -> T) -> T {
        _route(.write).runNonthrowing(updates)
    }

    /// Writes the database, without transaction, without blocking the thread of the task.
    @discardableResult
    public func writeWithoutTransaction<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await _route(.write).run(updates)
    }

    /// Schedules a write without transaction. On a closed connection, the database of the closure refuses all
    /// statements.
    public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
        let route = _route(.write)
        route.callback { result in
            switch result {
            case .success(let db): updates(db)
            case .failure(let error):
                guard let closed = route.lane.closedDatabase else { preconditionFailure("\(error)") }
                closed.withAccess(updates)
            }
        }
    }

    /// Writes the database, without transaction, while no other access is going on.
    ///
    /// A thread that reads, and writes inside of its read, gets an error while the barrier waits for that read. Two
    /// threads that wait for each other by other means, a semaphore for instance, can't be seen, and wait for ever.
    ///
    /// - Throws: the error of the closure; SQLITE_MISUSE for a nested access, and on a closed connection.
    @discardableResult
    public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        // The writer first: its access may need a reader, for spawnConcurrentRead, which the barrier would keep from it.
        try _route(.write).run { db in try _withBarrier { try updates(db) } }
    }

    /// Writes the database, without transaction, while no other access is going on, without blocking the thread
    /// of the task.
    @discardableResult
    public func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await _route(.write).run { db in try self._withBarrier { try updates(db) } }
    }

    /// Schedules a write without transaction, while no other access is going on.
    public func asyncBarrierWriteWithoutTransaction(
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        _route(.write).callback { result in
            do {
                let db = try result.get()
                try self._withBarrier { updates(.success(db)) }
            } catch {
                updates(.failure(error))
            }
        }
    }

    /// Writes the database, without transaction, in the current access of the thread if there is one.
    ///
    /// - Throws: the error of the closure; SQLITE_MISUSE on a closed connection.
    @discardableResult
    public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) throws -> T {
        try _route(.write).runReentrant(updates)
    }

    /// Writes the database, without transaction, in the current access of the thread if there is one, with a closure
    /// that throws no error.
    @discardableResult
    public func unsafeReentrantWrite<T>(_ updates: (Database) -> T) -> T {
        _route(.write).runReentrantNonthrowing(updates)
    }

    /// Deletes all the content of the database: tables, indexes, views, triggers.
    ///
    /// Source: <https://sqlite.org/c3ref/c_dbconfig_defensive.html> (SQLITE_DBCONFIG_RESET_DATABASE)
    public func erase() throws { try barrierWriteWithoutTransaction { try $0.erase() } }

    /// Deletes all the content of the database, without blocking the thread of the task.
    public func erase() async throws { try await barrierWriteWithoutTransaction { try $0.erase() } }

    /// Rebuilds the database file. <https://sqlite.org/lang_vacuum.html>
    public func vacuum() throws { try _route(.write).run { try $0.execute(sql: "VACUUM") } }

    /// Rebuilds the database file, without blocking the thread of the task.
    public func vacuum() async throws { try await writeWithoutTransaction { try $0.execute(sql: "VACUUM") } }

    /// Writes a compact copy of the database into a file that does not exist. <https://sqlite.org/lang_vacuum.html>
    public func vacuum(into filePath: String) throws {
        try _route(.write).run { try $0.execute(sql: "VACUUM INTO ?", arguments: [filePath]) }
    }

    /// Writes a compact copy of the database into a file that does not exist, without blocking the thread of the task.
    public func vacuum(into filePath: String) async throws {
        try await writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [filePath]) }
    }

    /// Runs the closure on the connection that a backup overwrites.
    func backupDestination(_ body: (Database) throws -> Void) throws {
        try barrierWriteWithoutTransaction(body)
    }
}

extension Database {
    func erase() throws {
        let version = try schemaVersion()
        try connection.set(.resetDatabase, true)
        do { try execute(sql: "VACUUM") } catch {
            // The first error is the one that matters.
            try? connection.set(.resetDatabase, false)
            throw error
        }
        try connection.set(.resetDatabase, false)
        // The version starts anew: another connection may know an older schema under the same number.
        try execute(sql: "PRAGMA schema_version = \(version &+ 1)")
        connection.schemaDidMove()
    }
}
