// A transaction observer of the program, as a subscriber. An observer can stop observing without specifying a
// connection, so the pauses of all its subscriptions are listed by observer.

/// The subscription of a transaction observer.
package final class ObserverSubscriber: ChangeSubscriber {
    private weak var weakObserver: (any TransactionObserver)?
    private var strongObserver: (any TransactionObserver)?
    private let id: ObjectIdentifier
    private let pause: Pause
    /// Whether the observer receives the values of rows.
    let isPreUpdateObserver: Bool
    package let endsWithTransaction: Bool
    /// Whether the observer receives all rows that SQLite reports.
    var receivesAllRows: Bool { pause.receivesAllRows && !isEnded }

    /// The observer, or nil if it has been deallocated.
    private var observer: (any TransactionObserver)? { strongObserver ?? weakObserver }

    init(
        _ observer: any TransactionObserver, _ extent: Database.TransactionObservationExtent,
        _ connection: LocalConnection
    ) {
        endsWithTransaction = extent == .nextTransaction
        pause = Pause(
            connection, receivesAllRows: !observer.databaseEventObservationStrategy.requiresDatabaseEventKind)
        id = ObjectIdentifier(observer)
        isPreUpdateObserver = observer is any PreUpdateObserver
        if extent == .observerLifetime { weakObserver = observer } else { strongObserver = observer }
        let entry = pause
        Self.all.withLock { $0[id, default: []].append(entry) }
    }

    deinit {
        let own = pause
        Self.all.withLock { all in
            all[id]?.removeAll { $0 === own }
            if all[id]?.isEmpty == true { all[id] = nil }
        }
    }

    func isSubscription(of observer: any TransactionObserver) -> Bool { self.observer === observer }

    /// Ends the subscription: nothing more is sent to the observer, including pending events.
    func end() {
        pause.isEnded = true
        (weakObserver, strongObserver) = (nil, nil)
    }

    // MARK: Changes

    package var comparesRegions: Bool { false }

    package var isEnded: Bool { pause.isEnded || observer == nil }

    package func interest(in table: StatementProfile.Table, _ kind: DatabaseEventKind) -> ChangeInterest {
        observer.map { pause.interest(of: $0, in: kind) } ?? .none
    }

    package var rowReceiver: RowReceiver? { observer.map { .observer($0, pause) } }

    /// The observer and its pause, if it receives the values of rows.
    var valueReceiver: (observer: any PreUpdateObserver, pause: Pause)? {
        guard isPreUpdateObserver, let observer = observer as? any PreUpdateObserver else { return nil }
        return (observer, pause)
    }

    package func rowDidChange(_ event: DatabaseEvent, _ kind: DatabaseEventKind) {
        if !pause.isStopped { observer?.databaseDidChange(with: event) }
    }

    package func regionDidChange(_ region: DatabaseRegion) {
        if !pause.isStopped { observer?.databaseDidChange() }
    }

    package func transactionWillCommit() throws { try observer?.databaseWillCommit() }

    package func restart() { pause.restart() }

    package func transactionDidEnd(committed: Bool, _ db: Database) {
        pause.restart()
        guard let observer else { return }
        if committed { observer.databaseDidCommit(db) } else { observer.databaseDidRollback(db) }
        // The transaction has ended, so changes ignored until its end are observed again.
        pause.restart()
    }

    // MARK: By observer

    /// Whether an observer ignores changes, until the end of the transaction or permanently. The list of all pauses
    /// does not retain the observers.
    ///
    /// `@unchecked Sendable`: only the thread that has access to the connection uses it.
    package final class Pause: @unchecked Sendable {
        fileprivate let connection: LocalConnection
        private var isPaused = false
        fileprivate var isEnded = false
        fileprivate let receivesAllRows: Bool

        fileprivate init(_ connection: LocalConnection, receivesAllRows: Bool) {
            self.connection = connection
            self.receivesAllRows = receivesAllRows
        }

        func interest(of observer: any TransactionObserver, in kind: DatabaseEventKind) -> ChangeInterest {
            !isStopped && (receivesAllRows || observer.observes(eventsOfKind: kind)) ? .rows : .none
        }

        var isStopped: Bool { isPaused || isEnded }
        func stop() { isPaused = true }
        fileprivate func restart() { isPaused = false }
    }

    private static let all = Mutex<[ObjectIdentifier: [Pause]]>([:])

    /// The pauses of an observer on the connections used by the current thread.
    static func pauses(of observer: any TransactionObserver) -> [Pause] {
        let pauses = all.withLock { $0[ObjectIdentifier(observer)] ?? [] }
        return pauses.filter(\.connection.isAccessible)
    }
}
