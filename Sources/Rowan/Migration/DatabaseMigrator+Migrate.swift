// Running the migrations that have not run.

extension DatabaseMigrator {
    /// Runs all migrations that have not run, in order.
    ///
    /// ```swift
    /// let dbQueue = try DatabaseQueue(path: path)
    /// try migrator.migrate(dbQueue)
    /// ```
    ///
    /// It waits for running accesses, and other accesses wait for it.
    ///
    /// - Throws: the error of the first migration that fails. The migrations before it have run, the failed one leaves
    ///   no changes, and those after it do not run. ``MigrationError/edited(_:)`` if the SQL of a migration that has
    ///   run has changed, in which case no migration runs.
    public func migrate(_ writer: any DatabaseWriter) throws {
        try writer.barrierWriteWithoutTransaction { try migrate($0, upTo: nil) }
    }

    /// Runs the migrations that have not run, up to a given one.
    ///
    /// ```swift
    /// try migrator.migrate(dbQueue, upTo: "v2")
    /// ```
    ///
    /// - Throws: the errors of ``migrate(_:)``; ``MigrationError/unknownTarget(_:)`` if the target is not registered;
    ///   ``MigrationError/migratedBeyond(target:applied:)`` if a migration after the target has run.
    public func migrate(_ writer: any DatabaseWriter, upTo targetIdentifier: String) throws {
        try writer.barrierWriteWithoutTransaction { try migrate($0, upTo: targetIdentifier) }
    }

    /// Runs the migrations that have not run, without blocking the thread of the task.
    ///
    /// ```swift
    /// try await migrator.asyncMigrate(dbPool)
    /// ```
    ///
    /// - Parameters:
    ///   - writer: a queue or a pool.
    ///   - targetIdentifier: the last migration to run; by default, the last registered one.
    /// - Throws: the errors of ``migrate(_:upTo:)``. `CancellationError` if the task is cancelled: the current
    ///   migration is rolled back, and the next ones do not run.
    public func asyncMigrate(_ writer: any DatabaseWriter, upTo targetIdentifier: String? = nil) async throws {
        try await writer.barrierWriteWithoutTransaction { try migrate($0, upTo: targetIdentifier) }
    }

    /// Schedules the migrations that have not run.
    ///
    /// - Parameters:
    ///   - writer: a queue or a pool.
    ///   - completion: a closure that is called on the connection of the migrations, with the connection or the error
    ///     of the first migration that fails.
    public func asyncMigrate(
        _ writer: any DatabaseWriter, completion: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        writer.asyncBarrierWriteWithoutTransaction { access in
            completion(
                Result {
                    let db = try access.get()
                    try migrate(db, upTo: nil)
                    return db
                })
        }
    }

    func migrate(_ db: Database, upTo target: String?) throws {
        guard !db.isInsideTransaction else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "migrations can't run inside a transaction: end it before you migrate the database")
        }
        // Reads also wait: a commit by another connection locks the whole file for a moment.
        try db.waitingForLocks(atLeast: lockTimeout) {
            // A schema source describes the tables of the current program, which older migrations don't have.
            try db.withSchemaSource(nil) { try migrateWaiting(db, upTo: target) }
        }
    }

    private func migrateWaiting(_ db: Database, upTo target: String?) throws {
        let planned = try migrations(upTo: target)
        var backup = backupPath.map { MigrationBackup(path: $0) }
        if eraseDatabaseOnSchemaChange { try eraseChangedDatabase(db, &backup) }
        let applied = try AppliedMigrations(db)
        try refuseReturn(to: target, applied)
        try AppliedMigrations.refuseEdited(registered.filter(applied.contains), db)
        try refuseInserted(applied)
        if strict { try refuseChangedSchema(applied, db) }
        try AppliedMigrations.forget(staleIdentifiers(applied), db)
        let pending = planned.filter { !applied.contains($0) }
        if !pending.isEmpty { try run(pending, db, &backup) }
    }

    private func run(_ pending: [Migration], _ db: Database, _ backup: inout MigrationBackup?) throws {
        try backup?.beforeTransaction(db)
        try ForeignKeyEnforcement.duringMigrations(db) { enforcement in
            for (index, migration) in pending.enumerated() {
                try db.reportingMigrationProgress(migration.identifier, index, pending.count, onProgress) { begin in
                    try migration.run(db, &enforcement) {
                        // If another process has run the first ones, its backup is the better one.
                        if index == 0 { try backup?.inTransaction(db) }
                        begin()
                    }
                }
            }
        }
    }

    /// The registered migrations, up to a target.
    func migrations(upTo target: String?) throws -> [Migration] {
        guard let target else { return registered }
        guard let index = registered.firstIndex(where: { $0.identifier == target }) else {
            throw MigrationError.unknownTarget(target)
        }
        return Array(registered[...index])
    }

    private func refuseReturn(to target: String?, _ applied: AppliedMigrations) throws {
        guard let target, let index = registered.firstIndex(where: { $0.identifier == target }),
            let later = registered[(index + 1)...].last(where: applied.contains)
        else { return }
        throw MigrationError.migratedBeyond(target: target, applied: later.identifier)
    }

    private func refuseInserted(_ applied: AppliedMigrations) throws {
        let (inserted, last) = inserted(applied)
        guard !inserted.isEmpty else { return }
        let error = MigrationError.inserted(inserted, before: last)
        if strict { throw error }
        Database.logError?(.SQLITE_WARNING, error.description)
    }

    private func refuseChangedSchema(_ applied: AppliedMigrations, _ db: Database) throws {
        guard registered.contains(where: { applied.contains($0) }) else { return }
        let (differences, migrations) = try schemaChanges(db)
        guard differences.isEmpty else { throw MigrationError.schemaChanged(differences, migrations: migrations) }
    }

    /// The remaining identifiers that are merged by migrations that have run.
    private func staleIdentifiers(_ applied: AppliedMigrations) -> Set<String> {
        registered.filter(applied.contains)
            .reduce(into: Set<String>()) { $0.formUnion($1.mergedIdentifiers) }
            .intersection(applied.identifiers)
            .subtracting(migrations)
    }
}
