// Tells the observers of a connection what its statements change, and how its transactions end. The truth comes from
// SQLite: profiles say what a statement may change, the update hook which rows it has changed, the commit hook that a
// transaction ends, the autocommit flag how it has ended.

/// The observers of a connection.
final class TransactionObservers: ConnectionStateValue {
    static var place: ConnectionState.Place { .transactionObservers }

    private unowned let db: Database
    private var registrations: [ObserverRegistration] = []
    private var tokens: [ConnectionHooks.Token] = []
    /// The pre-update hook: only while an observer receives values, which SQLite reads for it.
    private var preUpdateToken: ConnectionHooks.Token?
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
        guard preUpdateToken == nil, registrations.contains(where: \.isPreUpdateObserver) else { return }
        preUpdateToken = db.connection.hooks?.onPreupdate { [unowned self] in rowWillChange($0) }
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
            registrations.remove(at: index).end()
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
            hooks.onRollback { [unowned self] in willRollback() },
        ]
        db.connection.watchWrites(self)
        db.reportTransactionEnds()
    }

    /// Stops listening, so that statements without observers cost nothing.
    private func stopIfUnused() {
        if let preUpdateToken, outer.isEmpty, !registrations.contains(where: \.isPreUpdateObserver) {
            db.connection.hooks?.remove(preUpdateToken)
            self.preUpdateToken = nil
        }
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

    /// Delivers the values of a row at once: SQLite has them at this time only.
    private func rowWillChange(_ row: PreUpdateRow) {
        guard current != nil, let kind = DatabaseEvent.Kind(rawValue: row.operation),
            let index = current!.target(row.operation, row.schema, row.table)
        else { return }
        let target = current!.targets[index]
        let observers = target.preUpdateObservers
        guard observers.contains(where: { !$0.registration.isStopped }), !row.isBlobWrite,
            let event = target.layout?.event(row, kind, target.write.table)
        else { return }
        if phase == .idle { phase = .changed }
        for observer in observers where !observer.registration.isStopped {
            observer.observer.databaseWillChange(with: event)
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
        report(region, eventKinds: eventKinds)
        guard !db.isInsideTransaction else { return }
        // No commit follows.
        phase = .idle
        for registration in registrations {
            registration.restart()
            registration.regionObserver?.databaseDidCommit(db)
        }
    }

    /// Reports changes of the current transaction, or of the running statement.
    func report(_ region: DatabaseRegion, eventKinds: [DatabaseEventKind]) {
        for registration in registrations where !registration.isStopped {
            let isObserver =
                registration.regionObserver != nil
                || eventKinds.contains { kind in
                    registration.observer?.observes(eventsOfKind: kind) == true
                }
            if isObserver { deliver(.region(region), to: registration) }
        }
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

    /// The rollback hook: the commit that the observers have accepted has failed.
    private func willRollback() { if phase == .committing { phase = .changed } }

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
            // The transaction has ended: what the callback ignores is over, too.
            registration.restart()
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
        switch statement.transactionOperation {
        case .savepoint(let name):
            // Also in a read, which may be a part of a write.
            savepoints.begin(name, isTransaction: !db.isInsideTransaction)
        case _ where db.connection.readOnlyDepth > 0: break
        case .commit: return willCommitEmptyTransaction()
        case .release(let name): return !savepoints.isCommitted(byReleasing: name) || willCommitEmptyTransaction()
        case .begin, .rollback, .rollbackTo: break
        case nil: current = runningWrite(statement)
        }
        return true
    }

    private func runningWrite(_ statement: Statement) -> RunningWrite? {
        let writes = StatementWrites.of(statement, db)
        guard !writes.writes.isEmpty else { return nil }
        return RunningWrite(
            writes, registrations,
            totalChangesCount: writes.isReported ? 0 : db.connection.totalChangesCount, db)
    }

    /// Asks the observers about a transaction that has not written: SQLite does not call its commit hook.
    private func willCommitEmptyTransaction() -> Bool {
        db.connection.isWriting || !db.isInsideTransaction || willCommit()
    }

    func didStep(_ statement: Statement, _ result: StepResult) {
        let running = current
        current = outer.removeLast()
        switch statement.transactionOperation {
        case .savepoint where result == .failed: savepoints.cancelLast()
        case .release(let name) where result != .failed: flush(savepoints.release(name))
        case .rollbackTo(let name) where result != .failed: savepoints.rollback(to: name)
        case .release, .rollbackTo, .savepoint, .begin, .commit, .rollback: break
        case nil:
            guard let running else { return }
            reportTables(of: running, result)
            if result != .failed, running.writes.epoch != db.connection.schemaEpoch { reportTables(of: statement) }
        }
    }

    /// Reports all that a statement may have written: another connection has changed the schema just before its step.
    private func reportTables(of statement: Statement) {
        let writes = StatementWrites.of(statement, db).writes
        for registration in registrations where !registration.isStopped {
            let region = writes.reduce(into: DatabaseRegion()) { region, write in
                guard registration.observer?.observes(eventsOfKind: write.kind) == true else { return }
                region.formUnion(DatabaseRegion(write.table, kind: write.kind))
            }
            if !region.isEmpty { deliver(.region(region), to: registration) }
        }
    }

    /// Reports the tables that have changed in a way that SQLite does not report row by row.
    private func reportTables(of running: RunningWrite, _ result: StepResult) {
        let writes = running.writes
        guard !writes.isReported else { return }
        // SQLite counts changes when the statement ends: not yet if it returns rows, and then it has changed some. A
        // statement that fails may keep changes, which SQLite counts: see ON CONFLICT FAIL.
        let hasChanges =
            result == .row || (result == .done && writes.changesSchema)
            || db.connection.totalChangesCount != running.totalChangesCount
        guard hasChanges else { return }
        for registration in registrations {
            if writes.altersTable, registration.regionObserver != nil {
                deliver(.region(.fullDatabase), to: registration)
                continue
            }
            var region = DatabaseRegion()
            for target in running.targets
            where target.write.isHidden && target.observers.contains(where: { $0.registration === registration }) {
                region.formUnion(DatabaseRegion(target.write.table, kind: target.write.kind))
            }
            if !region.isEmpty { deliver(.region(region), to: registration) }
        }
    }

    func didReset() {
        // Outside a transaction, each statement is a transaction, which ends when no statement writes any more.
        guard phase != .idle, outer.isEmpty, !db.isInsideTransaction, !db.connection.isWriting else { return }
        // The error of a cursor that ends early is lost: it must not become that of another statement.
        db.connection.commitRefusal = nil
        transactionDidEnd(committed: phase == .committing)
    }
}
