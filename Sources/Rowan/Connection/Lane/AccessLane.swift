// The only gate to connections: a lane contains up to N of them and grants each to one access at a time, in order of
// arrival. A synchronous access runs on its caller's thread. An asynchronous one waits without blocking a thread and
// runs on the connection's queue. A queue has one lane with one connection; a pool has a lane for the writer and a lane
// for the readers.

import Dispatch
import Synchronization

final class AccessLane: Sendable {
    struct State {
        var idle: [PooledConnection] = []
        var all: [PooledConnection] = []
        /// The number of connections that are open or being opened.
        var count = 0
        /// The threads that are opening a connection.
        var openingThreads: [UInt] = []
        var waiters = FIFO<Waiter>()
        /// After closing, the template of the databases for accesses that can't throw.
        var closedConnection: PooledConnection?
        var isClosed = false
        var failureQueue: DispatchQueue?
        /// The access that holds, or waits for, all connections.
        var exclusive: Exclusive?
        /// The threads of the next exclusive accesses.
        var threadsBeforeTurn: [UInt] = []
        /// The longest time that a waiter has waited, in nanoseconds.
        var longestWait: UInt64 = 0
        /// Whether a check for waiters that have waited too long is scheduled.
        var isExpiryScheduled = false
    }

    /// An access to all connections.
    struct Exclusive {
        let thread: UInt
        /// Whether all connections have been returned.
        var holdsAll = false
    }

    /// The result of a request for an access: a connection, or permission to open one.
    enum Grant: Sendable {
        case connection(PooledConnection)
        case place(ConnectionQueues)
    }

    /// An access that waits for a connection; it is woken once.
    final class Waiter: Sendable {
        /// The blocked thread, or 0.
        let thread: UInt
        /// Whether it waits without a limit, even if the lane's accesses have one.
        let isPatient: Bool
        /// The uptime when the wait began.
        let beginning = Uptime.now
        /// The waiter's ticket, once it waits in the lane.
        fileprivate let ticket = Atomic<Int>(-1)
        let wake: @Sendable (Result<Grant, any Error>) -> Void

        init(
            thread: UInt = 0, isPatient: Bool = false, _ wake: @escaping @Sendable (Result<Grant, any Error>) -> Void
        ) {
            (self.thread, self.isPatient) = (thread, isPatient)
            self.wake = wake
        }
    }

    let state = Mutex(State())
    /// Exclusive accesses take turns, and each waits until all connections are returned.
    let exclusiveTurn = DispatchSemaphore(value: 1)
    let allReturned = DispatchSemaphore(value: 0)
    let capacity: Int
    /// The maximum time, in nanoseconds, that an access waits for a connection; nil for no limit.
    let waitLimit: UInt64?
    /// Called with the connection after each access that changed the database, before the next access receives it.
    private let willPassOn: (@Sendable (PooledConnection) -> Void)?
    /// Called after each access that changed the database.
    private let didWrite: (@Sendable () -> Void)?
    /// The instruments that receive the activity of accesses; nil if there are none.
    let instruments: DatabaseInstruments?
    /// Whether the connections of the lane can write, and therefore observe changes.
    let isWriter: Bool
    private let makeQueues: @Sendable () -> ConnectionQueues
    private let open: @Sendable (ConnectionQueues) throws -> PooledConnection
    /// The asynchronous writes that share transactions, if configured.
    let groupedWrites = GroupedWrites()
    /// The progress of the connection at the end of its last access, if the lane has one connection.
    private let lastProgress = Atomic<Int>(0)
    /// The lanes of a pool, including this one, whose threads may wait for each other.
    private let partners = Mutex<Partners>(Partners())

    private struct Partners {
        weak var writer: AccessLane?
        weak var readers: AccessLane?
    }

    init(
        capacity: Int, isWriter: Bool, label: String, qos: DispatchQoS, target: DispatchQueue?,
        waitLimit: Duration? = nil, instruments: DatabaseInstruments? = nil,
        willPassOn: (@Sendable (PooledConnection) -> Void)? = nil, didWrite: (@Sendable () -> Void)? = nil,
        open: @escaping @Sendable (ConnectionQueues) throws -> PooledConnection
    ) {
        self.capacity = capacity
        self.waitLimit = waitLimit?.nanoseconds
        self.instruments = instruments
        self.willPassOn = willPassOn
        self.didWrite = didWrite
        self.isWriter = isWriter
        self.open = open
        makeQueues = { ConnectionQueues(label: label, qos: qos, target: target) }
    }

    /// Links a writer and its readers, to prevent deadlocks between them.
    static func pair(writer: AccessLane, readers: AccessLane) {
        for lane in [writer, readers] { lane.partners.withLock { $0 = Partners(writer: writer, readers: readers) } }
    }

