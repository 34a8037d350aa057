// The protocol of observers, and how a program adds and removes them.

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
/// The connection calls its observers in the access that writes, in the order in which they were added. Changes that
/// follow a savepoint are reported when the savepoint is released, or not at all if it is rolled back.
///
/// SQLite reports rows. Where it does not, the table is reported as a whole, to ``databaseDidChange()``: tables WITHOUT
/// ROWID, virtual tables, rows that a conflict clause replaces, changes of a rowid, changes of the schema. A statement
/// that is its own transaction reports them after ``databaseWillCommit()``, because SQLite counts changes at the end of
/// a statement. Blobs that are written in pieces are reported as a changed column. Changes by other connections are not
/// reported; those that statements of the C API make are, with another ``DatabaseEventObservationStrategy``. A
/// ``PreUpdateObserver`` also receives the values of each row.
///
/// Article: <doc:Observation>.
public protocol TransactionObserver: AnyObject {
    /// Which changes of rows the observer receives. It is asked when the observer is added.
    var databaseEventObservationStrategy: DatabaseEventObservationStrategy { get }

    /// Whether the observer receives events of a kind. It is asked before each statement that writes, unless the strategy
    /// of the observer requires no kinds.
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool

    /// A table that the observer observes has changed, in a way that is not known row by row. It must not use the
    /// connection.
    func databaseDidChange()

    /// A row has changed. It must not use the connection.
    func databaseDidChange(with event: DatabaseEvent)

    /// The transaction is about to be committed. It must not use the connection.
    ///
    /// - Throws: an error that turns the commit into a rollback. The program receives it.
    func databaseWillCommit() throws

    /// The transaction was committed.
    func databaseDidCommit(_ db: Database)

    /// The transaction was rolled back: the changes since the last commit are undone.
    func databaseDidRollback(_ db: Database)
}

extension TransactionObserver {
    /// The default: the changes that `observes(eventsOfKind:)` accepts.
    public var databaseEventObservationStrategy: DatabaseEventObservationStrategy { .default }

    /// Does nothing.
    public func databaseDidChange() {}

    /// Does nothing.
    public func databaseWillCommit() throws {}

    /// Ignores all changes until the end of the current transaction. Call it in `databaseDidChange`.
    public func stopObservingDatabaseChangesUntilNextTransaction() {
        for pause in ObserverSubscriber.pauses(of: self) { pause.stop() }
    }
}

/// Which changes of rows a transaction observer receives.
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
    /// Whether the observer receives only the events of the kinds that `observes(eventsOfKind:)` accepts: Rowan knows them
    /// before a statement runs.
    ///
    /// If not, it receives all rows that SQLite reports, and `observes(eventsOfKind:)` is not called: also those of
    /// statements that the program runs through the C API, those that functions of extensions change while a `SELECT` runs,
    /// and those of the tables in which virtual tables keep their content. SQLite then reports each row of each statement.
    public var requiresDatabaseEventKind: Bool

    /// The strategy of observers that choose none: kinds are required.
    public static let `default` = DatabaseEventObservationStrategy(requiresDatabaseEventKind: true)
}

extension Database {
    /// How long an observer observes.
    public enum TransactionObservationExtent: Sendable {
        /// As long as the observer lives: the connection does not retain it.
        case observerLifetime
        /// Until the end of the current transaction, or of the next one. The connection retains the observer until then.
        case nextTransaction
        /// Until the connection is closed. The connection retains the observer.
        case databaseLifetime
    }

    /// Adds an observer of the changes and transactions of this connection. A read-only connection has none to observe.
    ///
    /// The first observer makes SQLite compile statements again, so that each deletion of a row is reported.
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

    /// Adds a subscriber to changes. If the configuration asks for it, the subscriber hears that other processes have
    /// changed the database.
    ///
    /// - Throws: the error of the system that prevents watching the file.
    package func subscribe(_ subscriber: some ChangeSubscriber) throws {
        // A closed connection changes nothing.
        guard connection.hooks != nil else { return }
        changeTracker.add(subscriber)
        guard configuration.observesOtherProcesses, isFile || connection.abilities.asksForCommits else { return }
        do { try changeTracker.observeOtherProcesses() } catch {
            unsubscribe(subscriber)
            throw error
        }
    }

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
    /// It waits for the running access. Inside a write, it uses the connection of this write.
    public func add(
        transactionObserver: some TransactionObserver,
        extent: Database.TransactionObservationExtent = .observerLifetime
    ) {
        _routes.write.runReentrantNonthrowing { $0.add(transactionObserver: transactionObserver, extent: extent) }
    }

    /// Removes an observer, after the running access.
    public func remove(transactionObserver: some TransactionObserver) {
        _routes.write.runReentrantNonthrowing { $0.remove(transactionObserver: transactionObserver) }
    }
}
