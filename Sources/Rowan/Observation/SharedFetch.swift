// One fetch for all observations of a source. After a commit that changes what it has read, it fetches once for all of
// them: on a reader of the pool or, where one connection reads and writes, in the access that committed.

struct ObservationConnections: Sendable {
    let write: AccessRoute
    /// The connections that fetch.
    let fetch: AccessRoute
    /// Whether fetches run on another connection than writes, which continue in the meantime.
    let isConcurrent: Bool
    /// Whether the database can change.
    let observesChanges: Bool

    init(_ reader: any DatabaseReader, requiresWriteAccess: Bool) {
        // Fetches begin their own transactions, except in a snapshot.
        write = reader._routes.write.withoutTransaction
        let read = reader._routes.read.withoutTransaction
        observesChanges = write.lane.isWriter
        isConcurrent = !requiresWriteAccess && read.lane !== write.lane
        fetch = isConcurrent ? read : write
    }
}

/// A receiver of fetched values: a started observation.
protocol FetchReceiver<Fetched>: AnyObject, Sendable {
    associatedtype Fetched: Sendable
    var events: ObservationEvents { get }
    /// Whether the receiver can take another value now.
    var isReady: Bool { get }
    /// Called after a transaction has changed what the observation reads.
    func databaseDidChange()
    func receive(_ fetched: Fetched)
    func fail(_ error: any Error)
}

/// A fetch, and the observations that share it.
final class SharedFetch<Fetched: Sendable>: ObservedFetch {
    private struct State {
        /// Nil once the last observation has ended: the closures of the program are then released.
        var active: Active?
        var receivers: [any FetchReceiver<Fetched>] = []
        var region = DatabaseRegion()
        /// Whether a fetch is waiting for its connection, or running.
        var isFetching = false
        /// Whether the region was changed since the last fetch started.
        var isOutdated = false
        /// The changes since the current fetch started, if the region of the fetch is known only when it finishes. They
        /// then determine whether the fetch is outdated. Nil if the region is known.
        var undecided: DatabaseRegion?
        /// The number of consecutive temporary failures.
        var failureCount = 0
    }

    private struct Active {
        let source: FetchSource<Fetched>
        let connections: ObservationConnections
    }

    let sourceID: ObjectIdentifier
    private let requiresWriteAccess: Bool
    private let isVarying: Bool
    private let isConcurrent: Bool
    private let version: InterestVersion
    private let state: Mutex<State>

    init(
        _ source: FetchSource<Fetched>, _ connections: ObservationConnections, requiresWriteAccess: Bool,
        region: DatabaseRegion, version: InterestVersion
    ) {
        self.requiresWriteAccess = requiresWriteAccess
        self.version = version
        sourceID = ObjectIdentifier(source)
        isVarying = source.isVarying
        isConcurrent = connections.isConcurrent
        state = Mutex(State(active: Active(source: source, connections: connections), region: region))
    }

    var isEnded: Bool { state.withLock { $0.active == nil } }

    var needsAllChanges: Bool { isVarying && isConcurrent }

    func isFetch(of source: FetchSource<Fetched>, requiresWriteAccess: Bool) -> Bool {
        self.requiresWriteAccess == requiresWriteAccess && state.withLock { $0.active?.source === source }
    }

    var region: DatabaseRegion { state.withLock { $0.region } }

    // MARK: Receivers

    /// Adds an observation, whose first fetch has read a region.
    ///
    /// - Returns: false if the fetch has ended in the meantime.
    func add(_ receiver: any FetchReceiver<Fetched>, region: DatabaseRegion) -> Bool {
        let isAdded = state.withLock { state in
            guard state.active != nil else { return false }
            state.receivers.append(receiver)
            state.region.formUnion(region)
            return true
        }
        version.increase()
        return isAdded
    }

    /// Removes an observation. Removing the last one ends the fetch.
    func remove(_ receiver: any FetchReceiver<Fetched>) {
        // The program's closures are released outside the lock.
        let ended = state.withLock { state -> Active? in
            state.receivers.removeAll { $0 === receiver }
            guard state.receivers.isEmpty else { return nil }
            defer { state.active = nil }
            return state.active
        }
        if ended != nil { version.increase() }
    }

    /// Starts a fetch that has waited for a receiver to be ready again.
    func receiverIsReady() { schedule { $0.isOutdated } }

    // MARK: Changes

    func didCommit(_ changes: DatabaseRegion, _ db: Database) {
        let isConcerned = state.withLock { state in
            guard state.active != nil else { return false }
            state.undecided?.formUnion(changes)
            guard state.region.intersects(changes) else { return false }
            state.isOutdated = true
            return true
        }
        if isConcerned { refresh(db) }
    }

    /// Fetches after a change.
    func refresh(_ db: Database) {
        for receiver in state.withLock({ $0.receivers }) { receiver.databaseDidChange() }
        guard !isConcurrent, begin({ $0.isOutdated }) else { return schedule { $0.isOutdated } }
        perform(db)
    }

