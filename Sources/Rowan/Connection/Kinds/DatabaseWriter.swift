// Writing: the access methods are implemented only here, for queues, pools and type-erased writers.

/// A type that can write to a database: ``DatabaseQueue``, ``DatabasePool``.
///
/// Article: <doc:Concurrency>.
public protocol DatabaseWriter: DatabaseReader {
    /// Schedules a read of the last committed state. Call it inside an access of the writer, outside a transaction.
    ///
    /// ```swift
    /// try dbPool.writeWithoutTransaction { db in
    ///     try db.inTransaction { try player.insert(db); return .commit }
    ///     dbPool.spawnConcurrentRead { result in
    ///         // Sees the player, and no later changes.
    ///         let count = try? Player.fetchCount(result.get())
    ///     }
    /// }
    /// ```
    func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)
}

extension DatabaseWriter {
    /// Writes to the database in a transaction, which is rolled back if the closure throws an error.
    ///
    /// ```swift
    /// // BEGIN IMMEDIATE TRANSACTION; INSERT ...; COMMIT TRANSACTION
    /// try dbQueue.write { db in try player.insert(db) }
    /// ```
    ///
    /// - Throws: the error of the closure or the commit; SQLITE_MISUSE for a nested access.
    @discardableResult
    public func write<T>(_ updates: (Database) throws -> T) throws -> T {
        try _routes.write.run { db in try db.transaction(nil) { try updates(db) } }
    }

    /// Writes to the database in a transaction, without blocking the task's thread.
    ///
    /// - Throws: the error of the closure or the commit; `CancellationError`, after a rollback, if the task is
    ///   cancelled.
    @discardableResult
    public func write<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T {
        let route = _routes.write
        if configuration.groupsAsyncWrites { return try await route.lane.groupedWrites.write(in: route.lane, updates) }
        return try await route.run { db in try db.transaction(nil) { try updates(db) } }
    }

    /// Schedules a write in a transaction.
    ///
    /// - Parameters:
    ///   - updates: the write, which runs in a transaction.
    ///   - completion: a closure called on the same connection after the commit or rollback.
    public func asyncWrite<T>(
        _ updates: @escaping @Sendable (Database) throws -> T,
        completion: @escaping @Sendable (Database, Result<T, any Error>) -> Void
    ) {
        asyncWriteWithoutTransaction { db in
            completion(db, Result { try db.transaction(nil) { try updates(db) } })
        }
    }

