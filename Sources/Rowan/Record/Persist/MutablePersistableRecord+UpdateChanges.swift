// Updates of the changed columns. `@inlinable`, because records are encoded in the user's module: benchmark
// update-changes.

extension MutablePersistableRecord {
    /// Updates the columns whose values differ from those of another record. Without differences, the database is not
    /// accessed.
    ///
    /// If the other record does not store a column, its value is unknown: the column is updated, even to `NULL`.
    /// Columns that only the other record stores are not updated.
    ///
    /// - Returns: whether the row was updated.
    /// - Throws: a ``RecordError`` if no row has the primary key.
    @discardableResult
    @inlinable
    public func updateChanges<Record: MutablePersistableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, from record: Record
    ) throws -> Bool {
        var previous = try db.stored(record, db.storedColumns(of: type(of: record)))
        return try updateChanges(db, conflictResolution, &previous)
    }

    /// Changes the record and updates the changed columns. Without changes, the database is not accessed.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score"=? WHERE "id"=?
    /// try player.updateChanges(db) { $0.score += 10 }
    /// ```
    ///
    /// - Returns: whether the row was updated.
    /// - Throws: a ``RecordError`` if no row has the primary key.
    @discardableResult
    @inlinable
    public mutating func updateChanges(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        modify: (inout Self) throws -> Void
    ) throws -> Bool {
        var previous = try db.stored(self, db.storedColumns(of: type(of: self)))
        try modify(&self)
        return try updateChanges(db, conflictResolution, &previous)
    }

    /// Updates the columns whose values differ from the previous ones.
    ///
    /// - Parameter previous: the previous values, which are consumed.
    @inlinable
    func updateChanges(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, _ previous: inout PersistenceContainer
    ) throws -> Bool {
        guard let changes = try changes(db, from: &previous) else { return false }
        try update(db, .update(conflictResolution, changes))
        return true
    }

    /// The columns whose values differ from the previous ones; nil if all values are equal.
    ///
    /// - Parameter previous: the previous values, which are consumed.
    @inlinable
    func changes(_ db: Database, from previous: inout PersistenceContainer) throws -> ChangedColumns? {
        let columns = db.storedColumns(of: type(of: self))
        var current = try db.stored(self, columns)
        let changes = columns.changes(current, from: previous)
        columns.recycle(&current)
        columns.recycle(&previous)
        return changes
    }
}
