// The one gate to connections: a lane holds up to N of them, and hands each to one access at a time, first come,
// first served. A synchronous access runs on its caller's thread; an asynchronous one waits without a thread, and
// runs on the lane's dispatch queue. A queue is a lane of one; a pool is a lane of one writer, and one of readers.

import Dispatch
import Foundation
import Synchronization

final class AccessLane: Sendable {
    struct State {
        var idle: [PooledConnection] = []
        var all: [PooledConnection] = []
        /// Connections that are open, or being opened.
        var count = 0
        var waiters = FIFO<Waiter>()
        var isClosed = false
        /// Whether an exclusive access keeps all connections, and on which thread.
        var isExclusive = false
        var exclusiveThread: UInt = 0
    }

    /// An access that waits for a connection; it is woken once.
    final class Waiter: Sendable {
        let wake: @Sendable (Result<PooledConnection, any Error>) -> Void
        init(_ wake: @escaping @Sendable (Result<PooledConnection, any Error>) -> Void) { self.wake = wake }
    }

    private enum Outcome {
        case connection(PooledConnection)
        case open
        case wait
    }

    private let state = Mutex(State())
    /// Exclusive accesses take turns, and each waits until all connections are back.
    private let exclusiveTurn = DispatchSemaphore(value: 1)
    private let allReturned = DispatchSemaphore(value: 0)
    private let capacity: Int
    private let open: @Sendable () throws -> PooledConnection
    let dispatchQueue: DispatchQueue

    init(
        capacity: Int, label: String, qos: DispatchQoS, target: DispatchQueue?,
        open: @escaping @Sendable () throws -> PooledConnection
    ) {
        self.capacity = capacity
        self.open = open
        dispatchQueue = DispatchQueue(label: label, qos: qos, attributes: .concurrent, target: target)
    }

    // MARK: Taking and giving back

    /// A connection, for the current thread: it blocks until one is free.
    ///
    /// - Throws: SQLITE_MISUSE if the lane is closed, or if the thread already has a connection of this lane; the
    ///   error of opening a connection.
    func acquire() throws -> PooledConnection {
        let outcome = try state.withLock { state -> Outcome in
            try check(&state)
            return take(&state)
        }
        switch outcome {
        case .connection(let connection): return connection
        case .open: return try openConnection()
        case .wait: return try waitForConnection()
        }
    }

    private func waitForConnection() throws -> PooledConnection {
        let semaphore = DispatchSemaphore(value: 0)
        let slot = ResultSlot()
        try enqueue(
            Waiter { result in
                slot.set(result)
                semaphore.signal()
            })
        semaphore.wait()
        return try slot.take().get()
    }

    /// Hands a connection to the waiter, at once if one is free.
    func enqueue(_ waiter: Waiter) throws {
        let outcome = try state.withLock { state -> Outcome in
            guard !state.isClosed else { throw DatabaseError.connectionIsClosed }
            let outcome = take(&state)
            if case .wait = outcome { state.waiters.append(waiter) }
            return outcome
        }
        switch outcome {
        case .connection(let connection): waiter.wake(.success(connection))
        case .open: waiter.wake(Result { try openConnection() })
        case .wait: break
        }
    }

    /// Forgets a waiter.
    ///
    /// - Returns: false if it was woken already.
    func cancel(_ waiter: Waiter) -> Bool {
        state.withLock { $0.waiters.remove { $0 === waiter } != nil }
    }

    func release(_ connection: PooledConnection) {
        let waiter = state.withLock { state -> Waiter? in
            if state.isExclusive {
                state.idle.append(connection)
                signalIfAllReturned(state)
                return nil
            }
            if let waiter = state.waiters.popFirst() { return waiter }
            state.idle.append(connection)
            return nil
        }
        waiter?.wake(.success(connection))
    }

    private func signalIfAllReturned(_ state: State) {
        if state.isExclusive, state.idle.count == state.count { allReturned.signal() }
    }

    private func check(_ state: inout State) throws {
        guard !state.isClosed else { throw DatabaseError.connectionIsClosed }
        try checkNesting(state)
    }

    private func checkNesting(_ state: State) throws {
        guard !state.all.contains(where: \.isHeldByCurrentThread), state.exclusiveThread != currentThreadID else {
            throw DatabaseError.nestedAccess
        }
    }

    /// - Throws: SQLITE_MISUSE if the thread already has a connection of this lane.
    func refuseNestedAccess() throws { try state.withLock { try checkNesting($0) } }

    private func take(_ state: inout State) -> Outcome {
        guard state.waiters.isEmpty, !state.isExclusive else { return .wait }
        if let connection = state.idle.popLast() { return .connection(connection) }
        guard state.count < capacity else { return .wait }
        state.count += 1
        return .open
    }

