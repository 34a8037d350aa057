// Which databases are open, who uses them, and who waits.
//
// A database is open while it is used, and afterwards until another one needs its place: then the least recently used
// is closed. An access that has to wait gets the pool with its use already counted, so that nothing closes it in between.

import Rowan
import Synchronization

/// The open databases of a directory.
final class TenantCache: Sendable {
    /// What is done outside of the lock.
    enum Action {
        /// A database that does not exist is created only for an access.
        case open(TenantName, forAccess: Bool)
        case close(TenantName, DatabasePool)
        case resume(CheckedContinuation<DatabasePool?, any Error>, Result<DatabasePool?, any Error>)
    }

    /// What a database is wanted for.
    enum Use {
        case access
        /// Work on all databases in turn: one that has no other use is closed first.
        case background
        /// All uses must have ended.
        case exclusive
    }

    private let state: Mutex<State>
    private let waitTimeout: Duration
    private let nextWaiter = Atomic<UInt64>(0)

    init(limit: Int, waitTimeout: Duration) {
        state = Mutex(State(limit: max(limit, 1), timeout: waitTimeout))
        self.waitTimeout = waitTimeout
    }

    /// The number of databases that are open, or are being opened or closed.
    var openCount: Int { state.withLock { $0.occupied } }

    /// The number of those that wait.
    var waitingCount: Int { state.withLock { $0.waitingCount } }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    var names: [TenantName] { state.withLock { Array($0.entries.keys) } }

    /// Refuses what begins later, and what waits for a place.
    func refuse() -> [Action] { state.withLock { $0.refuse() } }

    // MARK: Accesses

    /// The pool of an open database that is not wanted for an exclusive use. This use is counted.
    func take(_ name: TenantName, _ use: Use) -> DatabasePool? { state.withLock { $0.take(name, use) } }

    /// Waits for a database.
    ///
    /// - Parameters:
    ///   - use: what it is wanted for.
    ///   - run: runs actions.
    /// - Returns: the pool; for an exclusive use nil if it is not open.
    func wait(
        for name: TenantName, _ use: Use, _ run: @escaping @Sendable ([Action]) -> Void
    ) async throws -> DatabasePool? {
        let id = nextWaiter.wrappingAdd(1, ordering: .relaxed).newValue
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                run(
                    state.withLock { state in
                        if Task.isCancelled { return [.resume(continuation, .failure(CancellationError()))] }
                        return state.request(
                            id, State.Waiter(name: name, use: use, continuation: continuation))
                    })
                // Only what waits can time out.
                timer = Task { [waitTimeout] in
                    // A cancellation means that the wait has ended.
                    guard (try? await Task.sleep(for: waitTimeout)) != nil else { return }
                    run(state.withLock { $0.timeOut(id) })
                }
            }
        } onCancel: {
            run(state.withLock { $0.cancel(id, CancellationError()) })
        }
    }

    /// Ends a use.
    func release(_ name: TenantName) -> [Action] { state.withLock { $0.release(name) } }

    func didOpen(_ name: TenantName, _ result: Result<DatabasePool, any Error>) -> [Action] {
        state.withLock { $0.didOpen(name, result) }
    }

    /// A database is closed, or an exclusive use has ended.
    func didClose(_ name: TenantName, hadPool: Bool) -> [Action] { state.withLock { $0.didClose(name, hadPool) } }
}

extension TenantCache {
    fileprivate struct Waiter {
        let name: TenantName
        let use: Use
        var isExclusive: Bool { use == .exclusive }
        let continuation: CheckedContinuation<DatabasePool?, any Error>
        /// Whether it waits for a place.
        var isQueued = false
        /// Whether its time has passed during an opening, which ends by itself.
        var hasTimedOut = false
    }

