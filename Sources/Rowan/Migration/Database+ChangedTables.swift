// Foreign keys, checked only where a migration may have violated them. The profiles of the statements that a migration
// compiles determine what it changes.

extension Database {
    /// Runs the closure, then checks the foreign keys of the tables that it may have changed and of those that refer to
    /// them.
    func checkForeignKeysOfChangedTables(_ body: () throws -> Void) throws {
        let known = Set(try tables(in: "main").map(\.folded))
        releaseStatements()
        let profile = try connection.collectingProfiles(body)
        // Without its unique index, the target of a foreign key is no longer a key.
        if profile.schemaChanges.contains(where: { $0.kind == .index && $0.action == .drop }) {
            return try checkForeignKeys()
        }
        var changed = profile.changedTables
        // The new name of a renamed table is not in any profile.
        let current = try tables(in: "main")
        for table in current where !known.contains(table.folded) { changed.insert(table.folded) }
        for table in current where try isCheckNeeded(table, changed) {
            try checkForeignKeys(in: table.name, in: "main")
        }
    }

    private func isCheckNeeded(_ table: DatabaseObjectID, _ changed: Set<DatabaseObjectID>) throws -> Bool {
        let parents = try parentTables(of: table.name).map { DatabaseObjectID(name: $0, schemaID: .main).folded }
        return !parents.isEmpty && (changed.contains(table.folded) || parents.contains(where: changed.contains))
    }
}

extension DatabaseObjectID {
    /// The same table, regardless of the spelling of its names.
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
