// A statement that is writing, and who hears of which of its changes.

/// The first step of a statement that writes: SQLite makes all changes in it.
final class RunningWrite {
    /// A kind of changes, and who hears of them.
    struct Target {
        let write: StatementWrites.Write
        /// The subscribers that ask for rows.
        let rowReceivers: [RowReceiver]
        /// The observers that receive values.
        let valueReceivers: [(observer: any PreUpdateObserver, pause: ObserverSubscriber.Pause)]
        /// How SQLite reports values; nil if nobody receives them.
        let layout: PreUpdateLayout?
        /// The subscribers that hear of a change after the statement, with whether rows tell them about it.
        let subscribers: [(subscriber: any ChangeSubscriber, receivesRows: Bool)]
        /// Whether SQLite has reported a row.
        var hasRows = false

        /// Whether anybody waits for the region.
        var hasRegionSubscribers: Bool { subscribers.contains { !$0.receivesRows } }
    }

    let writes: StatementWrites
    @exclusivity(unchecked) var targets: [Target] = []
    /// The number of changes of the connection before the statement.
    let totalChangesCount: Int
    /// The targets of the tables that SQLite has reported, by the address of their names, which stay the same during a
    /// statement.
    @exclusivity(unchecked) private var known: [(operation: CInt, schema: UInt, table: UInt, target: Int?)] = []

    /// - Parameter subscribers: they are asked what they want to know.
    init(_ writes: StatementWrites, _ subscribers: [any ChangeSubscriber], _ db: Database) {
        self.writes = writes
        totalChangesCount = db.connection.totalChangesCount
        let receivesValues = subscribers.contains { ($0 as? ObserverSubscriber)?.isPreUpdateObserver == true }
        let layouts = receivesValues ? writes.preUpdateLayouts(db) : []
        targets = writes.writes.enumerated().map { index, write in
            var rowReceivers: [RowReceiver] = []
            var interested: [(subscriber: any ChangeSubscriber, receivesRows: Bool)] = []
            for subscriber in subscribers {
                switch subscriber.interest(in: write.table, write.kind) {
                case .none: continue
                case .region: interested.append((subscriber, false))
                case .rows:
                    guard let receiver = subscriber.rowReceiver else { continue }
                    rowReceivers.append(receiver)
                    interested.append((subscriber, true))
                }
            }
            return Target(
                write: write, rowReceivers: rowReceivers,
                valueReceivers: receivesValues
                    ? interested.compactMap { ($0.subscriber as? ObserverSubscriber)?.valueReceiver } : [],
                layout: receivesValues ? layouts[index] : nil, subscribers: interested)
        }
    }

    /// Whether SQLite must report the rows that the statement changes.
    var needsRows: Bool {
        targets.contains { !$0.rowReceivers.isEmpty }
            || !writes.changeTogether && targets.contains { !$0.write.isHidden && $0.hasRegionSubscribers }
    }

    /// The index of the target of a change that SQLite reports; nil for a table that the statement does not name, such
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
