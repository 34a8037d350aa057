// The one gate to connections: a lane holds up to N of them, and hands each to one access at a time, first come,
// first served. A synchronous access runs on its caller's thread; an asynchronous one waits without a thread, and
// runs on the executor of the connection. A queue is a lane of one; a pool is a lane of one writer, and one of readers.

import Dispatch
import Foundation
import Synchronization

final class AccessLane: Sendable {
    struct State {
        var idle: [PooledConnection] = []
        var all: [PooledConnection] = []
        /// Connections that are open, or being opened.
        var count = 0
        /// The threads that open a connection.
        var openingThreads: [UInt] = []
        var waiters = FIFO<Waiter>()
        /// What the databases of accesses that can't throw are copied from after the closing.
        var closedConnection: PooledConnection?
        var isClosed = false
        var failureQueue: DispatchQueue?
        /// Whether an exclusive access keeps all connections, or waits for them, and on which thread.
        var isExclusive = false
        var exclusiveThread: UInt = 0
    }

    /// What an access gets: a connection, or the place of one that it opens itself.
    enum Grant: Sendable {
        case connection(PooledConnection)
        case place(ConnectionExecutor)
    }

    /// An access that waits for a connection; it is woken once.
    final class Waiter: Sendable {
        /// The thread that is blocked, 0 for none.
        let thread: UInt
        let wake: @Sendable (Result<Grant, any Error>) -> Void

        init(thread: UInt = 0, _ wake: @escaping @Sendable (Result<Grant, any Error>) -> Void) {
            self.thread = thread
            self.wake = wake
        }
    }

    let state = Mutex(State())
    /// Exclusive accesses take turns, and each waits until all connections are back.
    let exclusiveTurn = DispatchSemaphore(value: 1)
    let allReturned = DispatchSemaphore(value: 0)
    private let capacity: Int
    private let makeExecutor: @Sendable () -> ConnectionExecutor
    private let open: @Sendable (ConnectionExecutor) throws -> PooledConnection
    /// The lane whose threads may wait for this one: the readers of a pool, for its writer, and the writer for them.
    private let partners = Mutex<Partners>(Partners())

    private struct Partners {
        weak var readers: AccessLane?
        weak var writer: AccessLane?
    }

    init(
        capacity: Int, label: String, qos: DispatchQoS, target: DispatchQueue?,
        open: @escaping @Sendable (ConnectionExecutor) throws -> PooledConnection
    ) {
        self.capacity = capacity
        self.open = open
        makeExecutor = { ConnectionExecutor(label: label, qos: qos, target: target) }
    }

    /// Makes a writer and its readers know each other, so that neither waits for the other for ever.
    static func pair(writer: AccessLane, readers: AccessLane) {
        writer.partners.withLock { $0.readers = readers }
        readers.partners.withLock { $0.writer = writer }
    }

    // MARK: Taking and giving back

    /// A connection, for the current thread: it blocks until one is free.
    ///
    /// - Throws: SQLITE_MISUSE if the lane is closed, if the thread already has a connection of this lane, or if it
    ///   would wait for ever; the error of opening a connection.
    func acquire() throws -> PooledConnection {
        let grant = try state.withLock { state -> Grant? in
            try check(state)
            return take(&state)
        }
        return try connection(of: grant ?? waitForGrant())
    }

    private func waitForGrant() throws -> Grant {
        let semaphore = DispatchSemaphore(value: 0)
        let slot = ResultSlot()
        let waiter = Waiter(thread: currentThreadID) { result in
            slot.set(result)
            semaphore.signal()
        }
        try enqueue(waiter)
        // The thread keeps a reader that an exclusive access waits for, which keeps the writer.
        if let readers = partners.withLock({ $0.readers }), readers.isExclusiveAwaitingCurrentThread, cancel(waiter) {
            throw DatabaseError.deadlock
        }
        semaphore.wait()
        return try slot.take().get()
    }

    /// Hands a grant to the waiter, at once if a connection is free.
    func enqueue(_ waiter: Waiter) throws {
        let grant = try state.withLock { state -> Grant? in
            guard !state.isClosed else { throw DatabaseError.connectionIsClosed }
            if let grant = take(&state) { return grant }
            state.waiters.append(waiter)
            return nil
        }
        if let grant { waiter.wake(.success(grant)) }
    }

    /// Forgets a waiter.
    ///
    /// - Returns: false if it was woken already.
    func cancel(_ waiter: Waiter) -> Bool {
        state.withLock { $0.waiters.remove { $0 === waiter } != nil }
    }

    func release(_ connection: PooledConnection) {
        let waiter = state.withLock { state -> Waiter? in
            if !state.isExclusive, let waiter = state.waiters.popFirst() { return waiter }
            state.idle.append(connection)
            signalIfAllReturned(state)
            return nil
        }
        waiter?.wake(.success(.connection(connection)))
    }

    /// Gives back what was not used.
    func giveBack(_ grant: Grant) {
        switch grant {
        case .connection(let connection): release(connection)
        case .place: passPlaceOn()
        }
    }

    /// Where an access runs.
    func executor(of grant: Grant) -> ConnectionExecutor {
        switch grant {
        case .connection(let connection): connection.executor
        case .place(let executor): executor
        }
    }