    /// Takes the permission to fetch, which one thread at a time can hold.
    private func begin(_ isNeeded: (State) -> Bool) -> Bool {
        state.withLock { state in
            guard state.active != nil, !state.isFetching, isNeeded(state),
                state.receivers.contains(where: \.isReady)
            else { return false }
            state.isFetching = true
            return true
        }
    }

    /// Fetches in a separate access.
    private func schedule(_ isNeeded: (State) -> Bool) {
        guard begin(isNeeded), let active = state.withLock({ $0.active }) else { return }
        active.connections.fetch.callback(isPatient: true) { result in
            do { self.perform(try result.openDatabase()) } catch { self.didFail(error) }
        }
    }

    /// Fetches and distributes the value.
    private func perform(_ db: Database) {
        let (active, receivers) = state.withLock { state in
            // Later changes are not in the fetched value and cause another fetch.
            state.isOutdated = false
            if needsAllChanges { state.undecided = DatabaseRegion() }
            return (state.active, state.receivers)
        }
        guard let active else { return }
        for receiver in receivers { receiver.events.willFetch() }
        do {
            let (value, region) = try active.source.fetch(
                db, requiresWriteAccess: requiresWriteAccess, unless: { [unowned self] in isEnded })
            if isNew(region) { for receiver in receivers { receiver.events.willTrack(region) } }
            // In this order, so that no later value overtakes this one.
            for receiver in receivers { receiver.receive(value) }
            finish(region)
            schedule { $0.isOutdated }
        } catch {
            didFail(error)
        }
    }

    /// Handles a failed fetch. If the failure is temporary, the value stays outdated and is fetched again.
    private func didFail(_ error: any Error) {
        guard !isEnded else { return }
        // A fetch may run in the access of a cancelled task and check for the task's cancellation.
        guard error.isPassing || error is CancellationError && Task.isCancelled else { return fail(error) }
        let count = state.withLock { state in
            (state.isFetching, state.isOutdated) = (false, true)
            state.undecided = nil
            state.failureCount += 1
            return state.failureCount
        }
        retryLater(count) { [weak self] in self?.schedule { $0.isOutdated } }
    }

    private func isNew(_ region: DatabaseRegion) -> Bool { isVarying && region != self.region }

    private func finish(_ region: DatabaseRegion) {
        let isNew = state.withLock { state in
            (state.isFetching, state.failureCount) = (false, 0)
            // On the writing connection, the fetch itself has made all changes since it started.
            if requiresWriteAccess { state.isOutdated = false }
            let isNew = isVarying && state.region != region
            if isNew { state.region = region }
            if let undecided = state.undecided, undecided.intersects(state.region) { state.isOutdated = true }
            state.undecided = nil
            return isNew
        }
        if isNew { version.increase() }
    }

    /// Ends the observations with an error.
    func fail(_ error: any Error) {
        let receivers = state.withLock { state in
            defer { (state.receivers, state.active, state.isFetching) = ([], nil, false) }
            return (state.receivers, state.active)
        }
        version.increase()
        for receiver in receivers.0 { receiver.fail(error) }
    }
}

extension FetchSource {
    /// Runs the fetch, and returns the value with the region that was read.
    ///
    /// - Parameter isEnded: whether the observation has ended. If so, the statements of the fetch are interrupted.
    func fetch(
        _ db: Database, requiresWriteAccess: Bool, unless isEnded: @escaping () -> Bool
    ) throws -> (Fetched, DatabaseRegion) {
        guard isVarying else { return (try perform(db, requiresWriteAccess, isEnded), DatabaseRegion()) }
        return try db.recordingRegion { try perform(db, requiresWriteAccess, isEnded) }
    }

    /// The first fetch, and the region to track.
    func firstFetch(
        _ db: Database, requiresWriteAccess: Bool, unless isEnded: @escaping () -> Bool
    ) throws -> (Fetched, DatabaseRegion) {
        guard case .regions(let regions) = tracking else {
            return try db.recordingRegion { try perform(db, requiresWriteAccess, isEnded) }
        }
        let region = try db.connection.unwatched { try DatabaseRegion.union(regions, db) }
        return (try perform(db, requiresWriteAccess, isEnded), region)
    }

    private func perform(
        _ db: Database, _ requiresWriteAccess: Bool, _ isEnded: @escaping () -> Bool
    ) throws -> Fetched {
        // Only the fetch is interrupted: what follows its commit also serves other observers.
        func fetch(_ db: Database) throws -> Fetched {
            try db.connection.interrupting(when: isEnded) { try self.fetch(db) }
        }
        guard !requiresWriteAccess else { return try db.transaction(nil) { try fetch(db) } }
        return db.isInsideTransaction ? try fetch(db) : try db.isolatedRead(fetch)
    }
}
