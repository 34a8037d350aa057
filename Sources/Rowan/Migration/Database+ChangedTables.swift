// Foreign keys, checked only where a migration may have violated them. What a migration changes comes from the profiles
// of the statements that it compiles.

extension Database {
    /// Runs the closure, and checks the foreign keys of the tables that it may have changed, and of those that refer to
    /// them.
    func checkForeignKeysOfChangedTables(_ body: () throws -> Void) throws {
        let known = Set(try tables(in: "main").map(\.folded))
        releaseStatements()
        let profile = try connection.collectingProfiles(body)
        // Without its unique index, a key of another table is no key any more.
        if profile.schemaChanges.contains(where: { $0.kind == .index && $0.action == .drop }) {
            return try checkForeignKeys()
        }
        var changed = profile.changedTables
        // The new name of a renamed table is in no profile.
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
