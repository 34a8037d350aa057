// The publishers of accesses and migrations.

#if canImport(Combine)
public import Combine
public import Dispatch

extension DatabaseReader {
    /// A publisher that reads a value and completes.
    ///
    /// ```swift
    /// let cancellable = dbQueue.readPublisher { db in
    ///     try Player.fetchAll(db)
    /// }
    /// .sink { completion in … } receiveValue: { players in print(players) }
    /// ```
    ///
    /// It completes with the error of the closure, or with SQLITE_READONLY for a write.
    ///
    /// - Parameters:
    ///   - scheduler: where the subscriber receives the value; by default, the main queue.
    ///   - value: the read, which runs in a transaction.
    @preconcurrency
    public func readPublisher<Output: Sendable>(
        receiveOn scheduler: some Combine.Scheduler = DispatchQueue.main,
        value: @escaping @Sendable (Database) throws -> Output
    ) -> DatabasePublishers.Read<Output> {
        DatabasePublishers.Read(schedule: AccessSchedule(scheduler)) { completion in
            self.asyncRead { db in completion(Result { try value(db.get()) }) }
        }
    }
}

extension DatabaseWriter {
    /// A publisher that writes in a transaction, publishes the result and completes.
    ///
    /// ```swift
    /// let cancellable = dbQueue.writePublisher { db in
    ///     try player.insert(db)
    ///     return try Player.fetchCount(db)
    /// }
    /// .sink { completion in … } receiveValue: { count in print("\(count) players") }
    /// ```
    ///
    /// It completes with the error of the closure or of the commit.
    ///
    /// - Parameters:
    ///   - scheduler: where the subscriber receives the value; by default, the main queue.
    ///   - updates: the write, which runs in a transaction.
    @preconcurrency
    public func writePublisher<Output: Sendable>(
        receiveOn scheduler: some Combine.Scheduler = DispatchQueue.main,
        updates: @escaping @Sendable (Database) throws -> Output
    ) -> DatabasePublishers.Write<Output> {
        DatabasePublishers.Write(schedule: AccessSchedule(scheduler)) { completion in
            self.asyncWrite(updates) { _, result in completion(result) }
        }
    }

    /// A publisher that writes in a transaction, reads what it has committed, publishes the result and completes.
    ///
    /// ```swift
    /// let publisher = dbPool.writePublisher(
    ///     updates: { db in try player.insert(db) },
    ///     thenRead: { db, _ in try Player.fetchCount(db) })
    /// ```
    ///
    /// In a pool, other writes don't wait for the read, which doesn't see them.
    ///
    /// - Parameters:
    ///   - scheduler: where the subscriber receives the value; by default, the main queue.
    ///   - updates: the write, which runs in a transaction.
    ///   - value: the read. It receives the result of `updates`.
    @preconcurrency
    public func writePublisher<Updated: Sendable, Output: Sendable>(
        receiveOn scheduler: some Combine.Scheduler = DispatchQueue.main,
        updates: @escaping @Sendable (Database) throws -> Updated,
        thenRead value: @escaping @Sendable (Database, Updated) throws -> Output
    ) -> DatabasePublishers.Write<Output> {
        DatabasePublishers.Write(schedule: AccessSchedule(scheduler)) { completion in
            self.asyncWriteWithoutTransaction { db in
                do {
                    let updated = try db.transaction(nil) { try updates(db) }
                    self.spawnConcurrentRead { db in completion(Result { try value(db.get(), updated) }) }
                } catch {
                    completion(.failure(error))
                }
            }
        }
    }
}

extension DatabaseMigrator {
    /// A publisher that runs the migrations that have not run and completes.
    ///
    /// ```swift
    /// let cancellable = migrator.migratePublisher(dbQueue)
    ///     .sink { completion in … } receiveValue: { print("the database is ready") }
    /// ```
    ///
    /// It completes with the error of the first migration that fails.
    ///
    /// - Parameters:
    ///   - writer: a queue or a pool.
    ///   - scheduler: where the subscriber receives the completion; by default, the main queue.
    public func migratePublisher(
        _ writer: any DatabaseWriter, receiveOn scheduler: some Combine.Scheduler = DispatchQueue.main
    ) -> DatabasePublishers.Migrate {
        DatabasePublishers.Migrate(schedule: AccessSchedule(scheduler)) { completion in
            asyncMigrate(writer) { result in completion(result.map { _ in () }) }
        }
    }
}
#endif
