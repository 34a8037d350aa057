// A statement that is writing, and who observes which of its changes.

/// The first step of a statement that writes: SQLite makes all changes in it.
struct RunningWrite {
    /// A kind of changes, and its observers.
    struct Target {
        let write: StatementWrites.Write
        var registrations: [ObserverRegistration]
    }

    let writes: StatementWrites
    let targets: [Target]
    /// The number of changes of the connection before the statement.
    let totalChangesCount: Int
    /// The targets of the tables that SQLite has reported, by the address of their names, which stay the same during a
    /// statement.
    private var known: [(operation: CInt, schema: UInt, table: UInt, target: Int?)] = []

    /// - Parameter registrations: the observers, which are asked which changes they observe.
    init(_ writes: StatementWrites, _ registrations: [ObserverRegistration], totalChangesCount: Int) {
        self.writes = writes
        self.totalChangesCount = totalChangesCount
        targets = writes.writes.map { write in
            Target(
                write: write,
                registrations: registrations.filter {
                    !$0.isStopped && $0.observer?.observes(eventsOfKind: write.kind) == true
                })
        }
    }

    /// The target of a change that SQLite reports, or nil for a table of which only virtual tables know.
    mutating func target(
        _ operation: CInt, _ schema: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>
    ) -> Target? {
        let addresses = (UInt(bitPattern: schema), UInt(bitPattern: table))
        if let known = known.first(where: {
            $0.operation == operation && $0.schema == addresses.0 && $0.table == addresses.1
        }) {
            return known.target.map { targets[$0] }
        }
        let index = find(operation, String(cString: schema), String(cString: table))
        known.append((operation, addresses.0, addresses.1, index))
        return index.map { targets[$0] }
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
