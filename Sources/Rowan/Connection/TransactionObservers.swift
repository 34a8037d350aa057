// Tells the observers of a connection what its statements change, and how its transactions end. The truth comes from
// SQLite: profiles say what a statement may change, the update hook which rows it has changed, the commit hook that a
// transaction ends, the autocommit flag how it has ended.

/// The observers of a connection.
final class TransactionObservers: ConnectionStateValue {
    static var place: ConnectionState.Place { .transactionObservers }

    private unowned let db: Database
    private var registrations: [ObserverRegistration] = []
    private var tokens: [ConnectionHooks.Token] = []
    /// The statement that is running its first step.
    private var current: RunningWrite?
    private var outer: [RunningWrite?] = []
    /// The changes that wait for the release of savepoints.
    private var savepoints = PendingChanges()
    /// The commits of others, if they are observed.
    private var otherProcesses: OtherProcesses?
    /// How the current transaction looks to the observers.
    private var phase = Phase.idle

    private enum Phase {
        case idle
        /// Observers have received changes.
        case changed
        /// The observers have accepted the commit.
        case committing
    }

    init(_ db: Database) { self.db = db }

    // MARK: Adding and removing

    func add(_ observer: any TransactionObserver, _ extent: Database.TransactionObservationExtent) {
        removeDeallocated()
        registrations.append(ObserverRegistration(observer, extent, db.connection))
        start()
    }

    /// Observes the commits of other connections, too.
    ///
    /// - Throws: the error of the system.
    func observeOtherProcesses() throws {
        guard otherProcesses == nil else { return }
        otherProcesses = try OtherProcesses(db)
    }

    func remove(_ observer: any TransactionObserver) {
        if let index = registrations.firstIndex(where: { $0.isRegistration(of: observer) }) {
            registrations.remove(at: index)
        }
        removeDeallocated()
        stopIfUnused()
    }

    private func removeDeallocated() {
        if registrations.contains(where: { $0.observer == nil }) { registrations.removeAll { $0.observer == nil } }
    }

    /// Listens to SQLite.
    private func start() {
        guard tokens.isEmpty, let hooks = db.connection.hooks else { return }
        tokens = [
            hooks.onUpdate { [unowned self] in rowDidChange($0, $1, $2, $3) },
            hooks.onCommit { [unowned self] in willCommit() },
        ]
        db.connection.watchWrites(self)
        db.reportTransactionEnds()
    }

    /// Stops listening, so that statements without observers cost nothing.
    private func stopIfUnused() {
        guard registrations.isEmpty, !tokens.isEmpty, outer.isEmpty else { return }
        if let hooks = db.connection.hooks { for token in tokens { hooks.remove(token) } }
        (tokens, otherProcesses) = ([], nil)
        savepoints = PendingChanges()
        phase = .idle
        db.connection.watchWrites(nil)
    }

    // MARK: Changes

    private func rowDidChange(
        _ operation: CInt, _ schema: UnsafePointer<CChar>?, _ table: UnsafePointer<CChar>?, _ rowID: Int64
    ) {
        guard current != nil, let schema, let table, let index = current!.target(operation, schema, table),
            let kind = DatabaseEvent.Kind(rawValue: operation)
        else { return }
        let observers = current!.targets[index].observers
        guard !observers.isEmpty else { return }
        let write = current!.targets[index].write
        let event = DatabaseEvent(kind: kind, rowID: rowID, table: write.table)
        guard savepoints.isEmpty else {
            for observer in observers { deliver(.row(event, write.kind), to: observer.registration) }
            return
        }
        observers.withUnsafeBufferPointer { observers in
            for index in observers.indices where !observers[index].registration.isStopped {
                if phase == .idle { phase = .changed }
                observers[index].receiver.databaseDidChange(with: event, of: write.kind)
            }
        }
    }

    private func deliver(_ change: PendingChanges.Change, to registration: ObserverRegistration) {
        guard !registration.isStopped else { return }
        guard savepoints.isEmpty else { return savepoints.append(change, for: registration) }
        send(change, to: registration)
    }

    private func send(_ change: PendingChanges.Change, to registration: ObserverRegistration) {
        guard !registration.isStopped, let receiver = registration.receiver else { return }
        if phase == .idle { phase = .changed }
        switch change {
        case .row(let event, let kind): receiver.databaseDidChange(with: event, of: kind)
        case .region(let region): receiver.databaseDidChange(in: region)
        }
    }

    private func flush(_ changes: [PendingChanges.Delivery]) {
        for delivery in changes { send(delivery.change, to: delivery.registration) }
    }

