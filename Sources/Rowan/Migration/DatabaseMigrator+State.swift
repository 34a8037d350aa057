// The migrations that have run. Read-only connections can also use these methods.

extension DatabaseMigrator {
    /// The identifiers of the registered migrations that have run, in registration order.
    ///
    /// ```swift
    /// let applied = try dbQueue.read(migrator.appliedMigrations)
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    public func appliedMigrations(_ db: Database) throws -> [String] {
        let applied = try AppliedMigrations(db)
        return registered.filter(applied.contains).map(\.identifier)
    }

    /// The identifiers of all migrations that have run, registered or not.
    ///
    /// - Throws: a ``DatabaseError``.
    public func appliedIdentifiers(_ db: Database) throws -> Set<String> { try AppliedMigrations(db).identifiers }

    /// The identifiers of the registered migrations that have run and before which no registered migration is missing,
    /// in registration order.
    ///
    /// - Throws: a ``DatabaseError``.
    public func completedMigrations(_ db: Database) throws -> [String] {
        let applied = try AppliedMigrations(db)
        return registered.prefix(while: applied.contains).map(\.identifier)
    }

    /// Whether all registered migrations have run. If not, the database is too old for the program.
    ///
    /// - Throws: a ``DatabaseError``.
    public func hasCompletedMigrations(_ db: Database) throws -> Bool {
        try completedMigrations(db).count == registered.count
    }

    /// Whether a migration has run that is unknown to this migrator. If so, the database is too new for the program.
    ///
    /// - Throws: a ``DatabaseError``.
    public func hasBeenSuperseded(_ db: Database) throws -> Bool {
        try !appliedIdentifiers(db).isSubset(of: knownIdentifiers)
    }

    /// The identifiers of the registered migrations that have run and whose SQL was edited since, in registration order.
    ///
    /// ```swift
    /// let edited = try dbQueue.read(migrator.editedMigrations)
    /// ```
    ///
    /// Only migrations in SQL have checksums: see ``registerMigration(_:foreignKeyChecks:sql:)``.
    ///
    /// - Throws: a ``DatabaseError``.
    public func editedMigrations(_ db: Database) throws -> [String] { try AppliedMigrations.edited(registered, db) }

    /// The identifiers of the migrations that have not run although a later one has: they were inserted instead of
    /// appended, so a new database runs them in another order. Migrations that merge others are not among them.
    ///
    /// ```swift
    /// let inserted = try dbQueue.read(migrator.insertedMigrations)
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    public func insertedMigrations(_ db: Database) throws -> [String] {
        try inserted(AppliedMigrations(db)).identifiers
    }

    /// The inserted migrations, and the last one that has run.
    func inserted(_ applied: AppliedMigrations) -> (identifiers: [String], last: String) {
        guard let last = registered.lastIndex(where: { applied.contains($0) }) else { return ([], "") }
        var identifiers: [String] = []
        for migration in registered[..<last] where migration.mergedIdentifiers.isEmpty {
            if !applied.contains(migration) { identifiers.append(migration.identifier) }
        }
        return (identifiers, registered[last].identifier)
    }

    /// The identifiers of the registered migrations and of those that they merge.
    private var knownIdentifiers: Set<String> {
        registered.reduce(into: Set(migrations)) { $0.formUnion($1.mergedIdentifiers) }
    }
}
