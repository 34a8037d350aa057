// Updates: a single implementation of UPDATE, for all columns or some, with or without returned rows.

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
        if Self._tableLayout != nil {
            guard let plan = db.directPlan(of: ObjectIdentifier(Self.self), .update, conflictResolution) else {
                return try updateWithCallbacks(db, conflictResolution)
            }
            guard try plan.updateRow(db, { try self._bind(to: &$0) }) else { throw recordNotFound(db) }
            return
        }
        try updating(db, Modification(type(of: self), conflictResolution))
    }

    /// The update with all its callbacks.
    @inlinable
    func updating(_ db: Database, _ modification: Modification) throws {
        var record = self
        try record.saving(db) { record, db in try record.updating(db, modification) }
    }

    /// Updates some columns of the row: `player.update(db, columns: ["score"])`. Columns that the record or the table
    /// lacks are ignored: see ``Configuration/strictColumns``.
    ///
    /// - Throws: a ``RecordError`` if no row has the primary key.
    public func update<Columns: Collection>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: Columns
    ) throws where Columns.Element == String {
        var record = self
        try record.saving(db) { record, db in
            try record.updating(db, Modification(type(of: self), conflictResolution, columns: Set(columns)))
        }
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
        try updateAndFetch(db, Modification(type(of: self), conflictResolution, returning: selection), fetch)
    }

    /// Updates some columns of the row and fetches selected columns of it.
    public func updateAndFetch<T, Columns: Collection>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: Columns,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> T where Columns.Element == String {
        try updateAndFetch(
            db, Modification(type(of: self), conflictResolution, columns: Set(columns), returning: selection), fetch)
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
        return try updateAndFetch(
            db, Modification(type(of: self), conflictResolution, columns: changes.names, returning: selection), fetch)
    }

    private func updateAndFetch<T>(
        _ db: Database, _ modification: Modification, _ fetch: (Statement) throws -> T
    ) throws -> T {
        precondition(!modification.returning.isEmpty, "the selection is empty: select at least one column")
        var record = self
        return try record.saving(db) { record, db in try record.updating(db, modification, fetch: fetch) }
    }
}

// MARK: - The body

/// The variants of an update.
@usableFromInline
struct Modification {
    let record: any MutablePersistableRecord.Type
    let conflictResolution: Database.ConflictResolution
    /// The columns to update; nil for all.
    @usableFromInline var columns: Set<String>?
    var returning: [any SQLSelectable] = []
    /// The columns to update, in the form that a plan needs; nil if they were not compared.
    private var changes: ChangedColumns?

    /// An update of changed columns.
    @usableFromInline
    init(
        _ record: any MutablePersistableRecord.Type, _ conflictResolution: Database.ConflictResolution?,
        changes: ChangedColumns
    ) {
        self.init(record, conflictResolution, columns: changes.names)
        self.changes = changes
    }

    @usableFromInline
    init(
        _ record: any MutablePersistableRecord.Type, _ conflictResolution: Database.ConflictResolution?,
        columns: Set<String>? = nil, returning: [any SQLSelectable] = []
    ) {
        self.record = record
        self.conflictResolution =
            conflictResolution ?? record.persistenceConflictPolicy.conflictResolutionForUpdate
        self.columns = columns
        self.returning = returning
    }

    @usableFromInline
    func planGroup(_ db: Database) -> PlanGroup {
        guard returning.isEmpty else { return PlanGroup(epoch: db.connection.schemaEpoch) }
        return db.planGroup(
            record, .update, conflictResolution, detail: changes?.detail ?? columns.map(ChangedColumns.detail))
    }

    func makePlan(_ db: Database, _ container: PersistenceContainer) throws -> PersistencePlan {
        let table = record.databaseTable
        let primaryKey = try db.keyInfo(of: table.name, in: table.schema)
        guard let keyIndexes = container.keyIndexes(primaryKey) else {
            let key = primaryKey.columns.map { ($0, container.value(forColumn: $0) ?? .null) }
            throw RecordError.recordNotFound(
                databaseTableName: table.name, key: Dictionary(key, uniquingKeysWith: { first, _ in first }))
        }
        let wanted = try columns.map { try updatedIndexes(db, $0, container) } ?? Array(container.columns.indices)
        let stored = try db.configuration.strictColumns ? nil : db.assignableColumns(of: table)
        let values = wanted.filter { !keyIndexes.contains($0) }
        var changed = values.filter { stored?.contains(container.columns[$0].foldedDatabaseName) ?? true }
        let leavesOutColumns = changed.count < values.count
        let changedColumns = columns ?? Set(container.columns)
        // The record and the table have only the key in common. Assigning the key to itself reveals whether the row
        // exists.
        if changed.isEmpty { changed = [keyIndexes[0]] }
        var terms = Resolver(db, aggregates: .correlated).terms(of: record.databaseRelation)
        let returning = try ReturnedColumns(returning.map(\.sqlSelection), &terms)
        let statement = try db.planStatement { renderer in
            renderer.writeUpdate(
                table: table, conflictResolution: conflictResolution.clause,
                columns: changed.map { container.columns[$0] }, keyColumns: primaryKey.columns)
            renderer.write(returning, of: table)
        }
        return PersistencePlan(
            table: table, columns: container.columns, statement: statement, order: changed + keyIndexes,
            primaryKey: primaryKey, isOnView: try db.isView(table.name, in: table.schema),
            changedColumns: changedColumns, leavesOutColumns: leavesOutColumns)
    }

