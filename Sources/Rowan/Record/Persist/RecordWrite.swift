// A write of the records of a type, on one connection: its plans, by the columns of the records. The second write of a
// record renders nothing, does not read the schema, and allocates no container.

/// A write of the records of a type, with its plans.
@usableFromInline
final class RecordWrite {
    let request: WriteRequest
    let recordID: ObjectIdentifier
    let code: UInt8
    /// The columns of an update; nil for all.
    let columns: ChangedColumns?
    /// The callbacks of the operation: a record that implements one of them needs a container.
    @usableFromInline let callbacks: RecordCallbacks
    /// The version of the schema for which the plans are made.
    let epoch: Int
    @usableFromInline let callbacksOfType: KnownCallbacks
    /// The plan for values by position; nil if it isn't known yet, or records need a container.
    @exclusivity(unchecked) @usableFromInline private(set) var positional: PositionalPlan?
    @exclusivity(unchecked) private var isPositionalKnown = false
    /// The plan of the last columns, which the next record most likely also uses.
    @exclusivity(unchecked) private var last: WritePlan?
    /// The plans of other columns, for records that do not always set the same ones.
    private var others: [[String]: WritePlan] = [:]
    /// The plans for many records.
    private var batches: [[String]: BatchPlan] = [:]
    /// For the insertion of a record that is saved.
    private var updateBeforeInsertion: RecordWrite?
    /// The values of the last container, whose storage the next one reuses.
    @exclusivity(unchecked) private var spareValues: [DatabaseValue] = []

    private static let capacity = 32

    init(_ request: WriteRequest, _ callbacksOfType: KnownCallbacks, epoch: Int) {
        self.request = request
        recordID = ObjectIdentifier(request.record)
        code = request.operation.code
        columns = request.operation.columns
        callbacks = request.operation.callbacks
        self.callbacksOfType = callbacksOfType
        self.epoch = epoch
    }

    // MARK: Plans

    /// An empty container that expects the columns of the last record.
    @usableFromInline
    func makeContainer() -> PersistenceContainer {
        guard let last else { return PersistenceContainer() }
        var values: [DatabaseValue] = []
        swap(&values, &spareValues)
        if values.count != last.columns.count { values = Array(repeating: .null, count: last.columns.count) }
        return PersistenceContainer(expecting: last.columns, reusing: values)
    }

    /// The plan for the columns of a container.
    @usableFromInline
    func plan(_ db: Database, _ container: inout PersistenceContainer) throws -> WritePlan {
        if let last, !last.leavesOutColumns, container.hasOnly(last.columns) { return last }
        return try findPlan(db, &container)
    }

    /// Separate from ``plan(_:_:)``, which runs for each record (benchmark insert-struct).
    @inline(never)
    private func findPlan(_ db: Database, _ container: inout PersistenceContainer) throws -> WritePlan {
        container.finish()
        if let known = others[container.columns] {
            // After another connection has added these columns, SQLite would run it without an error.
            if known.leavesOutColumns { try db.validateCache() }
            if !known.leavesOutColumns || db.connection.schemaEpoch == epoch {
                last = known
                return known
            }
        }
        let plan = try request.makePlan(db, container, callbacksOfType.implemented)
        if others.count > Self.capacity { others.removeAll() }
        others[plan.columns] = plan
        last = plan
        return plan
    }

    /// The plan for many records with these columns.
    func batchPlan(_ db: Database, _ columns: [String]) throws -> BatchPlan {
        if let known = batches[columns] { return known }
        let plan = try BatchPlan(db, columns, request)
        if batches.count > Self.capacity { batches.removeAll() }
        batches[columns] = plan
        return plan
    }

    /// Decides whether records are written by position, once the callbacks of their type are known.
    @usableFromInline
    func choosePositional(_ db: Database) throws {
        // `didUpdate` alone gets its container after the update.
        let callbacks = callbacks.subtracting(.didUpdate)
        guard !isPositionalKnown, request.isKept, callbacks.isSubset(of: callbacksOfType.known) else { return }
        isPositionalKnown = true
        guard let layout = request.record._tableLayout, layout.writesColumns,
            callbacks.isDisjoint(with: callbacksOfType.implemented)
        else { return }
        let plan = try request.makePlan(
            db, PersistenceContainer(columns: layout.storedColumns), callbacksOfType.implemented)
        positional = PositionalPlan(plan, layout, db.recordPlans.bindingBuffer, callbacksOfType)
    }

