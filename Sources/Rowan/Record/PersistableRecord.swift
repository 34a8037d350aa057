// The insertions of records that do not change: the mutating ones, on a copy.

extension PersistableRecord {
    /// Inserts the record. See ``MutablePersistableRecord/insert(_:onConflict:)``.
    public func insert(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        var record = self
        try record.insert(db, onConflict: conflictResolution)
    }

    /// Inserts the record, and returns the row as another type.
    public func insertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: T.Type
    ) throws -> T {
        var record = self
        return try record.insertAndFetch(db, onConflict: conflictResolution, as: returnedType)
    }

    /// Inserts the record, and fetches a selection of its row.
    public func insertAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        var record = self
        return try record.insertAndFetch(db, onConflict: conflictResolution, selection: selection, fetch: fetch)
    }

    /// Inserts the record, and fetches a selection of its row.
    public func insertAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        fetch: (Statement) throws -> T, select: (DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> T {
        try insertAndFetch(
            db, onConflict: conflictResolution, selection: select(Self.databaseComponents), fetch: fetch)
    }

    /// Updates the row of the record, or inserts the record. See ``MutablePersistableRecord/save(_:onConflict:)``.
    public func save(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        var record = self
        try record.save(db, onConflict: conflictResolution)
    }

    /// Saves the record, and returns the row as another type.
    public func saveAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: T.Type
    ) throws -> T {
        var record = self
        return try record.saveAndFetch(db, onConflict: conflictResolution, as: returnedType)
    }

    /// Saves the record, and fetches a selection of its row.
    public func saveAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        var record = self
        return try record.saveAndFetch(db, onConflict: conflictResolution, selection: selection, fetch: fetch)
    }

    /// Inserts the record, or updates the row that a key finds. See ``MutablePersistableRecord/upsert(_:)``.
    public func upsert(_ db: Database) throws {
        var record = self
        try record.upsert(db)
    }

    /// Inserts the record, or updates the row that a conflict finds, and returns the row as another type.
    public func upsertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, as returnedType: T.Type, onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate assignments: ((TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> T {
        var record = self
        return try record.upsertAndFetch(
            db, as: returnedType, onConflict: conflictTarget, updating: strategy, doUpdate: assignments)
    }
}
