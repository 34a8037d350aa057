// Turns what SQLite reports into changes, and tells the subscribers of a connection how its transactions end. The truth
// comes from SQLite: profiles say what a statement may change, its counter whether it has changed something, the update
// hook which rows, the commit hook that a transaction ends, the autocommit flag how it has ended. The update hook is
// installed only for statements of which somebody must see the rows.

/// The subscribers of a connection.
final class ChangeTracker: ConnectionStateValue {
    static var place: ConnectionState.Place { .init(1, .connection) }

    unowned let db: Database
    var subscribers: [any ChangeSubscriber] = []
    /// Whether observers of the program are among them.
    var hasObservers = false
    /// The observers that receive all rows, whatever changes them.
    private(set) var receiversOfAllRows: [ObserverSubscriber] = []
    /// Called at the end of the current transaction, after the subscribers.
    var endings: [TransactionEnding] = []
    var tokens: [ConnectionHooks.Token] = []
    /// The update hook, while a statement runs whose rows somebody must see.
    var rowToken: ConnectionHooks.Token?
    /// The pre-update hook, while an observer receives values, which SQLite reads for it.
    var valueToken: ConnectionHooks.Token?
    /// The statements that are running their first step, the innermost one last; nil for one that nobody watches.
    @exclusivity(unchecked) var running: [RunningWrite?] = []
    /// The last write of the current transaction. It retains the observers, and so ends with the transaction.
    @exclusivity(unchecked) var lastWrite: RunningWrite?
    /// Increases when subscribers come or go.
    private(set) var listenCount = 0
    /// Whether subscribers have come or gone while a statement was running.
    var mustListen = false
    /// The changes that wait for the release of savepoints.
    @exclusivity(unchecked) var savepoints = PendingChanges()
    /// The commits of others, if they are observed.
    var otherProcesses: OtherProcesses?
    /// How the current transaction looks to the subscribers.
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

    /// The number of subscribers at which those that have ended are looked for: adding n subscribers takes O(n) steps.
    var nextCleaning = 8

    func removeEndedIfMany() {
        guard subscribers.count >= nextCleaning else { return }
        subscribers.removeAll(where: \.isEnded)
        nextCleaning = max(8, 2 * subscribers.count)
    }

    /// Observes the commits of other connections, too.
    ///
    /// - Throws: the error of the system.
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

    /// Adds what to do at the end of the current transaction.
    func add(_ ending: TransactionEnding) {
        endings.append(ending)
        listen()
    }

    /// Listens to SQLite, as far as there are subscribers: without any, statements cost nothing.
    func listen() {
        (lastWrite, listenCount) = (nil, listenCount &+ 1)
        guard let hooks = db.connection.hooks else { return }
        // Not while SQLite is in the middle of a step.
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
        // Observers see each deleted row. The others hear that the table has changed.
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

    /// Makes SQLite report rows, or not.
    func setRowHook(isNeeded: Bool) {
        setHook(&rowToken, isNeeded || !receiversOfAllRows.isEmpty) { hooks in
            hooks.onUpdate { [unowned self] in rowDidChange($0, $1, $2, $3) }
        }
    }

    /// A row has changed that no running statement is known to change: a statement of the C API has.
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

    /// Delivers the values of a row at once: SQLite has them at this time only.
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

    /// Reports changes that only the program knows.
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

    /// Reports changes of the current transaction, or of the running statement. Observers hear of them if they observe
    /// one of the kinds; the other subscribers know which regions concern them.
    func report(_ region: DatabaseRegion, _ kinds: [StatementWrites.Write]) {
        for subscriber in subscribers {
            let isConcerned =
                subscriber.comparesRegions
                || kinds.contains { subscriber.interest(in: $0.table, $0.kind) != .none }
            if isConcerned { deliver(region, to: subscriber) }
        }
    }

    /// Another connection has changed something: its changes are unknown.
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

    /// The rollback hook: the commit that the subscribers have accepted has failed.
    func willRollback() { if !db.connection.isFollowing, phase == .committing { phase = .changed } }

    /// Asks the subscribers about a transaction that has not written: SQLite does not call its commit hook.
    func willCommitEmptyTransaction() -> Bool {
        db.connection.isWriting || !db.isInsideTransaction || willCommit()
    }
}
