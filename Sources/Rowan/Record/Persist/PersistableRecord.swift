// Insertions of records that do not change: they call the mutating methods on a copy. The functions below the extension
// are generic over MutablePersistableRecord so that they call the mutating methods rather than these.

extension PersistableRecord {
    /// Inserts the record. See ``MutablePersistableRecord/insert(_:onConflict:)``.
    @inlinable
    public func insert(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        try insertCopy(of: self, db, conflictResolution)
    }

    /// Inserts the record and decodes the inserted row to another type.
    public func insertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: T.Type
    ) throws -> T {
        try insertAndFetch(db, onConflict: conflictResolution, selection: T.databaseSelection) {
            try T.fetchOne($0).orThrow(recordNotFound(db))
        }
    }

    /// Inserts the record and fetches selected columns of the inserted row.
    public func insertAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        try insertAndFetchCopy(of: self, db, conflictResolution, selection, fetch)
    }

    /// Inserts the record and fetches columns of the inserted row selected by a closure.
    public func insertAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        fetch: (Statement) throws -> T, select: (DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> T {
        try insertAndFetch(
            db, onConflict: conflictResolution, selection: select(Self.databaseComponents), fetch: fetch)
    }

    /// Updates the row of the record or inserts the record. See ``MutablePersistableRecord/save(_:onConflict:)``.
    @inlinable
    public func save(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        try saveCopy(of: self, db, conflictResolution)
    }

    /// Saves the record and decodes the saved row to another type.
    public func saveAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: T.Type
    ) throws -> T {
        try saveAndFetchCopy(of: self, db, conflictResolution, returnedType)
    }

    /// Saves the record and fetches selected columns of the saved row.
    public func saveAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        try saveAndFetchCopy(of: self, db, conflictResolution, selection, fetch)
    }

    /// Inserts the record or updates the row with the same key. See ``MutablePersistableRecord/upsert(_:)``.
    @inlinable
    public func upsert(_ db: Database) throws {
        try upsertCopy(of: self, db)
    }

    /// Inserts the record or updates the conflicting row, and decodes the upserted row.
    public func upsertAndFetch(
        _ db: Database, onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate assignments: ((TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> Self where Self: FetchableRecord {
        try upsertAndFetch(
            db, as: Self.self, onConflict: conflictTarget, updating: strategy, doUpdate: assignments)
    }

    /// Inserts the record or updates the conflicting row, and decodes the upserted row to another type.
    public func upsertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, as returnedType: T.Type, onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate assignments: ((TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> T {
        try upsertAndFetchCopy(of: self, db, returnedType, conflictTarget, strategy, assignments)
    }
}

@inlinable
func insertCopy<R: MutablePersistableRecord>(
    of record: R, _ db: Database, _ conflictResolution: Database.ConflictResolution?
) throws {
    var record = record
    try record.insert(db, onConflict: conflictResolution)
}

private func insertAndFetchCopy<R: MutablePersistableRecord, T>(
    of record: R, _ db: Database, _ conflictResolution: Database.ConflictResolution?,
    _ selection: [any SQLSelectable], _ fetch: (Statement) throws -> T
) throws -> T {
    var record = record
    return try record.insertAndFetch(db, onConflict: conflictResolution, selection: selection, fetch: fetch)
}

@inlinable
func saveCopy<R: MutablePersistableRecord>(
    of record: R, _ db: Database, _ conflictResolution: Database.ConflictResolution?
) throws {
    var record = record
    try record.save(db, onConflict: conflictResolution)
}

private func saveAndFetchCopy<R: MutablePersistableRecord, T: FetchableRecord & TableRecord>(
    of record: R, _ db: Database, _ conflictResolution: Database.ConflictResolution?, _ returnedType: T.Type
) throws -> T {
    var record = record
    return try record.saveAndFetch(db, onConflict: conflictResolution, as: returnedType)
}

private func saveAndFetchCopy<R: MutablePersistableRecord, T>(
    of record: R, _ db: Database, _ conflictResolution: Database.ConflictResolution?,
    _ selection: [any SQLSelectable], _ fetch: (Statement) throws -> T
) throws -> T {
    var record = record
    return try record.saveAndFetch(db, onConflict: conflictResolution, selection: selection, fetch: fetch)
}

@inlinable
func upsertCopy<R: MutablePersistableRecord>(of record: R, _ db: Database) throws {
    var record = record
    try record.upsert(db)
}

private func upsertAndFetchCopy<R: MutablePersistableRecord, T: FetchableRecord & TableRecord>(
    of record: R, _ db: Database, _ returnedType: T.Type, _ conflictTarget: [String],
    _ strategy: UpsertUpdateStrategy, _ assignments: ((TableAlias<R>) -> [ColumnAssignment])?
) throws -> T {
    var record = record
    return try record.upsertAndFetch(
        db, as: returnedType, onConflict: conflictTarget, updating: strategy, doUpdate: assignments)
}