    fileprivate struct State {
        typealias Waiter = TenantCache.Waiter

        enum Phase {
            case opening
            case open(DatabasePool)
            case closing
            case exclusive
        }

        struct Entry {
            var phase: Phase
            /// Whether it is opened for an access, which may create it.
            var isForAccess = false
            var uses = 0
            /// Whether there was a use that isn't in the background.
            var hasAccesses = false
            /// Changes with each use.
            var generation: UInt64 = 0
            /// Those that wait for the next phase, or for the end of the uses, in their order.
            var waiters: [UInt64] = []
            /// The number of those that want it for themselves. Later accesses wait for them.
            var exclusives = 0

            mutating func takeWaiters() -> [UInt64] {
                defer { (waiters, exclusives) = ([], 0) }
                return waiters
            }
        }

        struct Idle {
            let name: TenantName
            let generation: UInt64
        }

        let limit: Int
        let timeout: Duration
        var entries: [TenantName: Entry] = [:]
        /// The number of databases that are open, or are being opened or closed.
        var occupied = 0
        var isClosed = false
        private var closing = 0
        private var generation: UInt64 = 0
        private var waiters: [UInt64: Waiter] = [:]
        /// Those that wait for a place. Those that no longer do are skipped.
        private var queue = Queue<UInt64>()
        private var queued: [TenantName: [UInt64]] = [:]
        private var queuedCount = 0
        /// Databases in the order in which their uses have ended. A later use makes an element stale.
        private var idle = Queue<Idle>()
        private var idleInBackground = Queue<Idle>()

        init(limit: Int, timeout: Duration) { (self.limit, self.timeout) = (limit, timeout) }

        var waitingCount: Int { waiters.count }

        // MARK: Uses

        mutating func take(_ name: TenantName, _ use: Use) -> DatabasePool? {
            guard !isClosed, let index = entries.index(forKey: name),
                case .open(let pool) = entries.values[index].phase,
                entries.values[index].exclusives == 0
            else { return nil }
            entries.values[index].uses += 1
            if use == .access { entries.values[index].hasAccesses = true }
            return pool
        }

        mutating func release(_ name: TenantName) -> [Action] {
            guard let index = entries.index(forKey: name) else { return [] }
            entries.values[index].uses -= 1
            guard entries.values[index].uses == 0 else { return [] }
            generation += 1
            entries.values[index].generation = generation
            let element = Idle(name: name, generation: generation)
            if entries.values[index].hasAccesses { idle.append(element) } else { idleInBackground.append(element) }
            let isCurrent = { [entries] (idle: Idle) in entries[idle.name]?.generation == idle.generation }
            if idle.count > 2 * entries.count + 64 { idle.filter(isCurrent) }
            if idleInBackground.count > 2 * entries.count + 64 { idleInBackground.filter(isCurrent) }
            var actions: [Action] = []
            if !entries.values[index].waiters.isEmpty { drain(name, &actions) }
            if isClosed, let entry = entries[name], entry.uses == 0, case .open(let pool) = entry.phase {
                // The directory did not wait for this use any longer.
                close(name, pool, &actions)
            }
            admit(&actions)
            return actions
        }

        private mutating func close(_ name: TenantName, _ pool: DatabasePool, _ actions: inout [Action]) {
            entries[name]?.phase = .closing
            closing += 1
            actions.append(.close(name, pool))
        }

        private mutating func nextIdle() -> Idle? {
            while let next = idleInBackground.popFirst() ?? idle.popFirst() {
                if let entry = entries[next.name], case .open = entry.phase, entry.uses == 0,
                    entry.generation == next.generation, entry.exclusives == 0
                {
                    return next
                }
            }
            return nil
        }

        // MARK: Waiting

        mutating func request(_ id: UInt64, _ waiter: Waiter) -> [Action] {
            guard !isClosed || waiter.isExclusive else {
                return [.resume(waiter.continuation, .failure(DatabaseDirectoryError.isClosed))]
            }
            waiters[id] = waiter
            var actions: [Action] = []
            place(id, &actions)
            admit(&actions)
            return actions
        }

        /// Gives a waiter what it waits for, or a place in a queue.
        private mutating func place(_ id: UInt64, _ actions: inout [Action]) {
            guard let waiter = waiters[id] else { return }
            let name = waiter.name
            guard let entry = entries[name] else {
                if waiter.isExclusive {
                    enter(name, .exclusive)
                    resume(id, nil, &actions)
                } else {
                    queue.append(id)
                    queued[name, default: []].append(id)
                    waiters[id]?.isQueued = true
                    queuedCount += 1
                }
                return
            }
            switch entry.phase {
            case .open(let pool) where waiter.isExclusive && entry.uses == 0:
                entries[name]?.phase = .exclusive
                resume(id, pool, &actions)
            case .open(let pool) where !waiter.isExclusive && entry.exclusives == 0:
                entries[name]?.uses += 1
                if waiter.use == .access { entries[name]?.hasAccesses = true }
                resume(id, pool, &actions)
            default:
                entries[name]?.waiters.append(id)
                if waiter.isExclusive { entries[name]?.exclusives += 1 }
            }
        }

        /// Adds a database, for which all wait that have waited for a place.
        private mutating func enter(_ name: TenantName, _ phase: Phase) {
            let ids = (queued.removeValue(forKey: name) ?? []).filter { waiters[$0] != nil }
            for id in ids { waiters[id]?.isQueued = false }
            queuedCount -= ids.count
            let isForAccess = ids.contains { waiters[$0]?.use == .access }
            entries[name] = Entry(phase: phase, isForAccess: isForAccess, waiters: ids)
        }

        private mutating func resume(_ id: UInt64, _ pool: DatabasePool?, _ actions: inout [Action]) {
            guard let waiter = waiters.removeValue(forKey: id) else { return }
            actions.append(.resume(waiter.continuation, .success(pool)))
        }

        /// Places those that wait for a database again.
        private mutating func drain(_ name: TenantName, _ actions: inout [Action]) {
            for id in entries[name]?.takeWaiters() ?? [] { place(id, &actions) }
        }

        /// Opens databases for those that wait for a place, and closes others where there is none.
        private mutating func admit(_ actions: inout [Action]) {
            while let id = queue.first {
                guard let waiter = waiters[id], waiter.isQueued else {
                    _ = queue.popFirst()
                    continue
                }
                if occupied < limit {
                    enter(waiter.name, .opening)
                    occupied += 1
                    actions.append(.open(waiter.name, forAccess: entries[waiter.name]!.isForAccess))
                } else if closing < queuedCount, let next = nextIdle(),
                    case .open(let pool)? = entries[next.name]?.phase
                {
                    close(next.name, pool, &actions)
                } else {
                    return
                }
            }
        }

        mutating func cancel(_ id: UInt64, _ error: any Error) -> [Action] {
            guard let waiter = waiters.removeValue(forKey: id) else { return [] }
            var actions = [Action.resume(waiter.continuation, .failure(error))]
            if waiter.isQueued {
                queuedCount -= 1
                queued[waiter.name]?.removeAll { $0 == id }
                if queued[waiter.name]?.isEmpty == true { queued[waiter.name] = nil }
            }
            if waiter.isExclusive, entries[waiter.name]?.waiters.contains(id) == true { drain(waiter.name, &actions) }
            return actions
        }

        /// Ends a wait. An opening ends by itself: migrations may take long.
        mutating func timeOut(_ id: UInt64) -> [Action] {
            guard let waiter = waiters[id] else { return [] }
            let name = waiter.name.tenant
            switch entries[waiter.name]?.phase {
            case .opening:
                waiters[id]?.hasTimedOut = true
                return []
            case nil:
                return cancel(
                    id,
                    DatabaseDirectoryError(
                        .limit,
                        "all \(limit) databases that may be open were in use for \(timeout): raise `limit`, or use them "
                            + "for a shorter time"))
            default:
                return cancel(
                    id, DatabaseDirectoryError(.inUse, "the database of \"\(name)\" was in use for \(timeout)"))
            }
        }

        // MARK: Opening and closing

        mutating func didOpen(_ name: TenantName, _ result: Result<DatabasePool, any Error>) -> [Action] {
            var actions: [Action] = []
            let ids = entries[name]?.takeWaiters() ?? []
            switch result {
            case .success(let pool):
                entries[name]?.phase = .open(pool)
                // Counted until those that wait have their uses, after which the database may be idle.
                entries[name]?.uses += 1
                for id in ids where waiters[id]?.isExclusive == false { place(id, &actions) }
                for id in ids where waiters[id]?.isExclusive == true { place(id, &actions) }
                actions += release(name)
            case .failure(let error):
                let entry = entries.removeValue(forKey: name)
                occupied -= 1
                let mayBeCreated = entry?.isForAccess == false && (error as? DatabaseDirectoryError)?.code == .missing
                for id in ids {
                    // An access that has joined the opening of other work begins its own.
                    let isTriedAgain = waiters[id]?.isExclusive == true || mayBeCreated && waiters[id]?.use == .access
                    if isTriedAgain { place(id, &actions) } else { actions += cancel(id, error) }
                }
                admit(&actions)
            }
            // The time of those that wait on has passed before.
            for id in ids where waiters[id]?.hasTimedOut == true { actions += timeOut(id) }
            return actions
        }

        mutating func didClose(_ name: TenantName, _ hadPool: Bool) -> [Action] {
            guard let entry = entries.removeValue(forKey: name) else { return [] }
            if case .closing = entry.phase { closing -= 1 }
            if hadPool { occupied -= 1 }
            var actions: [Action] = []
            for id in entry.waiters { place(id, &actions) }
            admit(&actions)
            return actions
        }

        mutating func refuse() -> [Action] {
            isClosed = true
            var actions: [Action] = []
            for (id, waiter) in waiters where !waiter.isExclusive {
                actions += cancel(id, DatabaseDirectoryError.isClosed)
            }
            return actions
        }
    }
}

extension DatabaseDirectoryError {
    static let isClosed = DatabaseDirectoryError(.closed, "the directory of databases is closed")
}
