// What a connection keeps about the records that it reads and writes, by type. It is removed when the connection
// releases its statements.

/// What a connection keeps about all record types.
@usableFromInline
final class RecordPlans: ConnectionStateValue {
    @inlinable static var place: ConnectionState.Place { .init(2, .statements) }

    private var states: [ObjectIdentifier: RecordState] = [:]
    /// The last used state: the next record most likely has the same type.
    @exclusivity(unchecked) private var last: RecordState?
    /// The last write, which most likely is repeated, and its key. Separate properties, because a copy of all of them
    /// would retain several objects for each record (benchmark insert-record).
    @exclusivity(unchecked) private var lastWrite: RecordWrite?
    @exclusivity(unchecked) private var lastPlan: PositionalPlan?
    @exclusivity(unchecked) private var lastID: ObjectIdentifier?
    @exclusivity(unchecked) private var lastCode: UInt8 = 0
    @exclusivity(unchecked) private var lastColumns: ChangedColumns?
    @exclusivity(unchecked) private var lastEpoch = 0
    /// The memory of parameters.
    private(set) lazy var bindingBuffer = BindingBuffer()

    private static let capacity = 512

    /// What the connection keeps about a type.
    @inline(__always)
    func state(of type: any Any.Type) -> RecordState {
        let id = ObjectIdentifier(type)
        if let last, last.id == id { return last }
        return findState(id)
    }

    @inline(never)
    private func findState(_ id: ObjectIdentifier) -> RecordState {
        if states[id] == nil, states.count > Self.capacity { states.removeAll() }
        let state = states[id] ?? RecordState(id)
        states[id] = state
        last = state
        return state
    }

    @inline(__always)
    private func isLast(_ id: ObjectIdentifier, _ code: UInt8, _ columns: ChangedColumns?, _ epoch: Int) -> Bool {
        lastID == id && lastCode == code && lastEpoch == epoch && lastColumns === columns
    }

    /// The plan of the last write for values by position, if the write has this key.
    @inline(__always)
    func lastPlan(
        _ id: ObjectIdentifier, _ code: UInt8, _ columns: ChangedColumns?, epoch: Int
    ) -> PositionalPlan? {
        isLast(id, code, columns, epoch) ? lastPlan : nil
    }

    /// The write of an operation on the records of a type, for a version of the schema.
    func write(
        _ operation: WriteOperation, of record: any MutablePersistableRecord.Type, epoch: Int
    ) -> RecordWrite {
        let (id, code, columns) = (ObjectIdentifier(record), operation.code, operation.columns)
        if isLast(id, code, columns, epoch), let lastWrite {
            lastPlan = lastWrite.positional
            return lastWrite
        }
        let write = state(of: record).write(operation, of: record, epoch: epoch)
        (lastID, lastCode, lastColumns, lastEpoch) = (id, code, columns, epoch)
        (lastWrite, lastPlan) = (write, write.positional)
        return write
    }
}

/// What a connection keeps about the records of one type.
@usableFromInline
final class RecordState {
    let id: ObjectIdentifier
    /// The fetch by primary key.
    @exclusivity(unchecked) var fetchByKey: KeyPlan?
    /// The deletion by primary key.
    @exclusivity(unchecked) var deletionByKey: KeyPlan?
    /// The columns of the records, for updates of the changed ones.
    let stored = StoredColumns()
    private let callbacks: KnownCallbacks
    private var writes: [WriteOperation: RecordWrite] = [:]

    private static let capacity = 512

    init(_ id: ObjectIdentifier) {
        self.id = id
        callbacks = KnownCallbacks(id)
    }

    /// The write of an operation, for a version of the schema.
    func write(
        _ operation: WriteOperation, of record: any MutablePersistableRecord.Type, epoch: Int
    ) -> RecordWrite {
        if let write = writes[operation], write.epoch == epoch { return write }
        if writes.count > Self.capacity { writes.removeAll() }
        let write = makeWrite(WriteRequest(record, operation), epoch: epoch)
        writes[operation] = write
        return write
    }

    /// A write whose plans are not kept.
    func makeWrite(_ request: WriteRequest, epoch: Int) -> RecordWrite { RecordWrite(request, callbacks, epoch: epoch) }
}

extension Database {
    var recordPlans: RecordPlans { state.value(orMake: RecordPlans()) }

    /// The write of an operation on the records of a type.
    @usableFromInline
    func write(_ operation: WriteOperation, of record: any MutablePersistableRecord.Type) -> RecordWrite {
        recordPlans.write(operation, of: record, epoch: connection.schemaEpoch)
    }

    /// The plan of an operation for values by position; nil if it isn't known, or records need a container.
    @inlinable @inline(__always)
    func positionalPlan(
        _ operation: WriteOperation, of record: any MutablePersistableRecord.Type
    ) -> PositionalPlan? {
        lastPlan(ObjectIdentifier(record), operation.code, operation.columns)
            ?? write(operation, of: record).positional
    }

    @usableFromInline
    func lastPlan(_ id: ObjectIdentifier, _ code: UInt8, _ columns: ChangedColumns?) -> PositionalPlan? {
        recordPlans.lastPlan(id, code, columns, epoch: connection.schemaEpoch)
    }

    /// A write. If its statement depends on more than the columns, its plans are not kept.
    func write(_ request: WriteRequest) -> RecordWrite {
        if request.isKept { return write(request.operation, of: request.record) }
        return recordPlans.state(of: request.record).makeWrite(request, epoch: connection.schemaEpoch)
    }

    /// The columns that the records of a type store.
    @usableFromInline
    func storedColumns(of type: any Any.Type) -> StoredColumns { recordPlans.state(of: type).stored }
}
