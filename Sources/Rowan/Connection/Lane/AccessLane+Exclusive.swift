// Operations on all connections of a lane: barriers, and closing.

import Dispatch

extension AccessLane.State {
    /// Whether the thread holds all connections.
    func isExclusive(of thread: UInt) -> Bool { exclusive?.holdsAll == true && exclusive?.thread == thread }
}

extension DispatchSemaphore {
    /// Waits. A cancellable wait is sliced in order to detect a cancellation within 5 milliseconds.
    ///
    /// - Returns: false after a cancellation.
    fileprivate func wait(unless isCancelled: (() -> Bool)?) -> Bool {
        guard let isCancelled else {
            wait()
            return true
        }
        while wait(timeout: .now() + .milliseconds(5)) == .timedOut {
            if isCancelled() { return false }
        }
        return true
    }
}

extension AccessLane {
    /// Runs the closure while no other access is running and makes other accesses wait.
    ///
    /// - Parameter isCancelled: returns whether to stop waiting; nil for a wait that can't be cancelled.
    /// - Throws: SQLITE_MISUSE if the lane is closed, or if the thread already uses a connection of this lane;
    ///   `CancellationError`.
    func exclusively<T>(
        unless isCancelled: (() -> Bool)? = nil, _ body: ([PooledConnection]) throws -> T
    ) throws -> T {
        let connections = try acquireAll(isCancelled)
        defer { releaseAll() }
        return try body(connections)
    }

    private func acquireAll(_ isCancelled: (() -> Bool)?) throws -> [PooledConnection] {
        let thread = currentThreadID
        let hasTurn = try state.withLock { state in
            try check(state)
            state.threadsBeforeTurn.append(thread)
            return state.exclusive == nil
        }
        if !hasTurn { refuseDeadlocks() }
        guard exclusiveTurn.wait(unless: isCancelled) else {
            state.withLock { $0.threadsBeforeTurn.removeAll { $0 == thread } }
            throw CancellationError()
        }
        let isReady = state.withLock { state in
            state.threadsBeforeTurn.removeAll { $0 == thread }
            state.exclusive = Exclusive(thread: thread)
            return state.idle.count == state.count
        }
        if !isReady {
            refuseDeadlocks()
            guard allReturned.wait(unless: isCancelled) else {
                let isSignalled = state.withLock { state in
                    defer { state.exclusive = nil }
                    return state.idle.count == state.count
                }
                // The last connection has been returned in the meantime: its signal must not count for the next turn.
                if isSignalled { allReturned.wait() }
                releaseAll()
                throw CancellationError()
            }
        }
        return state.withLock { state in
            state.exclusive?.holdsAll = true
            return state.idle
        }
    }

    /// Serves the waiters that have arrived in the meantime, up to the number of connections.
    private func releaseAll() {
        defer { exclusiveTurn.signal() }
        while let (waiter, grant) = nextAfterExclusive() { waiter.wake(.success(grant)) }
    }

    // MARK: Closing

    /// Closes the connections after running accesses have finished. They are reopened on demand.
    ///
    /// - Throws: SQLITE_BUSY if the program holds statements of a connection, which stays open.
    func closeConnections() throws {
        // In a barrier, this thread holds all connections.
        if isExclusiveOfCurrentThread { return try closeAll(state.withLock { $0.idle }) }
        try exclusively(closeAll)
    }

    /// Closes the unused connections without waiting for the others.
    func closeIdleConnections() {
        let connections = state.withLock { state -> [PooledConnection] in
            guard state.exclusive == nil else { return [] }
            defer { state.idle = [] }
            state.count -= state.idle.count
            state.all.removeAll { connection in state.idle.contains { $0 === connection } }
            return state.idle
        }
        // A connection that can't be closed now is closed with its last statement.
        for connection in connections { try? connection.close() }
    }

    private func closeAll(_ connections: [PooledConnection]) throws {
        for connection in connections {
            try connection.close()
            state.withLock { state in
                state.idle.removeAll { $0 === connection }
                state.all.removeAll { $0 === connection }
                state.count -= 1
                state.closedConnection = connection
            }
        }
    }

    /// Closes the lane permanently after running accesses have finished. Waiting accesses fail.
    ///
    /// - Parameter readers: a lane to close first. Either both lanes are closed or neither.
    /// - Throws: SQLITE_BUSY if the program holds a statement; then nothing is closed.
    func close(with readers: AccessLane? = nil) throws {
        guard !state.withLock({ $0.isClosed }) else { return }
        try exclusively { connections in
            // Another thread may have closed it during the wait.
            guard !state.withLock({ $0.isClosed }) else { return }
            guard let readers else { return try finish(connections) }
            try readers.exclusively { readConnections in
                for connection in readConnections + connections { try connection.checkClosing() }
                try readers.finish(readConnections)
                try finish(connections)
            }
        }
    }

    /// Closes all connections and rejects later accesses. The caller is exclusive, so no waiter gets a new connection.
    private func finish(_ connections: [PooledConnection]) throws {
        try closeAll(connections)
        let waiters = state.withLock { state -> [Waiter] in
            state.isClosed = true
            let waiters = state.waiters.removeAll()
            for waiter in waiters { state.noteWait(of: waiter) }
            return waiters
        }
        for waiter in waiters { waiter.wake(.failure(DatabaseError.connectionIsClosed)) }
    }
}
