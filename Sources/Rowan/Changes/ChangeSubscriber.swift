// Subscribers to changes. A subscriber requests regions, at a cost per statement, or rows, at a cost per row.

import Synchronization

/// A subscriber to the changes and transactions of a connection, which retains it.
package protocol ChangeSubscriber: AnyObject {
    /// Whether the subscription has ended.
    var isEnded: Bool { get }

    /// Whether the subscription ends with the current or next transaction.
    var endsWithTransaction: Bool { get }

    /// The subscriber's interest in the changes of a statement.
    func interest(in table: StatementProfile.Table, _ kind: DatabaseEventKind) -> ChangeInterest

    /// Whether the subscriber compares the reported regions with its own and so receives all of them. Others receive
    /// the kinds of changes they request.
    var comparesRegions: Bool { get }

    /// The receiver of the rows that a statement changes, while it runs; nil for none.
    var rowReceiver: RowReceiver? { get }

    /// Called when a row has changed, in a change of the given kind.
    func rowDidChange(_ event: DatabaseEvent, _ kind: DatabaseEventKind)

    /// Called when something in a region has changed.
    func regionDidChange(_ region: DatabaseRegion)

    /// Called when the transaction is about to be committed.
    ///
    /// - Throws: an error that turns the commit into a rollback.
    func transactionWillCommit() throws

    /// Prepares for the next transaction, without a report on the current one.
    func restart()

    /// Called when the transaction has ended.
    func transactionDidEnd(committed: Bool, _ db: Database)
}

extension ChangeSubscriber {
    package var isEnded: Bool { false }
    package var endsWithTransaction: Bool { false }
    package var comparesRegions: Bool { true }
    package var rowReceiver: RowReceiver? { .subscriber(self) }
    package func rowDidChange(_ event: DatabaseEvent, _ kind: DatabaseEventKind) {}
    package func transactionWillCommit() throws {}
    package func restart() {}
}

/// A subscriber's interest in changes.
package enum ChangeInterest: Sendable {
    case none
    /// The changed regions.
    case region
    /// The changed rows.
    case rows
}

/// A receiver of the rows that a running statement changes. It retains the observer, so that no weak reference is
/// loaded for each row.
package enum RowReceiver {
    case observer(any TransactionObserver, ObserverSubscriber.Pause)
    case subscriber(any ChangeSubscriber)

    /// The receiver's interest in the changes of a statement.
    func interest(in table: StatementProfile.Table, _ kind: DatabaseEventKind) -> ChangeInterest {
        switch self {
        case .observer(let observer, let pause): pause.interest(of: observer, in: kind)
        case .subscriber(let subscriber): subscriber.interest(in: table, kind)
        }
    }

    @inline(__always)
    func rowDidChange(_ event: DatabaseEvent, _ kind: DatabaseEventKind) {
        switch self {
        case .observer(let observer, let pause): if !pause.isStopped { observer.databaseDidChange(with: event) }
        case .subscriber(let subscriber): subscriber.rowDidChange(event, kind)
        }
    }
}

/// A number that changes with the subscribers' interests, on any thread.
package final class InterestVersion: Sendable {
    private let counter = Atomic<Int>(0)

    package var value: Int { counter.load(ordering: .acquiring) }
    package func increase() { counter.add(1, ordering: .releasing) }
}
