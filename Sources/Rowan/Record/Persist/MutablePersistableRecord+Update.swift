// Updates: a single implementation, for all columns or some, with or without returned rows.

extension MutablePersistableRecord {
    /// Updates the row of the record: all encoded columns that the table has, except the primary key. See
    /// ``Configuration/strictColumns``.
    ///
    /// ```swift
    /// // UPDATE "player" SET "name"=?, "score"=? WHERE "id"=?
    /// try player.update(db)
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection that can write.
    ///   - conflictResolution: the conflict resolution; nil for the policy of the type.
    /// - Throws: a ``RecordError`` if no row has the primary key; a ``DatabaseError``, or an error of `encode(to:)` or
    ///   callbacks.
    @inlinable
    public func update(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        try update(db, .update(conflictResolution, nil))
    }

    /// Updates some columns of the row: `player.update(db, columns: ["score"])`. Columns that the record or the table
    /// lacks are ignored: see ``Configuration/strictColumns``.
    ///
    /// - Throws: a ``RecordError`` if no row has the primary key.
    public func update<Columns: Collection>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: Columns
    ) throws where Columns.Element == String {
        let columns = ChangedColumns(Set(columns))
        try update(db, .update(conflictResolution, columns))
    }

    /// Updates some columns of the row, as column expressions: `player.update(db, columns: [Columns.score])`.
    ///
    /// - Throws: a ``RecordError`` if no row has the primary key.
    public func update<Columns: Collection>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: Columns
    ) throws where Columns.Element: ColumnExpression {
        try update(db, onConflict: conflictResolution, columns: columns.map(\.name))
    }

    /// Updates some columns of the row, as the typed columns of a record with a macro.
    ///
    /// - Throws: a ``RecordError`` if no row has the primary key.
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: [any AnyTypedColumn]
    ) throws {
        try update(db, onConflict: conflictResolution, columns: columns.map(\.name))
    }

    // MARK: Returning rows

    /// Updates the row and decodes the updated row: `UPDATE ... RETURNING *`.
    ///
    /// - Throws: a ``RecordError`` if no row has the primary key.
    public func updateAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self where Self: FetchableRecord {
        try updateAndFetch(db, onConflict: conflictResolution, as: Self.self)
    }

    /// Updates the row and decodes the updated row to another type.
    ///
    /// - Throws: a ``RecordError`` if no row has the primary key.
    public func updateAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: T.Type
    ) throws -> T {
        try updateAndFetch(db, onConflict: conflictResolution, selection: T.databaseSelection) {
            try T.fetchOne($0).orThrow(recordNotFound(db))
        }
    }

    /// Updates the row and fetches selected columns of it.
    public func updateAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        try updateAndFetch(db, .update(conflictResolution, nil), selection, fetch)
    }

    /// Updates some columns of the row and fetches selected columns of it.
    public func updateAndFetch<T, Columns: Collection>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: Columns,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T where Columns.Element == String {
        try updateAndFetch(db, .update(conflictResolution, ChangedColumns(Set(columns))), selection, fetch)
    }

    /// Updates some columns of the row, as column expressions, and fetches selected columns of it.
    public func updateAndFetch<T, Columns: Collection>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: Columns,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T where Columns.Element: ColumnExpression {
        try updateAndFetch(
            db, onConflict: conflictResolution, columns: columns.map(\.name), selection: selection, fetch: fetch)
    }

    /// Updates some typed columns of the row and fetches selected columns of it.
    public func updateAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: [any AnyTypedColumn], selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T {
        try updateAndFetch(
            db, onConflict: conflictResolution, columns: columns.map(\.name), selection: selection, fetch: fetch)
    }

    /// Changes the record, updates the changed columns and decodes the updated row; nil without changes.
    public mutating func updateChangesAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        modify: (inout Self) throws -> Void
    ) throws -> Self? where Self: FetchableRecord {
        try updateChangesAndFetch(db, onConflict: conflictResolution, as: Self.self, modify: modify)
    }

    /// Changes the record, updates the changed columns and decodes the updated row to another type; nil without
    /// changes.
    public mutating func updateChangesAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: T.Type,
        modify: (inout Self) throws -> Void
    ) throws -> T? {
        try updateChangesAndFetch(
            db, onConflict: conflictResolution, selection: T.databaseSelection, fetch: { try T.fetchOne($0) },
            modify: modify)?
            .orThrow(recordNotFound(db))
    }

    /// Changes the record, updates the changed columns and fetches selected columns of the row; nil without changes.
    public mutating func updateChangesAndFetch<T>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T, modify: (inout Self) throws -> Void
    ) throws -> T? {
        var previous = try db.stored(self, db.storedColumns(of: type(of: self)))
        try modify(&self)
        guard let changes = try changes(db, from: &previous) else { return nil }
        return try updateAndFetch(db, .update(conflictResolution, changes), selection, fetch)
    }

    private func updateAndFetch<T>(
        _ db: Database, _ operation: WriteOperation, _ selection: [any SQLSelectable],
        _ fetch: (Statement) throws -> T
    ) throws -> T {
        precondition(!selection.isEmpty, "the selection is empty: select at least one column")
        let write = db.write(WriteRequest(type(of: self), operation, returning: selection))
        var record = self
        return try record.saving(db) { record, db in
            try record.updatingIfFound(db, write, fetch: fetch).orThrow(recordNotFound(db))
        }
    }
}

