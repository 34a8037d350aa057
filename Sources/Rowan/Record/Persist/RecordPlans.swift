// The plans that a connection keeps for records: persistence methods, batches, and fetches and deletions by key. They
// are removed when the connection releases its statements.

@usableFromInline
final class RecordPlans: ConnectionStateValue {
    @inlinable static var place: ConnectionState.Place { .init(2, .statements) }

    /// The properties that determine a plan: a record type, an operation, and further properties of its statement.
    struct Key: Hashable {
        let type: ObjectIdentifier
        let operation: UInt8
        let detail: String?

        @inline(__always)
        init(
            _ type: any MutablePersistableRecord.Type, _ operation: PlanOperation,
            _ conflictResolution: Database.ConflictResolution, detail: String? = nil
        ) {
            self.type = ObjectIdentifier(type)
            self.operation = operation.rawValue << 4 | conflictResolution.planCode
            self.detail = detail
        }
    }

    private var groups: [Key: PlanGroup] = [:]
    /// The last used group and its key.
    @exclusivity(unchecked) private var lastGroup: PlanGroup?
    @exclusivity(unchecked) private var lastKey: Key?
    private var batches: [Key: BatchPlans] = [:]
    /// The last used fetch by primary key.
    @exclusivity(unchecked) var lastKeyPlan: (type: ObjectIdentifier, plan: KeyPlan)?
    /// The fetches by primary key, by record type.
    @exclusivity(unchecked) var keyPlans: [ObjectIdentifier: KeyPlan] = [:]
    /// The deletions by primary key, by record type.
    @exclusivity(unchecked) var deletionPlans: [ObjectIdentifier: KeyPlan] = [:]

    /// The known columns of record types.
    private var storedColumns: [ObjectIdentifier: StoredColumns] = [:]
    @exclusivity(unchecked) private var lastStored: (type: ObjectIdentifier, columns: StoredColumns)?

    /// The memory of parameters.
    private lazy var bindingBuffer = BindingBuffer()
    /// The direct writes of generated records.
    private var directPlans: [DirectKey: DirectPlan] = [:]

    private static let capacity = 512

    /// The plans of a key for a schema.
    func group(for key: Key, epoch: Int) -> PlanGroup {
        if lastKey == key, let lastGroup, lastGroup.epoch == epoch { return lastGroup }
        let group: PlanGroup
        if let known = groups[key], known.epoch == epoch {
            group = known
        } else {
            if groups.count > Self.capacity { groups.removeAll() }
            group = PlanGroup(epoch: epoch)
            groups[key] = group
        }
        lastKey = key
        lastGroup = group
        return group
    }

    /// The properties that determine a direct write: the record type, the operation, the conflict resolution given by
    /// the program, and the schema.
    struct DirectKey: Hashable {
        let type: ObjectIdentifier
        let code: UInt8
        let epoch: Int

        @inline(__always)
        init(
            _ type: ObjectIdentifier, _ operation: PlanOperation,
            _ conflictResolution: Database.ConflictResolution?, epoch: Int
        ) {
            self.type = type
            code = Self.code(operation, conflictResolution)
            self.epoch = epoch
        }

        @inline(__always)
        static func code(_ operation: PlanOperation, _ conflictResolution: Database.ConflictResolution?) -> UInt8 {
            operation.rawValue << 4 | (conflictResolution?.planCode ?? 15)
        }
    }

    /// A known direct write.
    func directPlan(for key: DirectKey) -> DirectPlan? { directPlans[key] }

    /// Keeps a direct write.
    func keep(_ plan: PersistencePlan, _ layout: RecordLayout, for key: DirectKey) {
        if directPlans.count > Self.capacity { directPlans.removeAll() }
        directPlans[key] = DirectPlan(plan, layout, bindingBuffer)
    }

    /// A direct write that its user keeps.
    func directPlan(_ plan: PersistencePlan, _ layout: RecordLayout) -> DirectPlan? {
        DirectPlan(plan, layout, bindingBuffer)
    }

    /// The known columns of a record type.
    func storedColumns(of type: ObjectIdentifier) -> StoredColumns {
        if let lastStored, lastStored.type == type { return lastStored.columns }
        let columns = storedColumns[type] ?? StoredColumns()
        storedColumns[type] = columns
        lastStored = (type, columns)
        return columns
    }

    /// The plans of batches of a key for a schema.
    func batch(for key: Key, epoch: Int) -> BatchPlans {
        let known = batches[key]
        if let known, known.epoch == epoch { return known }
        if batches.count > Self.capacity { batches.removeAll() }
        let batch = BatchPlans(epoch: epoch)
        batch.callbacks = known?.callbacks
        batches[key] = batch
        return batch
    }
}

extension Database {
    var recordPlans: RecordPlans { state.value(orMake: RecordPlans()) }
}
