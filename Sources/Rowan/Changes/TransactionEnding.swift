// Actions of the program or Rowan at the end of a transaction.

/// An action called once, at the end of a transaction.
struct TransactionEnding {
    let onCommit: @Sendable (Database) -> Void
    let onRollback: @Sendable (Database) -> Void

    func run(_ isCommitted: Bool, _ db: Database) {
        if isCommitted { onCommit(db) } else { onRollback(db) }
    }
}

extension Database {
    /// Registers callbacks for the end of the current transaction or, outside a transaction, of the next one.
    ///
    /// ```swift
    /// func willDelete(_ db: Database) throws {
    ///     db.afterNextTransaction { _ in try? FileManager.default.removeItem(at: url) }
    /// }
    /// ```
    public func afterNextTransaction(
        onCommit: @escaping @Sendable (Database) -> Void,
        onRollback: @escaping @Sendable (Database) -> Void = { _ in }
    ) {
        // A closed connection has no transaction.
        guard connection.hooks != nil else { return }
        let ending = TransactionEnding(onCommit: onCommit, onRollback: onRollback)
        if connection.isInsideTransaction {
            changeTracker.add(ending)
        } else {
            // The next transaction may be a single statement, which only subscribers are notified of.
            changeTracker.add(EndingSubscriber(ending))
        }
    }
}

/// Waits for the next transaction, regardless of its changes.
private final class EndingSubscriber: ChangeSubscriber {
    private let ending: TransactionEnding

    init(_ ending: TransactionEnding) { self.ending = ending }

    var endsWithTransaction: Bool { true }
    func interest(in table: StatementProfile.Table, _ kind: DatabaseEventKind) -> ChangeInterest { .none }
    func regionDidChange(_ region: DatabaseRegion) {}
    func transactionDidEnd(committed: Bool, _ db: Database) { ending.run(committed, db) }
}
