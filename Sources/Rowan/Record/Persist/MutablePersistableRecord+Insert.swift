// Insertions: a single implementation of INSERT, with or without conflict resolution and returned rows. Upserts also
// use it.

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
        if Self._tableLayout != nil {
            guard let plan = db.directPlan(of: ObjectIdentifier(Self.self), .insert, conflictResolution) else {
                return try insertWithCallbacks(db, conflictResolution)
            }
            let rowID = try plan.insert(db) { try self._bind(to: &$0) }
            if let rowID { _didInsert(rowID: rowID) }
            return
        }
        try inserting(db, Insertion(type(of: self), conflictResolution))
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
        return try saving(db) { record, db in
            try record.inserting(db) {
                try $0.runInsert(db, Insertion(type(of: $0), conflictResolution, selection), fetch: fetch)
            }
        }
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

/// The variants of an insertion.
@usableFromInline
struct Insertion {
    @usableFromInline var record: any MutablePersistableRecord.Type
    let conflictResolution: Database.ConflictResolution
    var returning: [any SQLSelectable] = []
    @usableFromInline var upsert: Upsert?
    /// For upserts: whether the statement returns the rowid.
    var returnsRowID = true

    @usableFromInline
    init(
        _ record: any MutablePersistableRecord.Type, _ conflictResolution: Database.ConflictResolution?,
        _ returning: [any SQLSelectable] = []
    ) {
        self.record = record
        self.conflictResolution =
            conflictResolution ?? record.persistenceConflictPolicy.conflictResolutionForInsert
        self.returning = returning
    }

    /// The plans of insertions whose statement depends only on the columns.
    @usableFromInline
    func planGroup(_ db: Database) -> PlanGroup {
        db.planGroup(
            record, upsert == nil ? .insert : .upsert, conflictResolution, detail: returnsRowID ? nil : "no rowid")
    }

    /// Whether a generated record keeps the rowid: its optional key may be another column.
    func keepsRowID(_ db: Database) throws -> Bool {
        guard let layout = record._tableLayout, layout.keepsRowID else { return false }
        return InsertionSuccess.keepsRowID(try db.insertedKey(record.databaseTable).rowIDKey, layout)
    }

    /// The plan of a statement that returns rows, and the values that a record stores.
    func fetchPlan(
        _ db: Database, _ record: some MutablePersistableRecord, _ plans: PlanGroup?
    ) throws -> (PersistencePlan, PersistenceContainer) {
        guard let plans else {
            let container = try PersistenceContainer(record)
            return (try makePlan(db, columns: container.columns), container)
        }
        var container = plans.makeContainer()
        try record.encode(to: &container)
        let known = plans.knownPlan(for: &container)
        return (try known ?? plans.keep(makePlan(db, columns: container.columns)), container)
    }

    func makePlan(_ db: Database, columns: [String]) throws -> PersistencePlan {
        let returnsRowID = try upsert != nil && returnsRowID && key(db, columns).tableHasRowID
        return try makePlan(db, columns: columns, rowCount: 1, returnsRowID: returnsRowID)
    }

    /// - Parameters:
    ///   - returnsRowID: whether the statement also returns the rowid of each row, after the other returned columns.
    ///   - keepsRows: whether a failed statement keeps the rows before the one that violates a constraint.
    func makePlan(
        _ db: Database, columns: [String], rowCount: Int, returnsRowID: Bool, keepsRows: Bool = false
    ) throws -> PersistencePlan {
        let table = record.databaseTable
        guard upsert == nil || !columns.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "cannot upsert into table \(table.name): the record stores no column, so insert it")
        }
        let primaryKey = try key(db, columns)
        var query = InsertQuery(
            table: table, columns: columns,
            conflictResolution: (keepsRows ? .fail : conflictResolution).clause)
        query.rowCount = rowCount
        var terms = Resolver(db, aggregates: .correlated).terms(of: record.databaseRelation)
        query.upsert = try upsert?.clause(&terms, columns, primaryKey)
        query.returning = try ReturnedColumns(returning.map(\.sqlSelection), &terms)
        if returnsRowID {
            let name = try primaryKey.returnedRowIDName.orThrow(DatabaseError.hiddenRowID(of: table))
            query.returning.selection.append(SQLSelection(.expression(SQLExpression(.column(name, .none)))))
        }
        let statement = try db.planStatement { renderer in
            renderer.write(query)
        }
        return PersistencePlan(
            table: table, columns: columns, statement: statement, order: nil, primaryKey: primaryKey)
    }

    /// The primary key of the table.
    ///
    /// - Throws: SQLITE_ERROR with the SQL of an insertion if there is no such table.
    private func key(_ db: Database, _ columns: [String]) throws -> PrimaryKeyInfo {
        do { return try db.insertedKey(record.databaseTable) } catch let error as DatabaseError where error.sql == nil {
            var renderer = Renderer()
            renderer.write(InsertQuery(table: record.databaseTable, columns: columns, conflictResolution: nil))
            throw error.with(sql: renderer.text)
        }
    }
}

extension Database {
    /// The primary key of a table. A view has no key to insert into, but its triggers may use one.
    func insertedKey(_ table: TableName) throws -> PrimaryKeyInfo {
        if try isView(table.name, in: table.schema), try keyColumns(ofTable: table) == nil {
            return PrimaryKeyInfo(kind: .columns([], tableHasRowID: false), columnNames: [])
        }
        return try keyInfo(of: table.name, in: table.schema)
    }
}

extension PrimaryKeyInfo {
    /// The name of the rowid in `RETURNING`: `rowid` if no column has this name.
    fileprivate var returnedRowIDName: String? { hiddenRowIDName == "rowid" ? "rowid" : rowIDName }
}

extension Optional {
    func orThrow(_ error: @autoclosure () -> any Error) throws -> Wrapped {
        guard let self else { throw error() }
        return self
    }
}

// `@inlinable`: benchmark insert-struct. Callbacks that a type does not implement are optimized away, and no metadata
// is looked up.
extension MutablePersistableRecord {
    /// The insertion with all its callbacks.
    @inlinable
    mutating func inserting(_ db: Database, _ insertion: Insertion) throws {
        try saving(db) { record, db in try record.inserting(db) { try $0.runInsert(db, insertion) } }
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
    func runInsert(_ db: Database, _ insertion: Insertion) throws -> (InsertionSuccess, Void) {
        let group = insertion.planGroup(db)
        var container = group.makeContainer()
        try encode(to: &container)
        return (try group.insert(db, &container, insertion), ())
    }

    func runInsert<T>(
        _ db: Database, _ insertion: Insertion, _ plans: PlanGroup? = nil, fetch: (Statement) throws -> T
    ) throws -> (InsertionSuccess, T) {
        let (plan, container) = try insertion.fetchPlan(db, self, plans)
        let value = try plan.fetch(db, container, fetch)
        return (try InsertionSuccess(db, plan, container), value)
    }
}

extension InsertionSuccess {
    /// The result of the statement that has just run.
    ///
    /// - Parameter rowID: the rowid; nil for that of the last inserted row.
    @inline(__always)
    init(_ db: Database, _ plan: PersistencePlan, _ container: PersistenceContainer, rowID: Int64? = nil) throws {
        let hasRow = rowID != nil || db.changesCount > 0
        self.init(
            rowID: hasRow ? rowID ?? db.lastInsertedRowID : 0,
            key: hasRow ? try db.insertedKey(plan) : InsertedKey(rowIDColumn: nil, probe: db.probe),
            persistenceContainer: container)
        self.hasRow = hasRow
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
