// How a record type handles constraint violations by default.

/// How INSERT and UPDATE handle constraint violations. <https://sqlite.org/lang_conflict.html>
///
/// Article: <doc:SavingAndUpserting>.
public struct PersistenceConflictPolicy: Sendable {
    /// The resolution of insertions.
    public let conflictResolutionForInsert: Database.ConflictResolution
    /// The resolution of updates.
    public let conflictResolutionForUpdate: Database.ConflictResolution

    /// Creates a policy. By default, a violation fails the statement and undoes its changes.
    public init(insert: Database.ConflictResolution = .abort, update: Database.ConflictResolution = .abort) {
        conflictResolutionForInsert = insert
        conflictResolutionForUpdate = update
    }

    /// The resolution that batch insertions write; nil for SQLite's default.
    var writtenForInsert: Database.ConflictResolution? {
        conflictResolutionForInsert == .abort ? nil : conflictResolutionForInsert
    }

    /// The resolution that batch updates write; nil for SQLite's default.
    var writtenForUpdate: Database.ConflictResolution? {
        conflictResolutionForUpdate == .abort ? nil : conflictResolutionForUpdate
    }
}
