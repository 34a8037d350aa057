// Foreign keys, checked only where a migration may have violated them. What a migration changes comes from the profiles
// of the statements that it compiles.

extension Database {
    /// Runs the closure, and checks the foreign keys of the tables that it may have changed, and of those that refer to
    /// them.
    func checkForeignKeysOfChangedTables(_ body: () throws -> Void) throws {
        let known = Set(try tables().map(\.folded))
        releaseStatements()
        let profile = try connection.collectingProfiles(body)
        var changed = profile.changedTables
        // The new name of a renamed table is in no profile.
        let current = try tables()
        for table in current where !known.contains(table.folded) { changed.insert(table.folded) }
        for table in current where try isCheckNeeded(table, changed) {
            try checkForeignKeys(in: table.name, in: table.schemaID.name)
        }
    }

    private func isCheckNeeded(_ table: DatabaseObjectID, _ changed: Set<DatabaseObjectID>) throws -> Bool {
        // Read anew: a foreign key without columns may refer to a table that does not exist any more.
        let schema = table.schemaID.name
        let sql = "PRAGMA \(schema.quotedDatabaseIdentifier).foreign_key_list(\(table.name.quotedDatabaseIdentifier))"
        let parents = try Row.fetchAll(self, sql: sql).map {
            DatabaseObjectID(name: $0["table"], schemaID: table.schemaID).folded
        }
        return !parents.isEmpty && (changed.contains(table.folded) || parents.contains(where: changed.contains))
    }
}

extension DatabaseObjectID {
    /// The same table, however its names are spelled.
    fileprivate var folded: DatabaseObjectID {
        DatabaseObjectID(
            name: name.foldedDatabaseName, schemaID: DatabaseSchemaID(name: schemaID.name.foldedDatabaseName))
    }
}

extension StatementProfile {
    /// The tables whose rows or definitions may have changed.
    fileprivate var changedTables: Set<DatabaseObjectID> {
        let written = insertions.union(deletions).union(updates.keys).map { ($0.schema, $0.name) }
        let defined = schemaChanges.filter { $0.kind == .table }.map { ($0.schema, $0.name) }
        return Set((written + defined).map { DatabaseObjectID(name: $1, schemaID: DatabaseSchemaID(name: $0)).folded })
    }
}
