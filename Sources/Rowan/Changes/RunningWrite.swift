// A statement that is writing, and the receivers of its changes.

/// The first step of a writing statement, in which SQLite makes all changes.
final class RunningWrite {
    /// A kind of change and its receivers.
    struct Target {
        let write: StatementWrites.Write
        /// The subscribers that request rows.
        let rowReceivers: [RowReceiver]
        /// The observers that receive values.
        let valueReceivers: [(observer: any PreUpdateObserver, pause: ObserverSubscriber.Pause)]
        /// SQLite's reporting of values; nil if there are no receivers.
        let layout: PreUpdateLayout?
        /// The subscribers that receive a change after the statement, and whether they receive it by rows.
        let subscribers: [(subscriber: any ChangeSubscriber, receivesRows: Bool)]
        /// Whether SQLite has reported a row.
        var hasRows = false

        /// Whether the region has subscribers.
        let hasRegionSubscribers: Bool

        /// Whether all subscribers have received the change by rows.
        var isToldByRows: Bool { hasRows && !hasRegionSubscribers && !write.isHidden }
    }

    let writes: StatementWrites
    @exclusivity(unchecked) var targets: [Target] = []
    /// The number of changes of the connection before the statement.
    private(set) var totalChangesCount: Int
    /// The interests of the subscribers, write by write.
    private let answers: [ChangeInterest]
    private let receivers: [RowReceiver?]
    /// The targets of the tables that SQLite has reported, by the address of their names, which doesn't change during a
    /// statement.
    @exclusivity(unchecked) private var known: [(operation: CInt, schema: UInt, table: UInt, target: Int?)] = []

    /// Queries the subscribers' interests.
    ///
    /// - Parameter last: the last write of the same statement, with the same subscribers. It is reused if their
    ///   interests are the same: with many subscribers, most of the time would be spent on creating lists of them.
    static func begin(
        _ writes: StatementWrites, _ subscribers: [any ChangeSubscriber], _ db: Database, reusing last: RunningWrite?
    ) -> RunningWrite {
        let receivers = last?.receivers ?? subscribers.map(\.rowReceiver)
        var answers: [ChangeInterest] = []
        answers.reserveCapacity(writes.writes.count * receivers.count)
        for write in writes.writes {
            for receiver in receivers { answers.append(receiver?.interest(in: write.table, write.kind) ?? .none) }
        }
        guard let last, last.answers == answers else {
            return RunningWrite(writes, subscribers, receivers, answers, db)
        }
        last.totalChangesCount = db.connection.totalChangesCount
        last.known.removeAll(keepingCapacity: true)
        for index in last.targets.indices { last.targets[index].hasRows = false }
        return last
    }

    private init(
        _ writes: StatementWrites, _ subscribers: [any ChangeSubscriber], _ receivers: [RowReceiver?],
        _ answers: [ChangeInterest], _ db: Database
    ) {
        self.writes = writes
        self.receivers = receivers
        self.answers = answers
        totalChangesCount = db.connection.totalChangesCount
        let receivesValues = subscribers.contains { ($0 as? ObserverSubscriber)?.isPreUpdateObserver == true }
        let layouts = receivesValues ? writes.preUpdateLayouts(db) : []
        targets = writes.writes.enumerated().map { index, write in
            var rowReceivers: [RowReceiver] = []
            var interested: [(subscriber: any ChangeSubscriber, receivesRows: Bool)] = []
            for (number, subscriber) in subscribers.enumerated() {
                switch answers[index * subscribers.count + number] {
                case .none: continue
                case .region: interested.append((subscriber, false))
                case .rows:
                    guard let receiver = receivers[number] else { continue }
                    rowReceivers.append(receiver)
                    interested.append((subscriber, true))
                }
            }
            return Target(
                write: write, rowReceivers: rowReceivers,
                valueReceivers: receivesValues
                    ? interested.compactMap { ($0.subscriber as? ObserverSubscriber)?.valueReceiver } : [],
                layout: receivesValues ? layouts[index] : nil, subscribers: interested,
                hasRegionSubscribers: interested.contains { !$0.receivesRows })
        }
    }

    /// Whether SQLite must report the rows that the statement changes.
    var needsRows: Bool {
        targets.contains { !$0.rowReceivers.isEmpty }
            || !writes.changeTogether && targets.contains { !$0.write.isHidden && $0.hasRegionSubscribers }
    }

    /// The index of the target for a change that SQLite reports; nil for a table that the statement does not name, such
    /// as the tables in which a virtual table stores its rows.
    func target(
        _ operation: CInt, _ schema: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>
    ) -> Int? {
        let addresses = (UInt(bitPattern: schema), UInt(bitPattern: table))
        for known in known
        where known.operation == operation && known.schema == addresses.0 && known.table == addresses.1 {
            return known.target
        }
        let index = find(operation, String(cString: schema), String(cString: table))
        known.append((operation, addresses.0, addresses.1, index))
        return index
    }

    private func find(_ operation: CInt, _ schema: String, _ table: String) -> Int? {
        guard let kind = DatabaseEvent.Kind(rawValue: operation) else { return nil }
        return targets.firstIndex {
            let write = $0.write
            return write.kind.isKind(of: kind) && write.table.name.isSameDatabaseName(as: table)
                && write.table.schema.isSameDatabaseName(as: schema)
        }
    }
}
