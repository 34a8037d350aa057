// Turns SQLite's reports into changes and notifies a connection's subscribers of the end of its transactions. All
// information comes from SQLite: a profile shows what a statement may change, the change counter whether it has changed
// anything, the update hook which rows, the commit hook that a transaction is ending, and the autocommit flag how it
// has ended. The update hook is installed only for statements whose rows are needed.

/// The subscribers of a connection.
final class ChangeTracker: ConnectionStateValue {
    static var place: ConnectionState.Place { .init(1, .connection) }

    unowned let db: Database
    var subscribers: [any ChangeSubscriber] = []
    /// Whether they include observers of the program.
    var hasObservers = false
    /// The observers that receive all rows, regardless of how they are changed.
    private(set) var receiversOfAllRows: [ObserverSubscriber] = []
    /// Called at the end of the current transaction, after the subscribers.
    var endings: [TransactionEnding] = []
    var tokens: [ConnectionHooks.Token] = []
    /// The update hook, while a statement whose rows are needed is running.
    var rowToken: ConnectionHooks.Token?
    /// The pre-update hook, while an observer receives values, which SQLite reads for it.
    var valueToken: ConnectionHooks.Token?
    /// The statements running their first step, innermost last; nil for a statement that is not watched.
    @exclusivity(unchecked) var running: [RunningWrite?] = []
    /// The last write of the current transaction. It retains the observers, so it is released with the transaction.
    @exclusivity(unchecked) var lastWrite: RunningWrite?
    /// Increases when subscribers are added or removed.
    private(set) var listenCount = 0
    /// Whether subscribers were added or removed while a statement was running.
    var mustListen = false
    /// The changes pending until savepoints are released.
    @exclusivity(unchecked) var savepoints = PendingChanges()
    /// The commits by others, if they are observed.
    var otherProcesses: OtherProcesses?
    /// The state of the current transaction as seen by the subscribers.
    @exclusivity(unchecked) var phase = Phase.idle
    /// Increases when a reported change would have to be reported again.
    var epoch = 0
    /// Increases when subscribers become interested in other changes.
    let interests = InterestVersion()

    enum Phase {
        case idle
        /// Subscribers have received changes.
        case changed
        /// The subscribers have accepted the commit.
        case committing
    }

    init(_ db: Database) { self.db = db }

    // MARK: Subscribers

    func add(_ subscriber: any ChangeSubscriber) {
        removeEndedIfMany()
        subscribers.append(subscriber)
        epoch += 1
        listen()
    }

    /// The number of subscribers at which ended ones are removed, so that adding n subscribers takes O(n) steps.
    var nextCleaning = 8

    func removeEndedIfMany() {
        guard subscribers.count >= nextCleaning else { return }
        subscribers.removeAll(where: \.isEnded)
        nextCleaning = max(8, 2 * subscribers.count)
    }

    /// Also observes the commits of other connections.
    ///
    /// - Throws: the system's error.
    func observeOtherProcesses() throws {
        guard otherProcesses == nil else { return }
        otherProcesses = try OtherProcesses(db)
    }

    func remove(_ subscriber: any ChangeSubscriber) {
        if let index = subscribers.firstIndex(where: { $0 === subscriber }) { subscribers.remove(at: index) }
        epoch += 1
        listen()
    }

    func remove(_ observer: any TransactionObserver) {
        let index = subscribers.firstIndex { ($0 as? ObserverSubscriber)?.isSubscription(of: observer) == true }
        if let index { (subscribers.remove(at: index) as? ObserverSubscriber)?.end() }
        subscribers.removeAll(where: \.isEnded)
        epoch += 1
        listen()
    }

    /// Adds an action for the end of the current transaction.
    func add(_ ending: TransactionEnding) {
        endings.append(ending)
        listen()
    }

