// The only observer of a writer on behalf of all its value observations. It collects what a transaction changes, and
// tells the fetches that read some of it after the commit.

import Synchronization

/// A fetch that observations share, whatever it fetches.
protocol ObservedFetch: AnyObject, Sendable {
    /// Whether no observation needs the fetch any more.
    var isEnded: Bool { get }
    /// The region that the last fetch has read.
    var region: DatabaseRegion { get }
    /// Whether the next fetch may read another region, and runs while transactions go on: it then needs to know all
    /// changes, rather than those of its region.
    var needsAllChanges: Bool { get }
    /// A transaction has changed something. The method runs in the access that has committed it.
    func didCommit(_ changes: DatabaseRegion, _ db: Database)
}

/// The value observations of a writing connection. It is used in its accesses only.
final class ObservationHub: ConnectionStateValue, RegionObserver {
    static var place: ConnectionState.Place { .observations }

    private var fetches: [any ObservedFetch] = []
    /// What the current transaction has changed.
    private var changes = DatabaseRegion()
    /// The last change of a whole table: its rows are not counted.
    private var lastTable: (StatementProfile.Table, DatabaseEventKind)?
    /// The union of the regions of all fetches.
    private var region = DatabaseRegion()
    private var needsAllChanges = false
    /// The version of the regions that the union is made of.
    private var knownVersion = -1
    /// The current version of the regions.
    let version = RegionVersion()

    /// The most rowids that a transaction counts in a table.
    private static let maximumRowCount = 1000

    /// Adds a fetch, and learns about its changes from now on.
    ///
    /// - Throws: the error of the system that prevents watching other processes.
    func add(_ fetch: any ObservedFetch, _ db: Database) throws {
        removeEnded(db)
        if fetches.isEmpty { try db.add(regionObserver: self) }
        fetches.append(fetch)
        version.increase()
    }

    /// The fetch of a source, if there is one.
    func fetch<Fetched>(of source: FetchSource<Fetched>, _ requiresWriteAccess: Bool) -> SharedFetch<Fetched>? {
        for case let fetch as SharedFetch<Fetched> in fetches
        where fetch.isFetch(of: source, requiresWriteAccess: requiresWriteAccess) {
            return fetch
        }
        return nil
    }

    private func removeEnded(_ db: Database) {
        guard fetches.contains(where: \.isEnded) else { return }
        fetches.removeAll(where: \.isEnded)
        version.increase()
        if fetches.isEmpty { db.remove(transactionObserver: self) }
    }

    private func updateRegion() {
        let version = version.value
        guard version != knownVersion else { return }
        knownVersion = version
        region = fetches.reduce(into: DatabaseRegion()) { $0.formUnion($1.region) }
        needsAllChanges = fetches.contains(where: \.needsAllChanges)
    }

    // MARK: Transaction observer

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        updateRegion()
        return needsAllChanges || region.isModified(byEventsOfKind: eventKind)
    }

    func databaseDidChange(with event: DatabaseEvent, of kind: DatabaseEventKind) {
        if let lastTable, lastTable.0 == event.table, lastTable.1 == kind { return }
        let countsRows =
            region.countsRows(of: event.table)
            && (changes.rowCount(of: event.table) ?? Self.maximumRowCount) < Self.maximumRowCount
        guard countsRows else {
            lastTable = (event.table, kind)
            return changes.formUnion(DatabaseRegion(event.table, kind: kind))
        }
        changes.formUnion(DatabaseRegion(event.table, kind: kind, rowIDs: [event.rowID]))
    }

    func databaseDidChange(in region: DatabaseRegion) { changes.formUnion(region) }

    func databaseDidCommit(_ db: Database) {
        let changes = takeChanges()
        removeEnded(db)
        guard !changes.isEmpty else { return }
        for fetch in fetches { fetch.didCommit(changes, db) }
    }

    func databaseDidRollback(_ db: Database) { _ = takeChanges() }

    private func takeChanges() -> DatabaseRegion {
        defer {
            changes = DatabaseRegion()
            lastTable = nil
        }
        return changes
    }
}

/// Increases whenever the region of a fetch changes, on any thread.
final class RegionVersion: Sendable {
    private let counter = Atomic<Int>(0)

    var value: Int { counter.load(ordering: .acquiring) }
    func increase() { counter.add(1, ordering: .releasing) }
}

extension Database {
    /// The value observations of this connection, which writes.
    var observationHub: ObservationHub { state.value(orMake: ObservationHub()) }
}