    /// The queue of those who get no connection, made when the first one needs it.
    var failureQueue: DispatchQueue {
        state.withLock { state in
            if let queue = state.failureQueue { return queue }
            let queue = makeExecutor().queue
            state.failureQueue = queue
            return queue
        }
    }

    private func take(_ state: inout State) -> Grant? {
        guard state.waiters.isEmpty, !state.isExclusive else { return nil }
        return takeFree(&state)
    }

    private func takeFree(_ state: inout State) -> Grant? {
        if let connection = state.idle.popLast() { return .connection(connection) }
        guard state.count < capacity else { return nil }
        state.count += 1
        return .place(makeExecutor())
    }

    // MARK: Opening

    /// The connection of a grant, which is opened if it is only the place of one. It runs in the access itself: on the
    /// thread of a synchronous one, on the executor of an asynchronous one.
    func connection(of grant: Grant) throws -> PooledConnection {
        switch grant {
        case .connection(let connection): return connection
        case .place(let executor):
            do { return try openInPlace(executor) } catch {
                passPlaceOn()
                throw error
            }
        }
    }

    private func openInPlace(_ executor: ConnectionExecutor) throws -> PooledConnection {
        let thread = currentThreadID
        state.withLock { $0.openingThreads.append(thread) }
        defer { state.withLock { $0.openingThreads.removeAll { $0 == thread } } }
        let connection = try open(executor)
        state.withLock { $0.all.append(connection) }
        return connection
    }

    /// A place was not used, or opening has failed: it goes to the first waiter, for whom it may succeed. Nobody else
    /// would wake it.
    private func passPlaceOn() {
        let waiter = state.withLock { state -> Waiter? in
            if !state.isExclusive, let waiter = state.waiters.popFirst() { return waiter }
            state.count -= 1
            signalIfAllReturned(state)
            return nil
        }
        waiter?.wake(.success(.place(makeExecutor())))
    }

    // MARK: Who has what

    func check(_ state: State) throws {
        guard !state.isClosed else { throw DatabaseError.connectionIsClosed }
        try checkNesting(state)
    }

    private func checkNesting(_ state: State) throws {
        let thread = currentThreadID
        guard !state.all.contains(where: \.isHeldByCurrentThread), state.exclusiveThread != thread,
            !state.openingThreads.contains(thread)
        else { throw DatabaseError.nestedAccess }
    }

    /// - Throws: SQLITE_MISUSE if the thread already has a connection of this lane.
    func refuseNestedAccess() throws { try state.withLock { try checkNesting($0) } }

    /// Whether the current thread keeps all connections.
    var isExclusiveOfCurrentThread: Bool { state.withLock { $0.exclusiveThread == currentThreadID } }

    /// Whether an exclusive access waits for a connection that the current thread has.
    private var isExclusiveAwaitingCurrentThread: Bool {
        state.withLock { $0.isExclusive && $0.all.contains(where: \.isHeldByCurrentThread) }
    }

    /// The connections that are open.
    var allConnections: [PooledConnection] { state.withLock { $0.all } }

    /// What an access that can't throw gets after the closing: a database of its own, since no access waits for another.
    var closedDatabase: Database? { state.withLock { $0.closedConnection }?.database.closedCopy }

    /// The connection that the current thread has access to, if any.
    var connectionOfCurrentThread: PooledConnection? {
        state.withLock { $0.all.first(where: \.isHeldByCurrentThread) }
    }

    /// Whether a read could wait for ever: all readers are taken by threads that wait for the writer, or by the one
    /// that has it.
    var isExhaustedByWriter: Bool {
        guard let writer = partners.withLock({ $0.writer }) else { return false }
        let threads = writer.waitingThreads.union([currentThreadID])
        return state.withLock { state in
            guard state.idle.isEmpty, state.count >= capacity, state.all.count == state.count else { return false }
            return state.all.allSatisfy { threads.contains($0.holdingThread) }
        }
    }

    private var waitingThreads: Set<UInt> {
        state.withLock { state in Set(state.waiters.elements.lazy.map(\.thread).filter { $0 != 0 }) }
    }

    /// The waiters that keep a reader fail: an exclusive access, which has the writer, waits for their readers.
    func refuseWaitersOfWriter() {
        guard let writer = partners.withLock({ $0.writer }) else { return }
        let threads = Set(allConnections.map(\.holdingThread).filter { $0 != 0 })
        guard !threads.isEmpty else { return }
        while let waiter = writer.state.withLock({ $0.waiters.remove { threads.contains($0.thread) } }) {
            waiter.wake(.failure(DatabaseError.deadlock))
        }
    }

    func interrupt() {
        for connection in allConnections { connection.interrupt() }
    }

    func signalIfAllReturned(_ state: State) {
        if state.isExclusive, state.idle.count == state.count { allReturned.signal() }
    }

    /// What the first waiter gets after an exclusive access, if there is one and a connection is free.
    func nextAfterExclusive() -> (Waiter, Grant)? {
        state.withLock { state in
            (state.isExclusive, state.exclusiveThread) = (false, 0)
            guard !state.waiters.isEmpty, let grant = takeFree(&state) else { return nil }
            return state.waiters.popFirst().map { ($0, grant) }
        }
    }
}

/// A place for one result, which one thread sets and another takes.
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

    static var deadlock: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "this access would wait for ever: it waits for the writer, which waits for the end of a read that "
                + "this thread has begun. Write after the end of the read")
    }
}