    /// Installs the hooks that the subscribers need: without subscribers, statements have no extra cost.
    func listen() {
        (lastWrite, listenCount) = (nil, listenCount &+ 1)
        guard let hooks = db.connection.hooks else { return }
        // Hooks can't be changed while SQLite is in a step.
        mustListen = !running.isEmpty
        guard !mustListen else { return }
        let observers = subscribers.compactMap { $0 as? ObserverSubscriber }
        hasObservers = !observers.isEmpty
        receiversOfAllRows = observers.filter(\.receivesAllRows)
        if subscribers.isEmpty {
            for token in tokens { hooks.remove(token) }
            (tokens, otherProcesses) = ([], nil)
            savepoints = PendingChanges()
            phase = .idle
        } else if tokens.isEmpty {
            tokens = [
                hooks.onCommit { [unowned self] in willCommit() },
                hooks.onRollback { [unowned self] in willRollback() },
            ]
        }
        setRowHook(isNeeded: false)
        setHook(&valueToken, observers.contains(where: \.isPreUpdateObserver)) { hooks in
            hooks.onPreupdate { [unowned self] in rowWillChange($0) }
        }
        db.connection.watch(
            subscribers.isEmpty && endings.isEmpty ? nil : self, statements: !subscribers.isEmpty)
        // Observers receive each deleted row. Other subscribers receive a change of the table.
        hooks.truncatesTables(!hasObservers)
    }

    func setHook(
        _ token: inout ConnectionHooks.Token?, _ isInstalled: Bool,
        _ install: (ConnectionHooks) -> ConnectionHooks.Token?
    ) {
        guard isInstalled != (token != nil), let hooks = db.connection.hooks else { return }
        if let token { hooks.remove(token) }
        token = isInstalled ? install(hooks) : nil
    }

    // MARK: Rows

    /// Sets whether SQLite reports rows.
    func setRowHook(isNeeded: Bool) {
        setHook(&rowToken, isNeeded || !receiversOfAllRows.isEmpty) { hooks in
            hooks.onUpdate { [unowned self] in rowDidChange($0, $1, $2, $3) }
        }
    }

    /// Called when a row was changed by none of the running statements, but by a statement of the C API.
    private func unknownRowDidChange(_ kind: DatabaseEvent.Kind, _ table: StatementProfile.Table, _ rowID: Int64) {
        guard db.connection.readOnlyDepth == 0 else { return }
        let event = DatabaseEvent(kind: kind, rowID: rowID, table: table)
        let eventKind: DatabaseEventKind =
            switch kind {
            case .insert: .insert(tableName: table.name)
            case .delete: .delete(tableName: table.name)
            case .update: .update(tableName: table.name, columnNames: [])
            }
        for receiver in receiversOfAllRows {
            if savepoints.isEmpty {
                send(.row(event, eventKind), to: receiver)
            } else {
                savepoints.append(.row(event, eventKind), for: receiver)
            }
        }
    }

    func rowDidChange(
        _ operation: CInt, _ schema: UnsafePointer<CChar>?, _ table: UnsafePointer<CChar>?, _ rowID: Int64
    ) {
        guard let schema, let table, let kind = DatabaseEvent.Kind(rawValue: operation) else { return }
        guard let running = running.last ?? nil, let index = running.target(operation, schema, table) else {
            guard !receiversOfAllRows.isEmpty else { return }
            let table = StatementProfile.Table(schema: String(cString: schema), name: String(cString: table))
            return unknownRowDidChange(kind, table, rowID)
        }
        if !running.targets[index].hasRows { running.targets[index].hasRows = true }
        let receivers = running.targets[index].rowReceivers
        guard !receivers.isEmpty else { return }
        let write = running.targets[index].write
        let event = DatabaseEvent(kind: kind, rowID: rowID, table: write.table)
        guard savepoints.isEmpty else {
            for (subscriber, receivesRows) in running.targets[index].subscribers where receivesRows {
                savepoints.append(.row(event, write.kind), for: subscriber)
            }
            return
        }
        if phase == .idle { phase = .changed }
        for receiver in receivers { receiver.rowDidChange(event, write.kind) }
    }