    /// Opens a connection in a place that was reserved for it.
    private func openConnection() throws -> PooledConnection {
        do {
            return try openInPlace()
        } catch {
            passPlaceOn()
            throw error
        }
    }

    private func openInPlace() throws -> PooledConnection {
        let connection = try open()
        state.withLock { $0.all.append(connection) }
        return connection
    }

    /// An opening has failed: its place goes to the first waiter, for whom it may succeed. Nobody else would wake it.
    private func passPlaceOn() {
        while let waiter = waiterOfFreePlace() {
            let result = Result { try openInPlace() }
            waiter.wake(result)
            if case .success = result { return }
        }
    }

    private func waiterOfFreePlace() -> Waiter? {
        state.withLock { state in
            if !state.isExclusive, let waiter = state.waiters.popFirst() { return waiter }
            state.count -= 1
            signalIfAllReturned(state)
            return nil
        }
    }

    /// Whether the current thread keeps all connections.
    var isExclusiveOfCurrentThread: Bool { state.withLock { $0.exclusiveThread == currentThreadID } }

    /// The connections that are open.
    var allConnections: [PooledConnection] { state.withLock { $0.all } }

    /// The connection that the current thread has access to, if any.
    var connectionOfCurrentThread: PooledConnection? {
        state.withLock { $0.all.first(where: \.isHeldByCurrentThread) }
    }

    func interrupt() {
        for connection in allConnections { connection.interrupt() }
    }

    // MARK: All connections at once

    /// Runs the closure while no access is going on; accesses wait.
    func exclusively<T>(_ body: ([PooledConnection]) throws -> T) throws -> T {
        let connections = try acquireAll()
        defer { releaseAll() }
        return try body(connections)
    }

    private func acquireAll() throws -> [PooledConnection] {
        try state.withLock { try check(&$0) }
        exclusiveTurn.wait()
        let isReady = state.withLock { state in
            state.isExclusive = true
            return state.idle.count == state.count
        }
        if !isReady { allReturned.wait() }
        return state.withLock { state in
            state.exclusiveThread = currentThreadID
            return state.idle
        }
    }

    private func releaseAll() {
        defer { exclusiveTurn.signal() }
        // Serves the waiters that came meanwhile, as many as there are connections.
        while true {
            let next = state.withLock { state -> (Waiter, Outcome)? in
                (state.isExclusive, state.exclusiveThread) = (false, 0)
                guard !state.waiters.isEmpty else { return nil }
                if let connection = state.idle.popLast() {
                    return (state.waiters.popFirst()!, .connection(connection))
                }
                guard state.count < capacity else { return nil }
                state.count += 1
                return (state.waiters.popFirst()!, .open)
            }
            guard let (waiter, outcome) = next else { return }
            switch outcome {
            case .connection(let connection): waiter.wake(.success(connection))
            case .open, .wait: waiter.wake(Result { try openConnection() })
            }
        }
    }

    /// Closes the connections, after the accesses that are going on; they open again when they are needed.
    ///
    /// - Throws: SQLITE_BUSY for a connection whose statements are kept; it stays open.
    func closeConnections() throws {
        try exclusively(closeAll)
    }

    private func closeAll(_ connections: [PooledConnection]) throws {
        for connection in connections {
            try connection.close()
            state.withLock { state in
                state.idle.removeAll { $0 === connection }
                state.all.removeAll { $0 === connection }
                state.count -= 1
            }
        }
    }

    /// Closes the lane for ever, after the accesses that are going on. Those that wait fail.
    func close() throws { try closing {} }

    /// Closes the lane; the closure runs when its connections are closed.
    func closing(_ didClose: () throws -> Void) throws {
        guard !state.withLock({ $0.isClosed }) else { return }
        try exclusively { connections in
            try closeAll(connections)
            try didClose()
            // While it is exclusive: no waiter gets a new connection.
            let waiters = state.withLock { state -> [Waiter] in
                state.isClosed = true
                return state.waiters.removeAll()
            }
            for waiter in waiters { waiter.wake(.failure(DatabaseError.connectionIsClosed)) }
        }
    }
}

/// A place for one result, which one thread sets and another takes.
private final class ResultSlot: Sendable {
    private let value = Mutex<Result<PooledConnection, any Error>?>(nil)
    func set(_ result: Result<PooledConnection, any Error>) { value.withLock { $0 = result } }
    func take() -> Result<PooledConnection, any Error> { value.withLock { $0! } }
}

extension DatabaseError {
    static var nestedAccess: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "database accesses are not reentrant: use the Database of the current access, "
                + "or unsafeReentrantRead / unsafeReentrantWrite")
    }
}
