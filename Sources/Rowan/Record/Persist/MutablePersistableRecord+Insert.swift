// Insertions: a single implementation, with or without conflict resolution and returned rows. Upserts also use it.

extension MutablePersistableRecord {
    /// Inserts the record.
    ///
    /// ```swift
    /// // INSERT INTO "player" ("id", "name") VALUES (?,?)
    /// try player.insert(db)
    /// // INSERT OR IGNORE INTO "player" ("id", "name") VALUES (?,?)
    /// try player.insert(db, onConflict: .ignore)
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection that can write.
    ///   - conflictResolution: the conflict resolution; nil for the policy of the type.
    /// - Throws: a ``DatabaseError``, or an error of `encode(to:)` or callbacks.
    @inlinable
    public mutating func insert(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        try insert(db, .insert(conflictResolution))
    }

    /// The record after its insertion.
    public func inserted(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self {
        var result = self
        try result.insert(db, onConflict: conflictResolution)
        return result
    }

    /// Inserts the record and decodes the inserted row to another type: `INSERT ... RETURNING *`.
    ///
    /// - Throws: a ``RecordError`` if a conflict is ignored.
    public mutating func insertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: T.Type
    ) throws -> T {
        let record = self
        return try insertAndFetch(db, onConflict: conflictResolution, selection: T.databaseSelection) {
            try T.fetchOne($0).orThrow(record.recordNotFound(db))
        }
    }

    /// Inserts the record and decodes the inserted row: `INSERT ... RETURNING *`.
    ///
    /// - Throws: a ``RecordError`` if a conflict is ignored.
    public func insertAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self where Self: FetchableRecord {
        var record = self
        return try record.insertAndFetch(db, onConflict: conflictResolution, as: Self.self)
    }

    /// Inserts the record and fetches selected columns of the inserted row.
    ///
    /// ```swift
    /// // INSERT INTO "player" ("name") VALUES (?) RETURNING "score"
    /// let score = try player.insertAndFetch(db, selection: [Column("score")]) { statement in
    ///     try Int.fetchOne(statement)
    /// }
    /// ```
    public mutating func insertAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        precondition(!selection.isEmpty, "the selection is empty: select at least one column")
        let write = db.write(WriteRequest(type(of: self), .insert(conflictResolution), returning: selection))
        return try saving(db) { record, db in try record.inserting(db) { try $0.runInsert(db, write, fetch: fetch) } }
    }

    /// Inserts the record and fetches columns of the inserted row selected by a closure.
    public mutating func insertAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        fetch: (Statement) throws -> T, select: (DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> T {
        try insertAndFetch(
            db, onConflict: conflictResolution, selection: select(Self.databaseComponents), fetch: fetch)
    }
}

// MARK: - The body

// `@inlinable`: benchmark insert-struct. Callbacks that a type does not implement are optimized away, and no metadata
// is looked up.
extension MutablePersistableRecord {
    /// Inserts or upserts the record: by position if possible; otherwise with all its callbacks, through a container.
    @inlinable @inline(__always)
    mutating func insert(_ db: Database, _ operation: WriteOperation) throws {
        guard Self._tableLayout != nil else { return try inserting(db, db.write(operation, of: type(of: self))) }
        guard let plan = db.positionalPlan(operation, of: Self.self) else {
            return try insertThroughContainer(db, operation)
        }
        let rowID = try plan.insert(db) { try self._bind(to: &$0) }
        if let rowID { _didInsert(rowID: rowID) }
    }

    /// The insertion of a generated record that needs a container now. The next one may not. Not inlined, as the
    /// record would be copied (benchmark insert-place-record).
    @usableFromInline
    mutating func insertThroughContainer(_ db: Database, _ operation: WriteOperation) throws {
        let write = db.write(operation, of: type(of: self))
        try inserting(db, write)
        try write.choosePositional(db)
    }

    /// The insertion with all its callbacks.
    @inlinable
    mutating func inserting(_ db: Database, _ write: RecordWrite) throws {
        try write.probing(db, write.callbacks) {
            try saving(db) { record, db in try record.inserting(db) { try $0.runInsert(db, write) } }
        }
    }

    /// The insertion with its callbacks, without the callbacks of saving.
    @inlinable
    mutating func inserting<T>(
        _ db: Database, _ insert: (Self) throws -> (InsertionSuccess, T)
    ) throws -> (PersistenceSuccess, T) {
        try willInsert(db)
        var result: (InsertionSuccess, T)?
        let record = self
        try record.aroundInsert(db) {
            let inserted = try insert(record)
            result = inserted
            return inserted.0
        }
        guard let (inserted, value) = result else { throw callbackError("aroundInsert", Self.self) }
        finishInsertion(inserted)
        return (PersistenceSuccess(inserted), value)
    }

    /// Finishes an insertion that used a container: a generated record keeps its rowid, which `didInsert` sees. Without
    /// an inserted row, there is nothing to keep: the last rowid of the connection belongs to another row.
    @inlinable
    mutating func finishInsertion(_ inserted: InsertionSuccess) {
        guard inserted.hasRow else {
            inserted.key.probe?.skip(Self.self)
            return
        }
        if let layout = Self._tableLayout, inserted.keepsRowID(layout) { _didInsert(rowID: inserted.rowID) }
        didInsert(inserted)
    }

    /// An insertion or an update, with the callbacks of saving around it.
    @inlinable
    mutating func saving<T>(
        _ db: Database, _ save: (inout Self, Database) throws -> (PersistenceSuccess, T)
    ) throws -> T {
        try willSave(db)
        var result: (PersistenceSuccess, T)?
        // The callback receives the record before the change, because the record is changed while the callback runs.
        let record = self
        try record.aroundSave(db) {
            let saved = try save(&self, db)
            result = saved
            return saved.0
        }
        guard let (saved, value) = result else { throw callbackError("aroundSave", Self.self) }
        didSave(saved)
        return value
    }

    @inlinable
    func runInsert(_ db: Database, _ write: RecordWrite) throws -> (InsertionSuccess, Void) {
        var container = write.makeContainer()
        try encode(to: &container)
        return (try write.insert(db, &container), ())
    }

    func runInsert<T>(
        _ db: Database, _ write: RecordWrite, fetch: (Statement) throws -> T
    ) throws -> (InsertionSuccess, T) {
        var container = write.makeContainer()
        try encode(to: &container)
        return try write.insert(db, &container, fetch)
    }
}

/// The error of a callback that did not call its closure or ignored the error of its closure.
@usableFromInline
func callbackError(_ callback: String, _ type: any Any.Type) -> DatabaseError {
    DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message:
            "\(callback) of \(type) did not call its closure, or ignored its error: call it once, and rethrow its error"
    )
}

extension Optional {
    func orThrow(_ error: @autoclosure () -> any Error) throws -> Wrapped {
        guard let self else { throw error() }
        return self
    }
}