    /// Writes to the database without a transaction: each statement commits its own changes.
    ///
    /// ```swift
    /// try dbQueue.writeWithoutTransaction { db in
    ///     try db.inTransaction { try player.insert(db); return .commit }
    /// }
    /// ```
    ///
    /// - Throws: the closure's error; SQLITE_MISUSE for a nested access, for a closed connection, and if the closure
    ///   leaves a transaction open, which is rolled back.
    @discardableResult
    public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        try _routes.write.run(updates)
    }

    /// Writes to the database without a transaction, with a closure that does not throw. On a closed connection, the
    /// closure receives a database that rejects all statements.
    ///
    /// - Precondition: the access is not nested and leaves no transaction open.
    @discardableResult
    public func writeWithoutTransaction<T>(_ updates: (Database) -> T) -> T {
        _routes.write.runNonthrowing(updates)
    }

    /// Writes to the database without a transaction and without blocking the task's thread.
    @discardableResult
    public func writeWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await _routes.write.run(updates)
    }

    /// Schedules a write without a transaction. On a closed connection, the closure receives a database that rejects
    /// all statements.
    public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
        let route = _routes.write
        route.callback { result in
            switch result {
            case .success(let db): updates(db)
            case .failure(let error):
                guard let closed = route.lane.closedDatabase else { preconditionFailure("\(error)") }
                closed.withAccess(updates)
            }
        }
    }

    /// Writes to the database without a transaction, while no other access is running.
    ///
    /// A thread that writes inside a read receives an error while the barrier waits for that read. Rowan can't detect
    /// threads that wait for each other by other means, such as a semaphore, and such threads deadlock.
    ///
    /// - Throws: the closure's error; SQLITE_MISUSE for a nested access or a closed connection.
    @discardableResult
    public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        // The writer first: its access may need a reader for spawnConcurrentRead, which the barrier would block.
        try _routes.write.run { try _routes.withBarrier($0, updates) }
    }

    /// Writes to the database while no other access is running, without blocking the task's thread.
    @discardableResult
    public func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await _routes.write.run { try self._routes.withBarrier($0, updates) }
    }

    /// Schedules a write without a transaction, while no other access is running.
    public func asyncBarrierWriteWithoutTransaction(
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        _routes.write.callback { result in
            do {
                let db = try result.get()
                try self._routes.withBarrier(db) { updates(.success($0)) }
            } catch {
                updates(.failure(error))
            }
        }
    }

    /// Writes to the database without a transaction, inside the thread's current access if there is one.
    ///
    /// - Throws: the closure's error; SQLITE_MISUSE for a closed connection.
    @discardableResult
    public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) throws -> T {
        try _routes.write.runReentrant(updates)
    }

    /// Writes to the database inside the thread's current access, with a closure that does not throw.
    @discardableResult
    public func unsafeReentrantWrite<T>(_ updates: (Database) -> T) -> T {
        _routes.write.runReentrantNonthrowing(updates)
    }

    /// Deletes the entire content of the database: tables, indexes, views, triggers.
    ///
    /// Source: <https://sqlite.org/c3ref/c_dbconfig_defensive.html> (SQLITE_DBCONFIG_RESET_DATABASE)
    public func erase() throws { try barrierWriteWithoutTransaction { try $0.erase() } }

    /// Deletes the entire content of the database without blocking the task's thread.
    public func erase() async throws { try await barrierWriteWithoutTransaction { try $0.erase() } }

    /// Rebuilds the database file and releases its unused space. <https://sqlite.org/lang_vacuum.html>
    public func vacuum() throws { try _routes.write.run { try $0.execute(sql: "VACUUM") } }

    /// Rebuilds the database file without blocking the task's thread.
    public func vacuum() async throws { try await writeWithoutTransaction { try $0.execute(sql: "VACUUM") } }

    /// Writes a compact copy of the database into a new file. <https://sqlite.org/lang_vacuum.html>
    public func vacuum(into filePath: String) throws {
        try _routes.write.run { try $0.execute(sql: "VACUUM INTO ?", arguments: [filePath]) }
    }

    /// Writes a compact copy of the database into a new file without blocking the task's thread.
    public func vacuum(into filePath: String) async throws {
        try await writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [filePath]) }
    }

    /// Runs the closure on the connection whose database a backup overwrites.
    func backupDestination(_ body: (Database) throws -> Void) throws {
        try barrierWriteWithoutTransaction(body)
    }
}

extension Database {
    /// Deletes the entire content of the database.
    package func erase() throws {
        guard connection.abilities.ownsStorage else { return try dropAll() }
        let version = try schemaVersion()
        try connection.with(.resetDatabase, true) { try execute(sql: "VACUUM") }
        try connection.insisting {
            // The schema version restarts, but another connection may have an older schema with the same version.
            try execute(sql: "PRAGMA schema_version = \(version &+ 1)")
            connection.schemaDidMove()
            try databaseWasReplaced()
        }
    }

    /// Drops all objects one by one.
    private func dropAll() throws {
        let hasForeignKeys = try Bool.fetchOne(makeStatement(sql: "PRAGMA foreign_keys")) ?? false
        try execute(sql: "PRAGMA foreign_keys = OFF")
        let result = Result {
            try inTransaction {
                // Dropping a virtual table also drops its own tables.
                let names = try Row.rows(
                    connection,
                    """
                    SELECT name, CASE type WHEN 'view' THEN 'VIEW' ELSE 'TABLE' END FROM pragma_table_list
                    WHERE schema = 'main' AND type IN ('view', 'virtual', 'table')
                        AND (name NOT GLOB 'sqlite_*' OR name GLOB 'sqlite_stat[0-9]')
                    ORDER BY type = 'table', type = 'virtual'
                    """)
                for row in names {
                    let name: String = row[0]
                    try execute(sql: "DROP \(row[1] as String) main.\(name.quotedDatabaseIdentifier)")
                }
                for number in ["user_version", "application_id"] { try execute(sql: "PRAGMA \(number) = 0") }
                return .commit
            }
        }
        // The first error takes precedence. A new session has the settings of the previous one.
        let restored = Result {
            try connection.insisting { if hasForeignKeys { try execute(sql: "PRAGMA foreign_keys = ON") } }
        }
        try result.get()
        try restored.get()
        try connection.insisting { try databaseWasReplaced() }
    }
}
