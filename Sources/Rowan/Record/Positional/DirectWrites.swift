// Writes of generated records whose type implements no callback. The values go straight to the statement, without a
// container (benchmarks insert-record, update-place-record).

/// A statement whose parameters are the properties of a generated record.
@usableFromInline
final class DirectPlan {
    private let plan: PersistencePlan
    private let sql: PreparedSQL
    private let layout: RecordLayout
    /// The parameter of each property, or 0 for a property without one; nil if the parameters are the properties in
    /// order.
    private let places: UnsafeMutablePointer<CInt>?
    /// Whether the table keeps the rowid in the property that the layout names.
    private let keepsRowID: Bool
    private let buffer: BindingBuffer

    /// - Returns: nil if the statement needs a container because it has its own values or leaves out some of the
    ///   record's.
    init?(_ plan: PersistencePlan, _ layout: RecordLayout, _ buffer: BindingBuffer) {
        let stored = layout.storedProperties
        guard plan.columns == stored.map({ layout.names[$0] }), plan.constants.isEmpty, !plan.isOnView,
            !plan.leavesOutColumns
        else { return nil }
        var places = [CInt](repeating: 0, count: layout.names.count)
        for (parameter, value) in (plan.order ?? Array(stored.indices)).enumerated() {
            // A key that is assigned to itself has two parameters.
            guard places[stored[value]] == 0 else { return nil }
            places[stored[value]] = CInt(parameter + 1)
        }
        self.plan = plan
        self.layout = layout
        self.buffer = buffer
        sql = plan.sql
        keepsRowID = InsertionSuccess.keepsRowID(plan.primaryKey.rowIDKey, layout)
        if places == places.indices.map({ CInt($0 + 1) }) {
            self.places = nil
        } else {
            self.places = .allocate(capacity: places.count)
            self.places?.initialize(from: places, count: places.count)
        }
    }

    deinit { places?.deallocate() }

    /// Inserts or upserts a record.
    ///
    /// - Returns: the rowid if the record keeps it.
    @usableFromInline
    func insert(_ db: Database, _ bind: (inout RecordBinder) throws -> Void) throws -> Int64? {
        let returned = try run(db.connection, bind)
        let keepsRowID =
            plan.epoch == db.connection.schemaEpoch
            ? keepsRowID : try InsertionSuccess.keepsRowID(db.insertedKey(plan).rowIDKey, layout)
        // A row whose conflict was ignored has no rowid.
        guard keepsRowID, db.connection.changesCount > 0 else { return nil }
        // Only an upsert returns a row, because SQLite does not report the rowid of an updated row.
        return returned ?? db.connection.lastInsertedRowID
    }

    /// Updates or deletes the row of a record.
    ///
    /// - Returns: whether the row exists.
    @usableFromInline
    func update(_ db: Database, _ bind: (inout RecordBinder) throws -> Void) throws -> Bool {
        _ = try run(db.connection, bind)
        return db.connection.changesCount > 0
    }

    /// Updates the row of a record.
    ///
    /// - Returns: whether the row exists, even if a trigger ignored the update.
    @usableFromInline
    func updateRow(_ db: Database, _ bind: (inout RecordBinder) throws -> Void) throws -> Bool {
        try update(db, bind) || plan.wasIgnored(db, container(bind))
    }

    /// Runs a query of a single row.
    ///
    /// - Returns: the last value of the row, as an integer.
    func integer(_ db: Database, _ bind: (inout RecordBinder) throws -> Void) throws -> Int64? {
        try run(db.connection, bind)
    }

    @inline(__always)
    private func run(_ connection: LocalConnection, _ bind: (inout RecordBinder) throws -> Void) throws -> Int64? {
        // A function that the statement calls may also write records of this type. These use another statement.
        try DatabaseError.namingColumns(plan.columns, try container(bind).values) {
            try connection.borrow(sql) { statement in
                try statement.run(in: buffer) { handle throws -> CInt in
                    var binder = RecordBinder(handle, places, buffer, layout)
                    try bind(&binder)
                    return binder.code
                } arguments: {
                    let values = try container(bind).values
                    return StatementArguments(values: plan.order.map { $0.map { values[$0] } } ?? values)
                }
            }
        }
    }

