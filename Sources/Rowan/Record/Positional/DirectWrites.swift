// Insertions and updates of generated records whose type implements no callback: the values go straight to the statement,
// without a container (benchmarks insert-record, update-place-record).

/// The plan of a statement whose parameters are the properties of a generated record.
final class DirectPlan {
    let plan: PersistencePlan
    /// The parameter of each property, 0 for a property without one.
    let places: [CInt]
    /// Whether the table keeps the rowid in the property that the layout names.
    let keepsRowID: Bool

    init?(_ plan: PersistencePlan, _ layout: RecordLayout) {
        let stored = layout.names.indices.filter { !layout.generated.contains($0) }
        // What the statement adds, and what it leaves to others, takes the way through a container.
        guard plan.columns == stored.map({ layout.names[$0] }), plan.constants.isEmpty, !plan.returnsRows,
            !plan.isOnView,
            !plan.leavesOutColumns
        else { return nil }
        var places = [CInt](repeating: 0, count: layout.names.count)
        for (parameter, value) in (plan.order ?? Array(stored.indices)).enumerated() {
            // A key that is assigned to itself has two parameters.
            guard places[stored[value]] == 0 else { return nil }
            places[stored[value]] = CInt(parameter + 1)
        }
        self.plan = plan
        self.places = places
        keepsRowID = InsertionSuccess.keepsRowID(plan.primaryKey.rowIDColumn, layout)
    }

    /// Binds the values, and runs the statement.
    func run(_ db: Database, _ layout: RecordLayout, _ bind: (inout RecordBinder) throws -> Void) throws {
        let use = try db.connection.use(plan.sql)
        let statement = use.statement
        let buffer = db.recordPlans.bindingBuffer
        try statement.run(in: buffer) { handle throws -> CInt in
            try places.withUnsafeBufferPointer { places in
                var binder = RecordBinder(handle, places.baseAddress, buffer, layout)
                try bind(&binder)
                return binder.code
            }
        } arguments: {
            // For the error: the values, which are bound no more.
            var binder = RecordBinder(PersistenceContainer(), layout)
            try bind(&binder)
            let values = binder.container.values
            return StatementArguments(values: plan.order.map { $0.map { values[$0] } } ?? values)
        }
    }
}

extension PlanGroup {
    /// Runs the first insertion of a generated type, which reveals whether the type implements callbacks.
    @usableFromInline
    func probeInsertion(_ db: Database, _ type: any Any.Type, _ insert: () throws -> Void) throws {
        let callbacks = try db.probingCallbacks(of: type, insert)
        bindsDirectly = callbacks.isDisjoint(with: .beforeOrAround.union(.did))
    }

    /// Runs the first update of a generated type, which reveals whether the type implements callbacks.
    @usableFromInline
    func probeUpdate(_ db: Database, _ type: any Any.Type, _ update: () throws -> Void) throws {
        // The update must not start a probe of its own.
        usesColumns = true
        let callbacks: InsertionCallbacks
        do { callbacks = try db.probingCallbacks(of: type, update) } catch {
            usesColumns = nil
            throw error
        }
        usesColumns = !callbacks.isDisjoint(with: .update)
        bindsDirectly = callbacks.isDisjoint(
            with: [.willSave, .aroundSave, .willUpdate, .aroundUpdate, .didUpdate, .didSave])
    }

    /// The plan of an insertion; nil if it needs a container.
    private func directPlan(
        _ layout: RecordLayout, _ make: ([String]) throws -> PersistencePlan
    ) throws -> DirectPlan? {
        if let direct { return direct }
        let columns = layout.names.indices.filter { !layout.generated.contains($0) }.map { layout.names[$0] }
        guard let plan = DirectPlan(try make(columns), layout) else {
            bindsDirectly = false
            return nil
        }
        direct = plan
        return plan
    }

    /// Inserts a record.
    ///
    /// - Returns: whether the record was inserted, and the rowid that it keeps.
    @usableFromInline
    func insert(
        _ db: Database, _ insertion: Insertion, _ layout: RecordLayout, _ bind: (inout RecordBinder) throws -> Void
    ) throws -> (isInserted: Bool, rowID: Int64?) {
        guard let direct = try directPlan(layout, { try insertion.makePlan(db, columns: $0) }) else {
            return (false, nil)
        }
        try direct.run(db, layout, bind)
        return (true, direct.keepsRowID && db.changesCount > 0 ? db.lastInsertedRowID : nil)
    }

    /// Updates the row of a record.
    ///
    /// - Returns: whether a row was found; nil if the update needs a container.
    @usableFromInline
    func update(
        _ db: Database, _ modification: Modification, _ layout: RecordLayout,
        _ bind: (inout RecordBinder) throws -> Void
    ) throws -> Bool? {
        let plan = try directPlan(layout) { columns in
            try modification.makePlan(
                db, PersistenceContainer(columns: columns))
        }
        guard let plan else { return nil }
        try plan.run(db, layout, bind)
        return db.changesCount > 0
    }
}

extension PersistenceContainer {
    /// A container with columns alone, for a plan.
    fileprivate init(columns: [String]) {
        self.init(expecting: columns, reusing: Array(repeating: .null, count: columns.count))
        setCount = columns.count
    }
}

extension MutablePersistableRecord {
    @inlinable
    mutating func insertDirectly(
        _ db: Database, _ group: PlanGroup, _ insertion: Insertion, _ layout: RecordLayout
    ) throws {
        let (isInserted, rowID) = try group.insert(db, insertion, layout) { try self._bind(to: &$0) }
        guard isInserted else { return try inserting(db, insertion) }
        if let rowID { _didInsert(rowID: rowID) }
    }

    /// - Returns: false if the update needs a container.
    @inlinable
    func updateDirectly(
        _ db: Database, _ group: PlanGroup, _ modification: Modification, _ layout: RecordLayout
    ) throws -> Bool {
        guard let isFound = try group.update(db, modification, layout, { try self._bind(to: &$0) }) else {
            return false
        }
        if !isFound { throw recordNotFound(db) }
        return true
    }

    /// Keeps the rowid of an insertion that took the way through a container.
    @inlinable
    mutating func keepRowID(_ inserted: InsertionSuccess) {
        if let layout = Self._recordLayout, inserted.keepsRowID(layout) { _didInsert(rowID: inserted.rowID) }
    }
}

extension InsertionSuccess {
    /// Whether the record keeps the rowid.
    @usableFromInline
    func keepsRowID(_ layout: RecordLayout) -> Bool { Self.keepsRowID(key.rowIDColumn, layout) }

    static func keepsRowID(_ column: String?, _ layout: RecordLayout) -> Bool {
        guard let column, let property = layout.rowIDProperty else { return false }
        return column.isSameDatabaseName(as: layout.names[property])
    }

    /// An insertion whose conflict was ignored has no rowid: that of the connection is another row's.
    @usableFromInline
    mutating func forgetKeyIfIgnored(_ db: Database) {
        if db.changesCount == 0, key.rowIDColumn != nil { key = InsertedKey(rowIDColumn: nil, probe: key.probe) }
    }
}