    /// Runs the closure, which writes a record, and finds out which callbacks the type implements.
    @inlinable
    func probing<T>(_ db: Database, _ callbacks: RecordCallbacks, _ write: () throws -> T) rethrows -> T {
        if callbacks.isSubset(of: callbacksOfType.known) { return try write() }
        let result = try callbacksOfType.probe(db, callbacks, write)
        forgetReturnedRowID()
        return result
    }

    /// The update of a record that is saved: it is followed by this insertion if it finds no row.
    @usableFromInline
    func update(_ db: Database, _ conflictResolution: Database.ConflictResolution?) -> RecordWrite {
        if let updateBeforeInsertion { return updateBeforeInsertion }
        let update = db.write(.update(conflictResolution, nil), of: request.record)
        if update.epoch == epoch { updateBeforeInsertion = update }
        return update
    }

    /// Whether an upsert returns the rowid depends on the callbacks.
    @usableFromInline
    func forgetReturnedRowID() {
        guard request.isUpsert else { return }
        last = nil
        others = [:]
    }

    // MARK: Containers

    /// Inserts or upserts the values of a container.
    @usableFromInline
    func insert(_ db: Database, _ container: inout PersistenceContainer) throws -> InsertionSuccess {
        let plan = try plan(db, &container)
        var rowID: Int64?
        if plan.returnsRows {
            rowID = try plan.fetchRow(db, container, Upsert.rowID).flatMap { $0 }
        } else {
            try plan.run(db, container)
        }
        spareValues = container.values
        return try InsertionSuccess(db, plan, container, rowID: rowID)
    }

    /// Inserts the values of a container and calls the user's closure with the statement.
    func insert<T>(
        _ db: Database, _ container: inout PersistenceContainer, _ fetch: (Statement) throws -> T
    ) throws -> (InsertionSuccess, T) {
        let plan = try plan(db, &container)
        let value = try plan.fetch(db, container, fetch)
        return (try InsertionSuccess(db, plan, container), value)
    }

    /// Upserts the values of a container and decodes the returned row.
    func upsert<T>(
        _ db: Database, _ container: inout PersistenceContainer, _ decode: (Row) throws -> T
    ) throws -> (InsertionSuccess, T)? {
        let plan = try plan(db, &container)
        let hasRowID = plan.primaryKey.tableHasRowID
        let fetched = try plan.fetchRow(db, container) { row in (hasRowID ? Upsert.rowID(row) : nil, try decode(row)) }
        guard let (rowID, value) = fetched else { return nil }
        return (try InsertionSuccess(db, plan, container, rowID: rowID), value)
    }

    /// Updates the row of a container.
    ///
    /// - Returns: whether there is such a row.
    @usableFromInline
    func update(_ db: Database, _ plan: WritePlan, _ container: PersistenceContainer) throws -> Bool {
        defer { spareValues = container.values }
        return try plan.update(db, container)
    }

    /// Whether a callback runs before the insertion of a record that is saved.
    var callsBeforeInsertion: Bool { !callbacksOfType.implemented.isDisjoint(with: [.willInsert, .aroundInsert]) }

    /// The columns that an update writes; nil for all.
    @usableFromInline
    var updatedColumns: Set<String>? { columns?.names }

    /// Whether a callback receives the columns of an update.
    @usableFromInline
    var needsColumns: Bool { !callbacksOfType.implemented.isDisjoint(with: .receivingColumns) }

    /// The columns of an update, for callbacks.
    @usableFromInline
    func changedColumns(_ db: Database, _ container: inout PersistenceContainer) throws -> Set<String> {
        let columns = try plan(db, &container).changedColumns
        spareValues = container.values
        return columns
    }

    /// Whether a record that is to be updated or inserted has its primary key.
    func hasPrimaryKey(_ db: Database, _ container: inout PersistenceContainer) throws -> Bool {
        if let last, container.hasOnly(last.columns) { return last.hasKey(container) }
        container.finish()
        if let known = others[container.columns] { return known.hasKey(container) }
        let columns = try db.insertedKey(request.record.databaseTable).columns
        return !columns.isEmpty && columns.allSatisfy { !(container.value(forColumn: $0)?.isNull ?? true) }
    }
}
