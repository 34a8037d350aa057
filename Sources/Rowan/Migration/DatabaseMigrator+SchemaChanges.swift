// The schema that the migrations create today, compared with the real one.

extension DatabaseMigrator {
    /// Whether the definition of the migrations that have run has changed: one of them is not registered any more, or
    /// they would create another schema today.
    ///
    /// The schemas are compared as SQL reads them: spaces, comments and the case of words make no difference.
    ///
    /// - Throws: a ``DatabaseError``, or the error of a migration.
    /// - Complexity: runs the migrations that have run, on an empty database in memory.
    public func hasSchemaChanges(_ db: Database) throws -> Bool {
        if try hasBeenSuperseded(db) { return true }
        return try !schemaDifferences(db).isEmpty
    }

    /// The differences between the schema of the database, and the one that the migrations that have run create in an
    /// empty database: tables, indexes, views and triggers that are missing, that no migration creates, or that differ.
    ///
    /// ```swift
    /// for difference in try dbQueue.read(migrator.schemaDifferences) {
    ///     print(difference)   // table player: the column score is missing
    /// }
    /// ```
    ///
    /// A migration that is not registered any more creates nothing: what it has created is reported.
    ///
    /// - Throws: a ``DatabaseError``, or the error of a migration.
    /// - Complexity: runs the migrations that have run, on an empty database in memory.
    public func schemaDifferences(_ db: Database) throws -> [SchemaDifference] {
        let applied = try AppliedMigrations(db)
        // Until the migration that merges them has run, merged migrations can't be repeated.
        let isMerging = registered.contains { migration in
            !applied.contains(migration) && !migration.mergedIdentifiers.isDisjoint(with: applied.identifiers)
        }
        if isMerging { return [] }
        let current = try SchemaSnapshot(db, excluding: AppliedMigrations.owns)
        let expected = try freshSchema(registered.filter(applied.contains), db.configuration)
        return current.differences(from: expected)
    }

    /// The schema that migrations create in an empty database.
    private func freshSchema(_ migrations: [Migration], _ configuration: Configuration) throws -> SchemaSnapshot {
        let queue = try DatabaseQueue(configuration: configuration.forScratchDatabase)
        return try queue.writeWithoutTransaction { db in
            for migration in migrations { try migration.run(db) }
            return try SchemaSnapshot(db, excluding: AppliedMigrations.owns)
        }
    }
}

extension Configuration {
    /// The same configuration, for a database that the migrator creates and deletes.
    var forScratchDatabase: Configuration {
        var configuration = self
        configuration.readonly = false
        configuration.journalMode = .default
        configuration.targetQueue = nil
        configuration.writeTargetQueue = nil
        configuration.observesSuspensionNotifications = false
        return configuration
    }
}
