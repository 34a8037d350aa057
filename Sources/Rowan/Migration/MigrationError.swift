// Errors of the migrator itself. Errors of migrations are rethrown unchanged.

/// An error of a ``DatabaseMigrator``.
///
/// Article: <doc:LongMigrations>.
public enum MigrationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The target of a migration is not registered.
    case unknownTarget(String)
    /// The database is already migrated beyond the target. Migrations only run forward.
    case migratedBeyond(target: String, applied: String)
    /// The SQL of migrations that have run has changed.
    case edited([String])
    /// ``DatabaseMigrator/strict``: migrations were inserted before one that has already run.
    case inserted([String], before: String)
    /// ``DatabaseMigrator/strict``: the migrations that have run would create another schema today. The migrations that
    /// define what differs are among those that were edited.
    case schemaChanged([SchemaDifference], migrations: [String])

    /// What happened and what to do.
    public var description: String {
        switch self {
        case .unknownTarget(let target):
            "no migration \"\(target)\" is registered: migrate up to one of the migrator's migrations"
        case .migratedBeyond(let target, let applied):
            "the database is already migrated beyond \"\(target)\", up to \"\(applied)\": migrations only run forward"
        case .edited(let identifiers):
            "the SQL of migrations that have run was edited: \(identifiers.joined(separator: ", ")). "
                + "Restore it, and make the change in a new migration"
        case .inserted(let identifiers, let last):
            """
            migrations were inserted before "\(last)", which has already run: \(identifiers.joined(separator: ", ")). A \
            new database would run them in another order: append them
            """
        case .schemaChanged(let differences, let migrations):
            Self.description(differences, migrations)
        }
    }

    private static func description(_ differences: [SchemaDifference], _ migrations: [String]) -> String {
        var text = "the migrations that have run would create another schema today: "
        text += differences.map(\.description).joined(separator: "; ")
        if !migrations.isEmpty { text += ". One of these was edited: \(migrations.joined(separator: ", "))" }
        return text
    }
}
