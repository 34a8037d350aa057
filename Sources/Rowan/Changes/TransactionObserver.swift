// The observer protocol, and adding and removing observers.

/// An observer of the changes and transactions of a connection.
///
/// ```swift
/// final class PlayerObserver: TransactionObserver {
///     private var isChanged = false
///
///     func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == "player" }
///
///     func databaseDidChange(with event: DatabaseEvent) {
///         isChanged = true
///         stopObservingDatabaseChangesUntilNextTransaction()
///     }
///
///     func databaseDidCommit(_ db: Database) {
///         if isChanged { print("players have changed") }
///         isChanged = false
///     }
///
///     func databaseDidRollback(_ db: Database) { isChanged = false }
/// }
///
/// let observer = PlayerObserver()
/// dbQueue.add(transactionObserver: observer)
/// ```
///
/// The connection calls its observers in the writing access, in the order in which they were added. Changes made after
/// a savepoint are reported when the savepoint is released, or not at all if it is rolled back.
///
/// SQLite reports rows. Where it does not, the table is reported as a whole to ``databaseDidChange()``: tables WITHOUT
/// ROWID, virtual tables, rows replaced by a conflict clause, rowid changes, schema changes. A statement that is its
/// own transaction reports them after ``databaseWillCommit()``, because SQLite counts changes at the end of a
/// statement. Incremental blob writes are reported as a changed column. Changes by other connections are not reported;
/// those made by C API statements are, with another ``DatabaseEventObservationStrategy``. A ``PreUpdateObserver`` also
/// receives the values of each row.
///
/// Article: <doc:Observation>.
public protocol TransactionObserver: AnyObject {
    /// The row changes that the observer receives. This is read when the observer is added.
    var databaseEventObservationStrategy: DatabaseEventObservationStrategy { get }

    /// Whether the observer receives events of a kind. This is called before each writing statement, unless the
    /// observer's strategy requires no kinds.
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool

    /// Called when an observed table has changed in a way that is not known row by row. The observer must not use the
    /// connection.
    func databaseDidChange()

    /// Called when a row has changed. The observer must not use the connection.
    func databaseDidChange(with event: DatabaseEvent)

    /// Called when the transaction is about to be committed. The observer must not use the connection.
    ///
    /// - Throws: an error that turns the commit into a rollback. The program receives this error.
    func databaseWillCommit() throws

    /// Called when the transaction has been committed.
    func databaseDidCommit(_ db: Database)

    /// Called when the transaction has been rolled back: the changes since the last commit are undone.
    func databaseDidRollback(_ db: Database)
}

extension TransactionObserver {
    /// The default strategy: the observer receives the changes that `observes(eventsOfKind:)` accepts.
    public var databaseEventObservationStrategy: DatabaseEventObservationStrategy { .default }

    /// Does nothing.
    public func databaseDidChange() {}

    /// Does nothing.
    public func databaseWillCommit() throws {}

    /// Ignores all changes until the end of the current transaction. Call this method in `databaseDidChange`.
    public func stopObservingDatabaseChangesUntilNextTransaction() {
        for pause in ObserverSubscriber.pauses(of: self) { pause.stop() }
    }
}

/// The row changes that a transaction observer receives.
///
/// ```swift
/// final class AllChanges: TransactionObserver {
///     var databaseEventObservationStrategy: DatabaseEventObservationStrategy {
///         var strategy = DatabaseEventObservationStrategy.default
///         strategy.requiresDatabaseEventKind = false
///         return strategy
///     }
///     // Not called.
///     func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
///     ...
/// }
/// ```
///
/// Article: <doc:Observation>.
public struct DatabaseEventObservationStrategy: Hashable, Sendable {
    /// Whether the observer receives only events of the kinds that `observes(eventsOfKind:)` accepts. Rowan determines
    /// them before a statement runs.
    ///
    /// Otherwise it receives all rows that SQLite reports, and `observes(eventsOfKind:)` is not called. These include
    /// rows changed by the program's C API statements, by extension functions while a `SELECT` runs, and in the tables
    /// in which virtual tables store their content. SQLite then reports each row of each statement.
    public var requiresDatabaseEventKind: Bool

    /// The default strategy of observers, which requires kinds.
    public static let `default` = DatabaseEventObservationStrategy(requiresDatabaseEventKind: true)
}

extension Database {
    /// The duration of an observation.
    public enum TransactionObservationExtent: Sendable {
        /// During the observer's lifetime: the connection does not retain it.
        case observerLifetime
        /// Until the end of the current or next transaction. The connection retains the observer until then.
        case nextTransaction
        /// Until the connection is closed. The connection retains the observer.
        case databaseLifetime
    }

    /// Adds an observer of the changes and transactions of this connection. On a read-only connection, there are none.
    ///
    /// The first observer makes SQLite recompile statements so that each row deletion is reported.
    public func add(
        transactionObserver: some TransactionObserver, extent: TransactionObservationExtent = .observerLifetime
    ) {
        // A closed connection has no transaction to observe.
        guard connection.hooks != nil, !configuration.readonly else { return }
        changeTracker.add(ObserverSubscriber(transactionObserver, extent, connection))
    }

    /// Removes an observer. If it was added several times, one registration is removed.
    public func remove(transactionObserver: some TransactionObserver) {
        state[ChangeTracker.self]?.remove(transactionObserver as any TransactionObserver)
    }

    /// Adds a subscriber to changes. If the configuration enables it, changes of the database by other processes are
    /// also reported to the subscriber.
    ///
    /// - Throws: the system's error if the file can't be watched.
    package func subscribe(_ subscriber: some ChangeSubscriber) throws {
        // A closed connection makes no changes.
        guard connection.hooks != nil else { return }
        subscribeToConnection(subscriber)
        guard configuration.observesOtherProcesses, isFile || connection.abilities.asksForCommits else { return }
        do { try changeTracker.observeOtherProcesses() } catch {
            unsubscribe(subscriber)
            throw error
        }
    }

    /// Adds a subscriber to the changes that the connection makes.
    package func subscribeToConnection(_ subscriber: some ChangeSubscriber) { changeTracker.add(subscriber) }

    /// Removes a subscriber to changes.
    package func unsubscribe(_ subscriber: some ChangeSubscriber) {
        state[ChangeTracker.self]?.remove(subscriber as any ChangeSubscriber)
    }

    /// A number that subscribers increase when they become interested in other changes.
    package var interestVersion: InterestVersion { changeTracker.interests }

    var changeTracker: ChangeTracker { state.value(orMake: ChangeTracker(self)) }

    /// Whether the main database is a file. <https://sqlite.org/inmemorydb.html>
    private var isFile: Bool { !(connection.mainFileName ?? "").isEmpty }
}

extension DatabaseWriter {
    /// Adds an observer of the changes and transactions of the writing connection: see ``TransactionObserver``.
    ///
    /// This waits for the running access. Inside a write, it uses that write's connection.
    public func add(
        transactionObserver: some TransactionObserver,
        extent: Database.TransactionObservationExtent = .observerLifetime
    ) {
        _routes.write.runReentrantNonthrowing { $0.add(transactionObserver: transactionObserver, extent: extent) }
    }

    /// Removes an observer after the running access has finished.
    public func remove(transactionObserver: some TransactionObserver) {
        _routes.write.runReentrantNonthrowing { $0.remove(transactionObserver: transactionObserver) }
    }
}
