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
    public mutating func save(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        try saving(db) { record, db in
            let modification = Modification(type(of: record), conflictResolution)
            let group = modification.planGroup(db)
            // If no callback runs before the statements, the record, whose encoding may be expensive, is encoded only
            // here.
            var container = group.makeContainer()
            try record.encode(to: &container)
            if try group.hasPrimaryKey(db, &container, of: type(of: record)) {
                if group.usesColumns != false {
                    if let updated = try record.updatingIfFound(db, modification) { return updated }
                    // Its callbacks may have changed an object.
                    container = group.makeContainer()
                    try record.encode(to: &container)
                } else if let updated = try group.update(db, &container, modification) {
                    record.didUpdate(updated)
                    return (updated, ())
                }
            }
            return try record.insertingSaved(db, &container, Insertion(type(of: record), conflictResolution))
        }
    }

    /// The insertion of a record that is being saved.
    ///
    /// - Parameter container: the values of the record, while no callback has changed them.
    private mutating func insertingSaved(
        _ db: Database, _ container: inout PersistenceContainer, _ insertion: Insertion
    ) throws -> (PersistenceSuccess, Void) {
        let group = insertion.planGroup(db)
        guard group.callsBeforeInsertion == false else {
            guard group.callsBeforeInsertion == nil else {
                return try inserting(db) { try $0.runInsert(db, insertion) }
            }
            var result: (PersistenceSuccess, Void)?
            let callbacks = try db.probingCallbacks(of: type(of: self)) {
                result = try inserting(db) { try $0.runInsert(db, insertion) }
            }
            group.callsBeforeInsertion = !callbacks.isDisjoint(with: [.willInsert, .aroundInsert])
            // The probe has run the closure and rethrown its error.
            return result!
        }
        let inserted = try group.insert(db, &container, insertion)
        finishInsertion(inserted)
        return (PersistenceSuccess(inserted), ())
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
                let modification = Modification(type(of: record), conflictResolution, returning: selection)
                if let updated = try record.updatingIfFound(db, modification, fetch: fetch) { return updated }
            }
            return try record.inserting(db) {
                try $0.runInsert(db, Insertion(type(of: $0), conflictResolution, selection), fetch: fetch)
            }
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
        if let plan = directKeyPlan(db, .delete) { return try plan.update(db) { try _bind(to: &$0) } }
        return try withKeyPlan(db, .delete, { $0.writeDelete(table: $1, keyColumns: $2) }) { plan, container in
            try plan.runUpdate(db, container) != nil
        } ?? false
    }

    /// Whether the row of the record exists; false for a record without a primary key.
    ///
    /// - Throws: a ``DatabaseError``, or an error of `encode(to:)`.
    public func exists(_ db: Database) throws -> Bool {
        if let plan = directKeyPlan(db, .exists) { return try plan.integer(db) { try _bind(to: &$0) } == 1 }
        return try withKeyPlan(db, .exists, { $0.writeExists(table: $1, keyColumns: $2) }) { plan, container in
            guard !plan.lacksKey(container) else { return false }
            let use = try plan.use(db, container)
            return try Bool.fetchOne(use.statement) ?? false
        } ?? false
    }

    /// The statement for the key of a generated record; nil if it is unknown or needs a container.
    private func directKeyPlan(_ db: Database, _ operation: PlanOperation) -> DirectPlan? {
        Self._tableLayout == nil ? nil : db.directPlan(of: ObjectIdentifier(Self.self), operation, nil)
    }

    /// Runs a statement whose parameters are the columns of the primary key.
    ///
    /// - Returns: nil if the record does not encode these columns.
    private func withKeyPlan<T>(
        _ db: Database, _ operation: PlanOperation, _ write: (inout Renderer, TableName, [String]) -> Void,
        _ run: (PersistencePlan, PersistenceContainer) throws -> T
    ) throws -> T? {
        let record = type(of: self)
        let group = db.planGroup(record, operation)
        var container = group.makeContainer()
        try encode(to: &container)
        if let plan = group.knownPlan(for: &container) { return try run(plan, container) }
        guard let plan = try record.keyPlan(db, container, write) else { return nil }
        if let layout = Self._tableLayout, layout.writesColumns { db.keep(plan, layout, operation, nil) }
        return try run(group.keep(plan), container)
    }

    private static func keyPlan(
        _ db: Database, _ container: PersistenceContainer,
        _ write: (inout Renderer, TableName, [String]) -> Void
    ) throws -> PersistencePlan? {
        let table = databaseTable
        let primaryKey = try db.keyInfo(of: table.name, in: table.schema)
        guard let keyIndexes = container.keyIndexes(primaryKey) else { return nil }
        return PersistencePlan(
            table: table, columns: container.columns,
            statement: try db.planStatement { write(&$0, table, primaryKey.columns) },
            order: keyIndexes, primaryKey: primaryKey,
            isOnView: try db.isView(table.name, in: table.schema))
    }
}

extension PersistenceContainer {
    /// The indexes of the primary key's columns; nil for a record that does not encode them.
    func keyIndexes(_ primaryKey: PrimaryKeyInfo) -> [Int]? {
        let indexes = primaryKey.columns.compactMap(index(ofColumn:))
        return indexes.isEmpty || indexes.count < primaryKey.columns.count ? nil : indexes
    }
}