// MARK: - The body

// `@inlinable`: benchmark update-struct. Callbacks that a type does not implement are optimized away, and no metadata
// is looked up.
extension MutablePersistableRecord {
    /// Updates the row of the record: by position if possible; otherwise with all its callbacks, through a container.
    @inlinable @inline(__always)
    func update(_ db: Database, _ operation: WriteOperation) throws {
        guard Self._tableLayout != nil else { return try updating(db, db.write(operation, of: type(of: self))) }
        guard let plan = db.positionalPlan(operation, of: Self.self) else {
            return try updateThroughContainer(db, operation)
        }
        guard try plan.update(db, { try self._bind(to: &$0) }) else { throw recordNotFound(db) }
        if plan.hasDidUpdate { try didUpdate(db, db.write(operation, of: Self.self), plan) }
    }

    /// The update of a generated record that needs a container now. The next one may not.
    @usableFromInline
    func updateThroughContainer(_ db: Database, _ operation: WriteOperation) throws {
        let write = db.write(operation, of: type(of: self))
        try updating(db, write)
        try write.choosePositional(db)
    }

    /// Calls `didUpdate` after an update by position.
    @usableFromInline
    func didUpdate(_ db: Database, _ write: RecordWrite, _ plan: PositionalPlan) throws {
        let container = try plan.container { try _bind(to: &$0) }
        write.probing(db, .didUpdate) { didUpdate(PersistenceSuccess(db, updated: container, write.updatedColumns)) }
    }

    /// The update with all its callbacks.
    @inlinable
    func updating(_ db: Database, _ write: RecordWrite) throws {
        var record = self
        try write.probing(db, write.callbacks) {
            try record.saving(db) { record, db in
                guard let updated = try record.updatingIfFound(db, write) else { throw recordNotFound(db) }
                return updated
            }
        }
    }

    /// The update with its callbacks; nil if no row has the primary key.
    @inlinable
    mutating func updatingIfFound(_ db: Database, _ write: RecordWrite) throws -> (PersistenceSuccess, Void)? {
        try updating(db, write) { plan, container in try write.update(db, plan, container) ? () : nil }
    }

    /// The update with its callbacks; nil if no row has the primary key.
    mutating func updatingIfFound<T>(
        _ db: Database, _ write: RecordWrite, fetch: (Statement) throws -> T
    ) throws -> (PersistenceSuccess, T)? {
        try updating(db, write) { plan, container in try plan.fetchUpdated(db, container, fetch) }
    }

    /// The implementation of all updates.
    ///
    /// - Parameter run: runs the statement; nil if it finds no row.
    /// - Returns: nil if no row has the primary key.
    @inlinable
    mutating func updating<T>(
        _ db: Database, _ write: RecordWrite, run: (WritePlan, PersistenceContainer) throws -> T?
    ) throws -> (PersistenceSuccess, T)? {
        let columns = try changedColumns(db, write)
        try willUpdate(db, columns: columns)
        var result: (PersistenceSuccess, T)?
        var isMissing = false
        do {
            try aroundUpdate(db, columns: columns) {
                // After `willUpdate`, which may change the record.
                var container = write.makeContainer()
                try encode(to: &container)
                let plan = try write.plan(db, &container)
                guard let value = try run(plan, container) else {
                    isMissing = true
                    throw recordNotFound(db)
                }
                let success = PersistenceSuccess(db, updated: container, write.updatedColumns)
                result = (success, value)
                return success
            }
        } catch  where isMissing {
            return nil
        }
        guard let result else { throw callbackError("aroundUpdate", Self.self) }
        didUpdate(result.0)
        return result
    }

    /// The columns of an update, for callbacks: those that the program names, or all that the record encodes. Records
    /// of one type may encode different columns, so the record is encoded unless no callback needs them.
    @inlinable
    func changedColumns(_ db: Database, _ write: RecordWrite) throws -> Set<String> {
        if let columns = write.updatedColumns { return columns }
        if !write.needsColumns { return [] }
        var container = write.makeContainer()
        try encode(to: &container)
        return try write.changedColumns(db, &container)
    }
}