    /// Delivers the values of a row immediately, because SQLite provides them only at this time.
    func rowWillChange(_ row: PreUpdateRow) {
        guard let running = running.last ?? nil, let kind = DatabaseEvent.Kind(rawValue: row.operation),
            let index = running.target(row.operation, row.schema, row.table)
        else { return }
        let target = running.targets[index]
        let receivers = target.valueReceivers
        guard receivers.contains(where: { !$0.pause.isStopped }), !row.isBlobWrite,
            let event = target.layout?.event(row, kind, target.write.table)
        else { return }
        if phase == .idle { phase = .changed }
        for receiver in receivers where !receiver.pause.isStopped { receiver.observer.databaseWillChange(with: event) }
    }

    // MARK: Regions

    func deliver(_ region: DatabaseRegion, to subscriber: any ChangeSubscriber) {
        guard savepoints.isEmpty else { return savepoints.append(.region(region), for: subscriber) }
        send(.region(region), to: subscriber)
    }

    func send(_ change: PendingChanges.Change, to subscriber: any ChangeSubscriber) {
        if phase == .idle { phase = .changed }
        switch change {
        case .row(let event, let kind): subscriber.rowDidChange(event, kind)
        case .region(let region): subscriber.regionDidChange(region)
        }
    }

    func flush(_ changes: [PendingChanges.Delivery]) {
        for delivery in changes { send(delivery.change, to: delivery.subscriber) }
    }

    /// Reports changes that only the program is aware of.
    ///
    /// - Parameter kinds: the kinds of changes in the region.
    func notifyChanges(in region: DatabaseRegion, _ kinds: [StatementWrites.Write]) {
        report(region, kinds)
        guard !db.isInsideTransaction else { return }
        // No commit follows.
        phase = .idle
        epoch += 1
        db.connection.shielded {
            for subscriber in subscribers {
                if subscriber.comparesRegions {
                    subscriber.transactionDidEnd(committed: true, db)
                } else {
                    subscriber.restart()
                }
            }
        }
    }

    /// Reports changes of the current transaction, or of the running statement. Observers receive them if they observe
    /// one of the kinds. Other subscribers determine themselves which regions concern them.
    func report(_ region: DatabaseRegion, _ kinds: [StatementWrites.Write]) {
        for subscriber in subscribers {
            let isConcerned =
                subscriber.comparesRegions
                || kinds.contains { subscriber.interest(in: $0.table, $0.kind) != .none }
            if isConcerned { deliver(region, to: subscriber) }
        }
    }

    /// Called when another connection has changed something unknown.
    func othersDidCommit() {
        epoch += 1
        db.connection.shielded {
            for subscriber in subscribers where subscriber.comparesRegions {
                subscriber.regionDidChange(.fullDatabase)
                subscriber.transactionDidEnd(committed: true, db)
            }
        }
    }

    // MARK: Transactions

    /// The commit hook: SQLite is about to commit.
    ///
    /// - Returns: false to roll back.
    func willCommit() -> Bool {
        guard db.connection.readOnlyDepth == 0, !db.connection.isFollowing else { return true }
        flush(savepoints.removeAll())
        for subscriber in subscribers {
            do { try subscriber.transactionWillCommit() } catch {
                phase = .changed
                db.connection.commitRefusal = error
                return false
            }
        }
        phase = .committing
        return true
    }

    /// The rollback hook: the commit accepted by the subscribers has failed.
    func willRollback() { if !db.connection.isFollowing, phase == .committing { phase = .changed } }

    /// Calls the subscribers for a transaction that has not written, for which SQLite does not call its commit hook.
    func willCommitEmptyTransaction() -> Bool {
        db.connection.isWriting || !db.isInsideTransaction || willCommit()
    }
}
