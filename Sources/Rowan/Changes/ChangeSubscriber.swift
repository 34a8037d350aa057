// Who hears of changes. A subscriber asks for regions, which cost once a statement, or for rows, which cost once a row.

import Synchronization

/// A subscriber to the changes and transactions of a connection, which retains it.
package protocol ChangeSubscriber: AnyObject {
    /// Whether the subscription is over.
    var isEnded: Bool { get }

    /// Whether the subscription ends with the current transaction, or with the next one.
    var endsWithTransaction: Bool { get }

    /// What the subscriber wants to know about the changes of a statement.
    func interest(in table: StatementProfile.Table, _ kind: DatabaseEventKind) -> ChangeInterest

    /// Whether the subscriber compares the regions that it hears of with its own, and so hears of all of them. Others
    /// hear of the kinds of changes that they ask for.
    var comparesRegions: Bool { get }

    /// Who receives the rows that a statement changes, while it runs; nil for nobody.
    var rowReceiver: RowReceiver? { get }

    /// A row has changed, in the way that the kind describes.
    func rowDidChange(_ event: DatabaseEvent, _ kind: DatabaseEventKind)

    /// Something in a region has changed.
    func regionDidChange(_ region: DatabaseRegion)

    /// The transaction is about to be committed.
    ///
    /// - Throws: an error that turns the commit into a rollback.
    func transactionWillCommit() throws

    /// Prepares for the next transaction, without news about the current one.
    func restart()

    /// The transaction has ended.
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

/// What a subscriber wants to know about changes.
package enum ChangeInterest: Sendable {
    case none
    /// Which region has changed.
    case region
    /// Which rows have changed.
    case rows
}

/// Who receives the rows that a running statement changes. It retains the observer, so that a row loads no weak
/// reference.
package enum RowReceiver {
    case observer(any TransactionObserver, ObserverSubscriber.Pause)
    case subscriber(any ChangeSubscriber)

    /// What the receiver wants to know about the changes of a statement.
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

/// A number that changes with the interests of subscribers, on any thread.
package final class InterestVersion: Sendable {
    private let counter = Atomic<Int>(0)

    package var value: Int { counter.load(ordering: .acquiring) }
    package func increase() { counter.add(1, ordering: .releasing) }
}