    /// The writer and readers of the pool that the lane belongs to.
    var pair: (writer: AccessLane, readers: AccessLane)? {
        partners.withLock { partners in
            guard let writer = partners.writer, let readers = partners.readers else { return nil }
            return (writer, readers)
        }
    }

    // MARK: Acquiring and releasing

    /// A connection for the current thread. Blocks until one is free.
    ///
    /// - Throws: SQLITE_MISUSE if the lane is closed, if the thread already uses a connection of this lane, or if there
    ///   would be a deadlock; or the error of opening a connection.
    func acquire() throws -> PooledConnection {
        let grant = try state.withLock { state -> Grant? in
            try check(state)
            return take(&state)
        }
        return try connection(of: grant ?? waitForGrant())
    }

    /// A newly opened connection, in addition to those that the current thread already holds.
    ///
    /// - Precondition: the lane is not full, and no other thread has access to it yet.
    func acquireAnother() throws -> PooledConnection {
        let queues = makeQueues()
        state.withLock { $0.count += 1 }
        do { return try openInPlace(queues) } catch {
            state.withLock { $0.count -= 1 }
            throw error
        }
    }

    /// A connection that is free now, or nil if an asynchronous access has to wait.
    func grantNow() throws -> Grant? {
        try state.withLock { state in
            guard !state.isClosed else { throw DatabaseError.connectionIsClosed }
            return take(&state)
        }
    }

    private func waitForGrant() throws -> Grant {
        let semaphore = DispatchSemaphore(value: 0)
        let slot = ResultSlot()
        let waiter = Waiter(thread: currentThreadID) { result in
            slot.set(result)
            semaphore.signal()
        }
        try enqueue(waiter)
        refuseDeadlocks()
        semaphore.wait()
        return try slot.take().get()
    }

    /// Runs the closure with a connection if it is open, and if no access uses it or waits for it.
    ///
    /// - Returns: nil if the connection is not available now.
    func useIfIdle<T>(_ connection: PooledConnection, _ body: (Database) throws -> T) rethrows -> T? {
        let isTaken = state.withLock { state in
            guard state.waiters.isEmpty, state.exclusive == nil, !state.isClosed,
                let index = state.idle.firstIndex(where: { $0 === connection })
            else { return false }
            state.idle.remove(at: index)
            return true
        }
        guard isTaken else { return nil }
        defer { release(connection) }
        return try connection.run(body)
    }

    /// Grants a connection to the waiter: immediately if one is free.
    func enqueue(_ waiter: Waiter) throws {
        let (grant, schedulesExpiry) = try state.withLock { state -> (Grant?, Bool) in
            guard !state.isClosed else { throw DatabaseError.connectionIsClosed }
            if let grant = take(&state) { return (grant, false) }
            waiter.ticket.store(state.waiters.append(waiter), ordering: .relaxed)
            guard waitLimit != nil, !waiter.isPatient, !state.isExpiryScheduled else { return (nil, false) }
            state.isExpiryScheduled = true
            return (nil, true)
        }
        if let grant { waiter.wake(.success(grant)) }
        if schedulesExpiry { scheduleExpiry(at: waiter.beginning) }
    }

    /// Removes a waiter.
    ///
    /// - Returns: false if it has already been woken.
    func cancel(_ waiter: Waiter) -> Bool {
        state.withLock { state in
            guard state.waiters.remove(waiter.ticket.load(ordering: .relaxed)) != nil else { return false }
            state.noteWait(of: waiter)
            return true
        }
    }

    /// A number that has changed since the last access if the connection has changed the database since then.
    var progress: Int { lastProgress.load(ordering: .acquiring) }

    func release(_ connection: PooledConnection) {
        connection.record.end()
        var hasWritten = false
        if isWriter {
            let progress = connection.database.connection.progress
            hasWritten = lastProgress.exchange(progress, ordering: .releasing) != progress
            if hasWritten { willPassOn?(connection) }
            if instruments != nil { connection.database.noteOwnCommits() }
        }
        let waiter = state.withLock { state -> Waiter? in
            if state.exclusive == nil, let waiter = nextWaiter(&state) { return waiter }
            state.idle.append(connection)
            signalIfAllReturned(state)
            return nil
        }
        waiter?.wake(.success(.connection(connection)))
        if hasWritten { didWrite?() }
    }

    /// Returns an unused grant.
    func giveBack(_ grant: Grant) {
        switch grant {
        case .connection(let connection): release(connection)
        case .place: passPlaceOn()
        }
    }

    /// The queues of an access.
    func queues(of grant: Grant) -> ConnectionQueues {
        switch grant {
        case .connection(let connection): connection.queues
        case .place(let queues): queues
        }
    }