    /// The values of the columns, for handling a failure.
    private func container(_ bind: (inout RecordBinder) throws -> Void) throws -> PersistenceContainer {
        var container = PersistenceContainer()
        try withUnsafeMutablePointer(to: &container) { container in
            var binder = RecordBinder(container, layout)
            try bind(&binder)
        }
        return container
    }
}

/// The direct update of a set of columns, and the conditions under which it is valid.
struct DirectChanges {
    /// The plan; nil if the update needs a container.
    let plan: DirectPlan?
    let code: UInt8
    let epoch: Int
}

extension ChangedColumns {
    /// The direct update of these columns; nil if it is unknown or needs a container.
    @usableFromInline
    func directPlan(_ db: Database, _ conflictResolution: Database.ConflictResolution?) -> DirectPlan? {
        guard let direct, direct.epoch == db.connection.schemaEpoch,
            direct.code == RecordPlans.DirectKey.code(.update, conflictResolution)
        else { return nil }
        return direct.plan
    }
}

extension InsertionCallbacks {
    /// All callbacks of an update.
    fileprivate static var ofUpdates: Self {
        [.willSave, .aroundSave, .willUpdate, .aroundUpdate, .didUpdate, .didSave]
    }
}

extension RecordLayout {
    /// The properties that are written.
    fileprivate var storedProperties: [Int] { names.indices.filter { !generated.contains($0) } }

    /// The columns that are written.
    fileprivate var storedColumns: [String] { storedProperties.map { names[$0] } }
}

extension Database {
    /// The direct write of a generated type; nil if it is unknown or needs a container.
    @usableFromInline
    func directPlan(
        of type: ObjectIdentifier, _ operation: PlanOperation, _ conflictResolution: ConflictResolution?
    ) -> DirectPlan? {
        let code = RecordPlans.DirectKey.code(operation, conflictResolution)
        if let recent = state.recentPlan, recent.type == type, recent.code == code,
            recent.epoch == connection.schemaEpoch
        {
            // Only the next function sets it.
            return unsafeDowncast(recent.plan, to: DirectPlan.self)
        }
        return findDirectPlan(of: type, operation, conflictResolution)
    }

    @inline(never)
    private func findDirectPlan(
        of type: ObjectIdentifier, _ operation: PlanOperation, _ conflictResolution: ConflictResolution?
    ) -> DirectPlan? {
        let key = RecordPlans.DirectKey(type, operation, conflictResolution, epoch: connection.schemaEpoch)
        guard let plan = recordPlans.directPlan(for: key) else { return nil }
        state.recentPlan = .init(type: type, code: key.code, epoch: key.epoch, plan: plan)
        return plan
    }

    func keep(
        _ plan: PersistencePlan, _ layout: RecordLayout, _ operation: PlanOperation,
        _ conflictResolution: ConflictResolution?
    ) {
        let key = RecordPlans.DirectKey(
            ObjectIdentifier(layout.record), operation, conflictResolution, epoch: connection.schemaEpoch)
        recordPlans.keep(plan, layout, for: key)
    }
}

extension MutablePersistableRecord {
    /// The insertion with all its callbacks. If the type implements none, the next insertion is direct.
    @usableFromInline
    mutating func insertWithCallbacks(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?
    ) throws {
        let insertion = Insertion(Self.self, conflictResolution)
        let group = insertion.planGroup(db)
        guard !group.isProbed else { return try inserting(db, insertion) }
        let callbacks = try db.probingCallbacks(of: Self.self) { try inserting(db, insertion) }
        group.isProbed = true
        guard callbacks.isDisjoint(with: .beforeOrAround.union(.did)), let layout = Self._tableLayout,
            layout.writesColumns
        else { return }
        db.keep(try insertion.makePlan(db, columns: layout.storedColumns), layout, .insert, conflictResolution)
    }