    private func updatedIndexes(
        _ db: Database, _ columns: Set<String>, _ container: PersistenceContainer
    ) throws -> [Int] {
        try columns.compactMap { column in
            let index = container.index(ofColumn: column)
            guard index != nil || !db.configuration.strictColumns else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "\(record) does not encode column \"\(column)\"")
            }
            return index
        }.sorted()
    }
}

extension Database {
    /// The folded names of the columns of a table; nil for a virtual table, whose hidden columns can also be assigned.
    fileprivate func assignableColumns(of table: TableName) throws -> Set<String>? {
        guard try !isVirtualTable(table.name, in: table.schema) else { return nil }
        let names = Set(try columnInfo(of: table.name, in: table.schema).map(\.name.foldedDatabaseName))
        let hasRowID = try storesRows(table.name, in: table.schema) && !isWithoutRowID(table.name, in: table.schema)
        return hasRowID ? names.union(["rowid", "_rowid_", "oid"]) : names
    }
}

// `@inlinable`: benchmark update-struct. Callbacks that a type does not implement are optimized away, and no metadata
// is looked up.
extension MutablePersistableRecord {
    /// The update with its callbacks, without the callbacks of saving.
    @inlinable
    mutating func updating(_ db: Database, _ modification: Modification) throws -> (PersistenceSuccess, Void) {
        guard let updated = try updatingIfFound(db, modification) else { throw recordNotFound(db) }
        return updated
    }

    /// The update with its callbacks; nil if no row has the primary key.
    @inlinable
    mutating func updatingIfFound(_ db: Database, _ modification: Modification) throws -> (PersistenceSuccess, Void)? {
        try updating(db, modification) { group, plan, container in try group.update(db, plan, container) }
    }

    mutating func updating<T>(
        _ db: Database, _ modification: Modification, fetch: (Statement) throws -> T
    ) throws -> (PersistenceSuccess, T) {
        try updatingIfFound(db, modification, fetch: fetch).orThrow(recordNotFound(db))
    }

    /// The update with its callbacks; nil if no row has the primary key.
    mutating func updatingIfFound<T>(
        _ db: Database, _ modification: Modification, fetch: (Statement) throws -> T
    ) throws -> (PersistenceSuccess, T)? {
        try updating(db, modification) { _, plan, container in try plan.fetchUpdated(db, container, fetch) }
    }

    /// The implementation of all updates.
    ///
    /// - Parameter run: runs the statement; nil if it finds no row.
    /// - Returns: nil if no row has the primary key.
    @inlinable
    mutating func updating<T>(
        _ db: Database, _ modification: Modification,
        run: (PlanGroup, PersistencePlan, PersistenceContainer) throws -> T?
    ) throws -> (PersistenceSuccess, T)? {
        let group = modification.planGroup(db)
        guard modification.columns != nil || group.usesColumns != nil else {
            return try group.probe(db, type(of: self)) { try self.updating(db, modification, group, run: run) }
        }
        return try updating(db, modification, group, run: run)
    }

    @inlinable
    mutating func updating<T>(
        _ db: Database, _ modification: Modification, _ group: PlanGroup,
        run: (PlanGroup, PersistencePlan, PersistenceContainer) throws -> T?
    ) throws -> (PersistenceSuccess, T)? {
        let columns = try changedColumns(db, modification, group)
        try willUpdate(db, columns: columns)
        var result: (PersistenceSuccess, T)?
        var isMissing = false
        do {
            try aroundUpdate(db, columns: columns) {
                // After `willUpdate`, which may change the record.
                var container = group.makeContainer()
                try encode(to: &container)
                let plan = try group.updatePlan(db, &container, modification)
                guard let value = try run(group, plan, container) else {
                    isMissing = true
                    throw recordNotFound(db)
                }
                var success = PersistenceSuccess(persistenceContainer: container)
                success.updatedColumns = modification.columns
                if Self._tableLayout != nil { success.probe = db.probe }
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
    func changedColumns(
        _ db: Database, _ modification: Modification, _ group: PlanGroup
    ) throws -> Set<String> {
        if let columns = modification.columns { return columns }
        if group.usesColumns == false { return [] }
        var container = group.makeContainer()
        try encode(to: &container)
        return try group.changedColumns(db, &container, modification)
    }
}