    /// The queue for accesses that get no connection, created on demand.
    var failureQueue: DispatchQueue {
        state.withLock { state in
            if let queue = state.failureQueue { return queue }
            let queue = makeQueues().queue
            state.failureQueue = queue
            return queue
        }
    }

    private func take(_ state: inout State) -> Grant? {
        guard state.waiters.isEmpty, state.exclusive == nil else { return nil }
        return takeFree(&state)
    }

    private func takeFree(_ state: inout State) -> Grant? {
        if let connection = state.idle.popLast() { return .connection(connection) }
        guard state.count < capacity else { return nil }
        state.count += 1
        return .place(makeQueues())
    }

    // MARK: Opening

    /// The connection of a grant, opened if necessary. This runs in the access itself: on the thread of a synchronous
    /// access, on the queue of an asynchronous one.
    func connection(of grant: Grant) throws -> PooledConnection {
        switch grant {
        case .connection(let connection): return connection
        case .place(let queues):
            do { return try openInPlace(queues) } catch {
                passPlaceOn()
                throw error
            }
        }
    }

    private func openInPlace(_ queues: ConnectionQueues) throws -> PooledConnection {
        let thread = currentThreadID
        state.withLock { $0.openingThreads.append(thread) }
        defer { state.withLock { $0.openingThreads.removeAll { $0 == thread } } }
        let connection = try open(queues)
        connection.database.lane = self
        state.withLock { $0.all.append(connection) }
        return connection
    }

    /// Passes an unused permission to open a connection to the first waiter, which may succeed after a failure and
    /// would otherwise never be woken.
    private func passPlaceOn() {
        let waiter = state.withLock { state -> Waiter? in
            if state.exclusive == nil, let waiter = nextWaiter(&state) { return waiter }
            state.count -= 1
            signalIfAllReturned(state)
            return nil
        }
        waiter?.wake(.success(.place(makeQueues())))
    }

    // MARK: Current state

    func check(_ state: State) throws {
        guard !state.isClosed else { throw DatabaseError.connectionIsClosed }
        try checkNesting(state)
    }

    private func checkNesting(_ state: State) throws {
        let thread = currentThreadID
        guard !state.all.contains(where: \.isHeldByCurrentThread), !state.isExclusive(of: thread),
            !state.openingThreads.contains(thread)
        else { throw DatabaseError.nestedAccess }
    }

    /// - Throws: SQLITE_MISUSE if the thread already uses a connection of this lane.
    func refuseNestedAccess() throws { try state.withLock { try checkNesting($0) } }

    /// Whether the current thread holds all connections.
    var isExclusiveOfCurrentThread: Bool { state.withLock { $0.isExclusive(of: currentThreadID) } }

    /// The open connections.
    var allConnections: [PooledConnection] { state.withLock { $0.all } }

    /// The database of an access that can't throw, after closing. Each access gets its own, because accesses after
    /// closing don't wait for each other.
    var closedDatabase: Database? { state.withLock { $0.closedConnection }?.database.closedCopy }

    /// Runs the closure when the current access, which has a callback, has finished.
    func afterCurrentAccess(_ body: @escaping @Sendable () -> Void) {
        guard let connection = connectionOfCurrentThread else { return body() }
        connection.queues.queue.async(execute: body)
    }

    /// The connection that the current thread is using, if any.
    var connectionOfCurrentThread: PooledConnection? {
        state.withLock { $0.all.first(where: \.isHeldByCurrentThread) }
    }

    func interrupt() {
        for connection in allConnections { connection.interrupt() }
    }

    func signalIfAllReturned(_ state: State) {
        if state.exclusive != nil, state.idle.count == state.count { allReturned.signal() }
    }

    /// The grant of the first waiter after an exclusive access, if any waiter and connection are available.
    func nextAfterExclusive() -> (Waiter, Grant)? {
        state.withLock { state in
            state.exclusive = nil
            guard !state.waiters.isEmpty, let grant = takeFree(&state) else { return nil }
            return nextWaiter(&state).map { ($0, grant) }
        }
    }
}

/// A slot for one result, set by one thread and taken by another.
private final class ResultSlot: Sendable {
    private let value = Mutex<Result<AccessLane.Grant, any Error>?>(nil)
    func set(_ result: Result<AccessLane.Grant, any Error>) { value.withLock { $0 = result } }
    func take() -> Result<AccessLane.Grant, any Error> { value.withLock { $0! } }
}

extension DatabaseError {
    static var nestedAccess: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "database accesses are not reentrant: use the Database of the current access, "
                + "or unsafeReentrantRead / unsafeReentrantWrite")
    }
}