    /// Runs after the first upsert of a generated type. If the type implements no callback, the next one is direct.
    func keepDirectUpsert(_ db: Database, _ insertion: Insertion, _ callbacks: InsertionCallbacks) throws {
        guard callbacks.isDisjoint(with: .beforeOrAround.union(.did)), let layout = Self._tableLayout,
            layout.writesColumns
        else { return }
        db.keep(try insertion.makePlan(db, columns: layout.storedColumns), layout, .upsert, nil)
    }

    /// The update with all its callbacks. If the type implements none, the next update is direct.
    @usableFromInline
    func updateWithCallbacks(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?
    ) throws {
        let modification = Modification(Self.self, conflictResolution)
        let group = modification.planGroup(db)
        guard !group.isProbed else { return try updating(db, modification) }
        // The update must not start its own probe.
        group.usesColumns = true
        let callbacks: InsertionCallbacks
        do { callbacks = try db.probingCallbacks(of: Self.self) { try updating(db, modification) } } catch {
            group.usesColumns = nil
            throw error
        }
        group.isProbed = true
        group.usesColumns = !callbacks.isDisjoint(with: .update)
        guard
            callbacks.isDisjoint(with: .ofUpdates),
            let layout = Self._tableLayout, layout.writesColumns
        else { return }
        let columns = PersistenceContainer(columns: layout.storedColumns)
        db.keep(try modification.makePlan(db, columns), layout, .update, conflictResolution)
    }

    /// The update of changed columns with all its callbacks. If the type implements none, the next update of these columns
    /// is direct.
    @usableFromInline
    func updateWithCallbacks(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, _ changes: ChangedColumns
    ) throws {
        let modification = Modification(Self.self, conflictResolution, changes: changes)
        // Only sets of at most this many columns are kept.
        guard let layout = Self._tableLayout, layout.names.count <= UInt64.bitWidth else {
            return try updating(db, modification)
        }
        let code = RecordPlans.DirectKey.code(.update, conflictResolution)
        if let known = changes.direct, known.code == code, known.epoch == db.connection.schemaEpoch {
            return try updating(db, modification)
        }
        let callbacks = try db.probingCallbacks(of: Self.self) { try updating(db, modification) }
        var plan: DirectPlan?
        if callbacks.isDisjoint(with: .ofUpdates), layout.writesColumns {
            let columns = PersistenceContainer(columns: layout.storedColumns)
            plan = db.recordPlans.directPlan(try modification.makePlan(db, columns), layout)
        }
        changes.direct = DirectChanges(plan: plan, code: code, epoch: db.connection.schemaEpoch)
    }

    /// Finishes an insertion that used a container: a generated record keeps its rowid, which `didInsert` sees. Without
    /// an inserted row, there is nothing to keep: the last rowid of the connection belongs to another row.
    @inlinable
    mutating func finishInsertion(_ inserted: InsertionSuccess) {
        guard inserted.hasRow else { return }
        if let layout = Self._tableLayout, inserted.keepsRowID(layout) { _didInsert(rowID: inserted.rowID) }
        didInsert(inserted)
    }
}

extension PersistenceContainer {
    /// A container with columns alone, for a plan.
    fileprivate init(columns: [String]) {
        self.init(expecting: columns, reusing: Array(repeating: .null, count: columns.count))
        setCount = columns.count
    }
}

extension InsertionSuccess {
    /// Whether the record keeps the rowid.
    @usableFromInline
    func keepsRowID(_ layout: RecordLayout) -> Bool { Self.keepsRowID(key.rowIDKey, layout) }

    static func keepsRowID(_ column: String?, _ layout: RecordLayout) -> Bool {
        guard let column, let property = layout.rowIDProperty else { return false }
        return column.isSameDatabaseName(as: layout.names[property])
    }
}