    /// Reports changes that only the program knows.
    ///
    /// - Parameter eventKinds: kinds of changes in the region: observers of one of them are notified.
    func notifyChanges(in region: DatabaseRegion, eventKinds: [DatabaseEventKind]) {
        for registration in registrations where !registration.isStopped {
            let isObserver =
                registration.regionObserver != nil
                || eventKinds.contains { kind in
                    registration.observer?.observes(eventsOfKind: kind) == true
                }
            if isObserver { deliver(.region(region), to: registration) }
        }
        guard !db.isInsideTransaction else { return }
        // No commit follows.
        phase = .idle
        for registration in registrations { registration.regionObserver?.databaseDidCommit(db) }
    }

    /// Another connection has changed something: its changes are unknown.
    func othersDidCommit() {
        for registration in registrations {
            registration.regionObserver?.databaseDidChange(in: .fullDatabase)
            registration.regionObserver?.databaseDidCommit(db)
        }
    }

    // MARK: Transactions

    /// The commit hook: SQLite is about to commit.
    ///
    /// - Returns: false to roll back.
    private func willCommit() -> Bool {
        guard db.connection.readOnlyDepth == 0 else { return true }
        flush(savepoints.removeAll())
        return askObservers()
    }

    /// - Returns: whether no observer refuses the commit.
    private func askObservers() -> Bool {
        for registration in registrations {
            do { try registration.observer?.databaseWillCommit() } catch {
                phase = .changed
                db.connection.commitRefusal = error
                return false
            }
        }
        phase = .committing
        return true
    }

    /// Tells the observers how a transaction has ended. Transactions of reads don't concern them.
    func transactionDidEnd(committed: Bool) {
        savepoints = PendingChanges()
        guard db.connection.readOnlyDepth == 0 || phase != .idle else { return }
        phase = .idle
        let ended = registrations
        registrations.removeAll { $0.extent == .nextTransaction }
        for registration in ended {
            registration.restart()
            guard let observer = registration.observer else { continue }
            if committed { observer.databaseDidCommit(db) } else { observer.databaseDidRollback(db) }
        }
        removeDeallocated()
        stopIfUnused()
    }
}

// MARK: - Statements

extension TransactionObservers: StatementWatcher {
    func willStep(_ statement: Statement) -> Bool {
        outer.append(current)
        current = nil
        guard db.connection.readOnlyDepth == 0 else { return true }
        switch statement.transactionOperation {
        case .commit:
            flush(savepoints.removeAll())
            return willCommitEmptyTransaction()
        case .release(let name):
            guard savepoints.areAllReleased(with: name) else { return true }
            let isCommitted = savepoints.isCommitted(byReleasing: name)
            flush(savepoints.removeAll())
            return !isCommitted || willCommitEmptyTransaction()
        case .savepoint(let name):
            savepoints.begin(name, isTransaction: !db.isInsideTransaction)
        case .begin, .rollback, .rollbackTo: break
        case nil: current = runningWrite(statement)
        }
        return true
    }

    private func runningWrite(_ statement: Statement) -> RunningWrite? {
        let writes = StatementWrites.of(statement, db)
        guard !writes.writes.isEmpty else { return nil }
        return RunningWrite(
            writes, registrations, totalChangesCount: writes.isReported ? 0 : db.connection.totalChangesCount)
    }

    /// Asks the observers about a transaction that has not written: SQLite does not call its commit hook.
    private func willCommitEmptyTransaction() -> Bool {
        db.connection.isWriting || !db.isInsideTransaction || askObservers()
    }

    func didStep(_ statement: Statement, succeeded: Bool) {
        let running = current
        current = outer.removeLast()
        switch statement.transactionOperation {
        case .release(let name) where succeeded: flush(savepoints.release(name))
        case .rollbackTo(let name) where succeeded: savepoints.rollback(to: name)
        case nil where succeeded: if let running { reportTables(of: running) }
        case .release, .rollbackTo, .savepoint, .begin, .commit, .rollback, nil: break
        }
    }

    /// Reports the tables that have changed in a way that SQLite does not report row by row.
    private func reportTables(of running: RunningWrite) {
        let writes = running.writes
        guard !writes.isReported,
            writes.changesSchema || db.connection.totalChangesCount != running.totalChangesCount
        else { return }
        for registration in registrations {
            var region = DatabaseRegion()
            for target in running.targets
            where target.write.isHidden && target.observers.contains(where: { $0.registration === registration }) {
                region.formUnion(DatabaseRegion(target.write.table, kind: target.write.kind))
            }
            if !region.isEmpty { deliver(.region(region), to: registration) }
        }
    }

    func didFail() {
        // The commit of the statement has failed after the observers accepted it.
        if phase == .committing, !db.isInsideTransaction { phase = .changed }
    }

    func didReset() {
        // Outside a transaction, each statement is a transaction, which ends when no statement writes any more.
        guard phase != .idle, outer.isEmpty, !db.isInsideTransaction, !db.connection.isWriting else { return }
        transactionDidEnd(committed: phase == .committing)
    }
}
