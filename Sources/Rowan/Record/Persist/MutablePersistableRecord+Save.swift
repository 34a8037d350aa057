// Saving: an update if the database contains the key of the record; otherwise, an insertion. Also deleting a record and
// checking whether it exists.

extension MutablePersistableRecord {
    /// Updates the row of the record, or inserts the record if the row does not exist or the primary key is not set.
    ///
    /// ```swift
    /// var player = Player(id: nil, name: "Arthur")
    /// try player.save(db)   // INSERT
    /// player.name = "Arthur II"
    /// try player.save(db)   // UPDATE
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, or an error of `encode(to:)` or callbacks.
    @inlinable
    public mutating func save(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        let insertion = db.write(.insert(conflictResolution), of: type(of: self))
        let update = insertion.update(db, conflictResolution)
        guard Self._tableLayout != nil, let plan = insertion.positional else {
            return try saveThroughContainer(db, insertion, update)
        }
        if try plan.hasKey({ try self._bind(to: &$0) }) {
            guard let plan = update.positional else { return try saveThroughContainer(db, insertion, update) }
            if try plan.update(db, { try self._bind(to: &$0) }) {
                if plan.hasDidUpdate { try didUpdate(db, update, plan) }
                return
            }
        }
        let rowID = try plan.insert(db) { try self._bind(to: &$0) }
        if let rowID { _didInsert(rowID: rowID) }
    }

    /// Saves the record with all its callbacks, through a container.
    @usableFromInline
    mutating func saveThroughContainer(_ db: Database, _ insertion: RecordWrite, _ update: RecordWrite) throws {
        try insertion.probing(db, .saving) { try saving(db) { try $0.saveRow($1, insertion, update) } }
        guard Self._tableLayout != nil else { return }
        try insertion.choosePositional(db)
        try update.choosePositional(db)
    }

    /// Updates or inserts a record that is being saved.
    private mutating func saveRow(
        _ db: Database, _ insertion: RecordWrite, _ update: RecordWrite
    ) throws -> (PersistenceSuccess, Void) {
        // If no callback runs before the statements, the record, whose encoding may be expensive, is encoded only here.
        var container = update.makeContainer()
        try encode(to: &container)
        if try update.hasPrimaryKey(db, &container) {
            if update.needsColumns {
                let updated = try update.probing(db, .receivingColumns) { try updatingIfFound(db, update) }
                if let updated { return updated }
                // Its callbacks may have changed an object.
                container = update.makeContainer()
                try encode(to: &container)
            } else if try update.update(db, update.plan(db, &container), container) {
                return update.probing(db, .didUpdate) {
                    let updated = PersistenceSuccess(db, updated: container, nil)
                    didUpdate(updated)
                    return (updated, ())
                }
            }
        }
        return try insertion.probing(db, [.willInsert, .aroundInsert, .didInsert]) {
            if insertion.callsBeforeInsertion { return try inserting(db) { try $0.runInsert(db, insertion) } }
            let inserted = try insertion.insert(db, &container)
            finishInsertion(inserted)
            return (PersistenceSuccess(inserted), ())
        }
    }

    /// The record after saving it.
    public func saved(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self {
        var result = self
        try result.save(db, onConflict: conflictResolution)
        return result
    }

    /// Saves the record and decodes the saved row: `... RETURNING *`.
    public func saveAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self where Self: FetchableRecord {
        var record = self
        return try record.saveAndFetch(db, onConflict: conflictResolution, as: Self.self)
    }

    /// Saves the record and decodes the saved row to another type.
    public mutating func saveAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: T.Type
    ) throws -> T {
        try saveAndFetchIfFound(db, conflictResolution, T.databaseSelection) { try T.fetchOne($0) }
            .orThrow(recordNotFound(db))
    }

    /// Saves the record and fetches selected columns of the saved row. If the update finds no row, the closure is
    /// called again for the insertion.
    public mutating func saveAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        try saveAndFetchIfFound(db, conflictResolution, selection) { try fetch($0) }
            .orThrow(recordNotFound(db))
    }

    private mutating func saveAndFetchIfFound<T>(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, _ selection: [any SQLSelectable],
        _ fetch: (Statement) throws -> T?
    ) throws -> T? {
        precondition(!selection.isEmpty, "the selection is empty: select at least one column")
        return try saving(db) { record, db in
            if try record.hasPrimaryKey(db) {
                let update = WriteRequest(
                    type(of: record), .update(conflictResolution, nil), returning: selection)
                if let updated = try record.updatingIfFound(db, db.write(update), fetch: fetch) { return updated }
            }
            let insert = WriteRequest(type(of: record), .insert(conflictResolution), returning: selection)
            return try record.inserting(db) { try $0.runInsert(db, db.write(insert), fetch: fetch) }
        }
    }

    /// Whether all columns of the primary key are set.
    private func hasPrimaryKey(_ db: Database) throws -> Bool {
        let columns = try db.insertedKey(type(of: self).databaseTable).columns
        let container = try PersistenceContainer(self)
        return !columns.isEmpty && columns.allSatisfy { !(container.value(forColumn: $0)?.isNull ?? true) }
    }

    /// Deletes the row of the record.
    ///
    /// ```swift
    /// // DELETE FROM "player" WHERE "id"=?
    /// let deleted = try player.delete(db)
    /// ```
    ///
    /// - Returns: whether the row existed; false for a record without a primary key.
    /// - Throws: a ``DatabaseError``, or an error of `encode(to:)` or callbacks.
    @discardableResult
    public func delete(_ db: Database) throws -> Bool {
        try willDelete(db)
        var result: Bool?
        try aroundDelete(db) {
            let deleted = try runDelete(db)
            result = deleted
            return deleted
        }
        guard let result else { throw callbackError("aroundDelete", Self.self) }
        didDelete(deleted: result)
        return result
    }

    private func runDelete(_ db: Database) throws -> Bool {
        try withKeyWrite(db, .delete) {
            try $0.changesRow(db) { try _bind(to: &$0) }
        } orContainer: { plan, container in
            try plan.changesRow(db, container)
        }
    }

    /// Whether the row of the record exists; false for a record without a primary key.
    ///
    /// - Throws: a ``DatabaseError``, or an error of `encode(to:)`.
    public func exists(_ db: Database) throws -> Bool {
        try withKeyWrite(db, .exists) {
            try $0.integer(db) { try _bind(to: &$0) } == 1
        } orContainer: { plan, container in
            guard !plan.lacksKey(container) else { return false }
            return try Bool.fetchOne(plan.use(db, container).statement) ?? false
        }
    }

    /// Runs a statement whose parameters are the columns of the primary key.
    ///
    /// - Returns: false for a record that does not encode these columns.
    private func withKeyWrite(
        _ db: Database, _ operation: WriteOperation, _ positional: (PositionalPlan) throws -> Bool,
        orContainer run: (WritePlan, PersistenceContainer) throws -> Bool
    ) throws -> Bool {
        let write = db.write(operation, of: type(of: self))
        if let plan = write.positional { return try positional(plan) }
        var container = write.makeContainer()
        try encode(to: &container)
        let plan: WritePlan
        do { plan = try write.plan(db, &container) } catch is RecordError { return false }
        let result = try run(plan, container)
        if Self._tableLayout != nil { try write.choosePositional(db) }
        return result
    }
}
