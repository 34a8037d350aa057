// What a plan does for a row that may not exist: updates and deletions by key.

extension PersistencePlan {
    /// Runs an update or a deletion of one row.
    ///
    /// - Returns: nil if it finds no row.
    func runUpdate(_ db: Database, _ container: PersistenceContainer) throws -> Void? {
        if try lacksKey(container) || isMissingFromView(db, container) { return nil }
        try run(db, container)
        // The triggers of a view make the changes, which SQLite does not count.
        return isOnView || db.changesCount > 0 ? () : nil
    }

    /// Runs an update of one row.
    ///
    /// - Returns: nil if it finds no row.
    func updateRow(_ db: Database, _ container: PersistenceContainer) throws -> Void? {
        try runUpdate(db, container) != nil || wasIgnored(db, container) ? () : nil
    }

    /// Whether an update that changed no row found one because a trigger called `RAISE(IGNORE)`.
    func wasIgnored(_ db: Database, _ container: PersistenceContainer) throws -> Bool {
        guard !lacksKey(container) else { return false }
        return try db.definitionWords().ignoring.contains(table.name.foldedDatabaseName) && db.hasRow(self, container)
    }

    /// Runs an update of one row and calls the user's closure with its statement.
    ///
    /// - Returns: nil if it finds no row.
    func fetchUpdated<T>(
        _ db: Database, _ container: PersistenceContainer, _ fetch: (Statement) throws -> T
    ) throws -> T? {
        if try lacksKey(container) || isMissingFromView(db, container) { return nil }
        let changesCount = db.totalChangesCount
        let value = try self.fetch(db, container, fetch)
        return try isOnView || db.totalChangesCount != changesCount || wasIgnored(db, container) ? .some(value) : .none
    }

    private func isMissingFromView(_ db: Database, _ container: PersistenceContainer) throws -> Bool {
        try isOnView && !db.hasRow(self, container)
    }
}

extension Database {
    /// Whether the view contains the row of a plan.
    func hasRow(_ plan: PersistencePlan, _ container: PersistenceContainer) throws -> Bool {
        let exists = try planStatement { $0.writeExists(table: plan.table, keyColumns: plan.primaryKey.columns) }
        let use = try connection.use(exists.sql)
        let key = plan.primaryKey.columns.map { container.value(forColumn: $0) ?? .null }
        return try Bool.fetchOne(use.statement, arguments: StatementArguments(values: key)) ?? false
    }
}
