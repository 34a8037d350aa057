// A statement that is writing, and who observes which of its changes.

/// The first step of a statement that writes: SQLite makes all changes in it.
struct RunningWrite {
    /// A kind of changes, and its observers.
    struct Target {
        let write: StatementWrites.Write
        /// They are retained while the statement runs: a change of a row loads no weak reference.
        let observers: [Observer]
        /// The observers that receive values.
        let preUpdateObservers: [PreUpdateObserverRegistration]
        /// How SQLite reports values; nil if nobody receives them.
        let layout: PreUpdateLayout?
    }

    /// A registration, and its observer.
    struct Observer {
        /// Safe: the running write retains the registrations.
        unowned(unsafe) let registration: ObserverRegistration
        let receiver: ObserverRegistration.Receiver
    }

    /// A registration, and its observer.
    struct PreUpdateObserverRegistration {
        /// Safe: the running write retains the registrations.
        unowned(unsafe) let registration: ObserverRegistration
        let observer: any PreUpdateObserver
    }

    let writes: StatementWrites
    let targets: [Target]
    private let registrations: [ObserverRegistration]
    /// The number of changes of the connection before the statement.
    let totalChangesCount: Int
    /// The targets of the tables that SQLite has reported, by the address of their names, which stay the same during a
    /// statement.
    private var known: [(operation: CInt, schema: UInt, table: UInt, target: Int?)] = []

    /// - Parameter registrations: the observers, which are asked which changes they observe.
    init(
        _ writes: StatementWrites, _ registrations: [ObserverRegistration], totalChangesCount: Int, _ db: Database
    ) {
        self.writes = writes
        self.registrations = registrations
        self.totalChangesCount = totalChangesCount
        let layouts = registrations.contains(where: \.isPreUpdateObserver) ? writes.preUpdateLayouts(db) : []
        targets = writes.writes.enumerated().map { index, write in
            let observers = Self.observers(of: write.kind, registrations)
            return Target(
                write: write, observers: observers,
                preUpdateObservers: layouts.isEmpty ? [] : Self.preUpdateObservers(observers),
                layout: layouts.isEmpty ? nil : layouts[index])
        }
    }

    private static func preUpdateObservers(_ observers: [Observer]) -> [PreUpdateObserverRegistration] {
        observers.compactMap { observer in
            observer.registration.preUpdateObserver.map {
                PreUpdateObserverRegistration(registration: observer.registration, observer: $0)
            }
        }
    }

    private static func observers(of kind: DatabaseEventKind, _ registrations: [ObserverRegistration]) -> [Observer] {
        var observers: [Observer] = []
        observers.reserveCapacity(registrations.count)
        for registration in registrations where !registration.isStopped {
            guard let receiver = registration.receiver, receiver.observes(kind) else { continue }
            observers.append(Observer(registration: registration, receiver: receiver))
        }
        return observers
    }

    /// The index of the target of a change that SQLite reports, or nil for a table of which only virtual tables know.
    mutating func target(
        _ operation: CInt, _ schema: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>
    ) -> Int? {
        let addresses = (UInt(bitPattern: schema), UInt(bitPattern: table))
        if let known = known.first(where: {
            $0.operation == operation && $0.schema == addresses.0 && $0.table == addresses.1
        }) {
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

extension ObserverRegistration.Receiver {
    fileprivate func observes(_ kind: DatabaseEventKind) -> Bool {
        switch self {
        case .events(let observer): observer.observes(eventsOfKind: kind)
        case .regions(let observer): observer.observes(eventsOfKind: kind)
        }
    }

    func databaseDidChange(with event: DatabaseEvent, of kind: DatabaseEventKind) {
        switch self {
        case .events(let observer): observer.databaseDidChange(with: event)
        case .regions(let observer): observer.databaseDidChange(with: event, of: kind)
        }
    }

    func databaseDidChange(in region: DatabaseRegion) {
        switch self {
        case .events(let observer): observer.databaseDidChange()
        case .regions(let observer): observer.databaseDidChange(in: region)
        }
    }
}
