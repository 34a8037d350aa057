// What a group of plans does with a container: it finds or makes the plan for its columns and runs it.

extension PlanGroup {
    /// Inserts the content of a container.
    @usableFromInline
    func insert(
        _ db: Database, _ container: inout PersistenceContainer, _ insertion: Insertion
    ) throws -> InsertionSuccess {
        let plan: PersistencePlan
        if let known = knownPlan(for: &container) {
            plan = known
        } else {
            plan = keep(try insertion.makePlan(db, columns: container.columns))
        }
        try plan.run(db, container)
        spareValues = container.values
        return try InsertionSuccess(db, plan, container)
    }

    /// Runs the first update of a type, which reveals whether its callbacks receive the columns.
    @usableFromInline
    func probe<T>(_ db: Database, _ type: any Any.Type, _ update: () throws -> T) throws -> T {
        var result: T?
        let callbacks = try db.probingCallbacks(of: type) { result = try update() }
        usesColumns = !callbacks.isDisjoint(with: .update)
        // The probe has run the closure and rethrown its error.
        return result!
    }

    @usableFromInline
    func changedColumns(
        _ db: Database, _ container: inout PersistenceContainer, _ modification: Modification
    ) throws -> Set<String> {
        let columns = try updatePlan(db, &container, modification).changedColumns
        spareValues = container.values
        return columns
    }

    @usableFromInline
    func updatePlan(
        _ db: Database, _ container: inout PersistenceContainer, _ modification: Modification
    ) throws -> PersistencePlan {
        if let plan = knownPlan(for: &container) {
            guard plan.leavesOutColumns else { return plan }
            // After another connection has added these columns, SQLite would run it without an error.
            try db.validateCache()
            if db.connection.schemaEpoch == epoch { return plan }
            return try modification.makePlan(db, container)
        }
        return keep(try modification.makePlan(db, container))
    }

    /// Whether a record that is to be updated or inserted has its primary key.
    func hasPrimaryKey(
        _ db: Database, _ container: inout PersistenceContainer, of type: any MutablePersistableRecord.Type
    ) throws -> Bool {
        if let plan = knownPlan(for: &container) { return plan.hasKey(container) }
        let columns = try db.insertedKey(type.databaseTable).columns
        return !columns.isEmpty && columns.allSatisfy { !(container.value(forColumn: $0)?.isNull ?? true) }
    }

    /// Updates the row of a container, without callbacks; nil if there is no such row.
    func update(
        _ db: Database, _ container: inout PersistenceContainer, _ modification: Modification
    ) throws -> PersistenceSuccess? {
        let plan = try updatePlan(db, &container, modification)
        guard try update(db, plan, container) != nil else { return nil }
        return PersistenceSuccess(persistenceContainer: container)
    }

    /// Runs an update of one row; nil if it finds no row.
    @usableFromInline
    func update(_ db: Database, _ plan: PersistencePlan, _ container: PersistenceContainer) throws -> Void? {
        defer { spareValues = container.values }
        return try plan.updateRow(db, container)
    }
}
