// The only subscriber of a writer on behalf of all its value observations. It collects the changes of a transaction
// and, after the commit, notifies the fetches that read some of them.

/// A fetch that observations share, of any type.
protocol ObservedFetch: AnyObject, Sendable {
    /// The source that the observations fetch from. Two fetches may have the same source.
    var sourceID: ObjectIdentifier { get }
    /// Whether no observation needs the fetch any more.
    var isEnded: Bool { get }
    /// The region read by the last fetch.
    var region: DatabaseRegion { get }
    /// Whether the next fetch may read another region while transactions continue. It then needs all changes rather
    /// than those of its region.
    var needsAllChanges: Bool { get }
    /// Called after a transaction has changed something, in the access that committed it.
    func didCommit(_ changes: DatabaseRegion, _ db: Database)
    /// Ends the observations with an error.
    func fail(_ error: any Error)
}

/// The value observations of a writing connection. It is used only in its accesses.
final class ObservationHub: ConnectionStateValue, ChangeSubscriber {
    static var place: ConnectionState.Place { .init(4, .connection) }

    private var fetches: [any ObservedFetch] = []
    /// The fetches by source, so that starting n observations takes O(n) steps.
    private var bySource: [ObjectIdentifier: [any ObservedFetch]] = [:]
    /// The changes of the current transaction.
    private var changes = DatabaseRegion()
    /// The last table in which too many rows have changed to count them.
    private var uncounted: (StatementProfile.Table, DatabaseEventKind)?
    /// The union of the regions of all fetches.
    private var region = DatabaseRegion()
    private var needsAllChanges = false
    /// The version of the regions that the union consists of.
    private var knownVersion = -1
    /// The current version of the regions. Fetches increase it when their region changes and when they end.
    let version: InterestVersion
    /// The version at the last search for ended fetches.
    private var cleanVersion = 0

    /// The maximum number of rowids that a transaction counts in a table.
    private static let maximumRowCount = 1000

    init(_ version: InterestVersion) { self.version = version }

    /// The connection is closed, so nothing changes any more.
    deinit { for fetch in fetches { fetch.fail(CancellationError()) } }

    /// Adds a fetch, which is notified of its changes from now on.
    ///
    /// - Throws: a system error that prevents watching other processes.
    func add(_ fetch: any ObservedFetch, _ db: Database) throws {
        if fetches.count >= nextCleaning { removeEnded(db) }
        if isEmpty { try db.subscribe(self) }
        fetches.append(fetch)
        bySource[fetch.sourceID, default: []].append(fetch)
        version.increase()
    }

    /// Whether nothing is observed.
    var isEmpty: Bool { fetches.isEmpty }

    /// The number of fetches at which to search for ended ones.
    private var nextCleaning = 8

    /// The fetch of a source, if there is one.
    func fetch<Fetched>(of source: FetchSource<Fetched>, _ requiresWriteAccess: Bool) -> SharedFetch<Fetched>? {
        for case let fetch as SharedFetch<Fetched> in bySource[ObjectIdentifier(source)] ?? []
        where fetch.isFetch(of: source, requiresWriteAccess: requiresWriteAccess) {
            return fetch
        }
        return nil
    }

    /// Ends all observations after their pending values.
    func endAll(_ db: Database) {
        for fetch in fetches { fetch.fail(CancellationError()) }
        removeEnded(db)
    }

    private func removeEnded(_ db: Database) {
        defer { nextCleaning = max(8, 2 * fetches.count) }
        guard fetches.contains(where: \.isEnded) else { return }
        fetches.removeAll(where: \.isEnded)
        bySource = Dictionary(grouping: fetches, by: \.sourceID)
        version.increase()
        if isEmpty { db.unsubscribe(self) }
    }

    private func updateRegion() {
        let version = version.value
        guard version != knownVersion else { return }
        knownVersion = version
        region = fetches.reduce(into: DatabaseRegion()) { $0.formUnion($1.region) }
        needsAllChanges = fetches.contains(where: \.needsAllChanges)
    }

    // MARK: Changes

    func interest(in table: StatementProfile.Table, _ kind: DatabaseEventKind) -> ChangeInterest {
        updateRegion()
        guard needsAllChanges || region.isModified(byEventsOfKind: kind) else { return .none }
        let countsRows =
            region.countsRows(of: table) && (changes.rowCount(of: table) ?? Self.maximumRowCount) < Self.maximumRowCount
        return countsRows ? .rows : .region
    }

    func rowDidChange(_ event: DatabaseEvent, _ kind: DatabaseEventKind) {
        if let uncounted, uncounted.0 == event.table, uncounted.1 == kind { return }
        let isCounted = (changes.rowCount(of: event.table) ?? Self.maximumRowCount) < Self.maximumRowCount
        if !isCounted { uncounted = (event.table, kind) }
        changes.formUnion(DatabaseRegion(event.table, kind: kind, rowIDs: isCounted ? [event.rowID] : nil))
    }

    func regionDidChange(_ region: DatabaseRegion) { changes.formUnion(region) }

    func transactionDidEnd(committed: Bool, _ db: Database) {
        let changes = takeChanges()
        guard committed else { return }
        if version.value != cleanVersion {
            removeEnded(db)
            cleanVersion = version.value
        }
        guard !changes.isEmpty else { return }
        for fetch in fetches { fetch.didCommit(changes, db) }
    }

    private func takeChanges() -> DatabaseRegion {
        defer { (changes, uncounted) = (DatabaseRegion(), nil) }
        return changes
    }
}

extension Database {
    /// The value observations of this connection, which writes.
    var observationHub: ObservationHub { state.value(orMake: ObservationHub(interestVersion)) }
}
