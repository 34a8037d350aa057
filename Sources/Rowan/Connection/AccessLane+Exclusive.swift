// All connections of a lane at once: barriers, and closing.

import Dispatch

extension AccessLane {
    /// Runs the closure while no access is going on; accesses wait.
    ///
    /// - Throws: SQLITE_MISUSE if the lane is closed, or if the thread already has a connection of this lane.
    func exclusively<T>(_ body: ([PooledConnection]) throws -> T) throws -> T {
        let connections = try acquireAll()
        defer { releaseAll() }
        return try body(connections)
    }

    private func acquireAll() throws -> [PooledConnection] {
        try state.withLock { try check($0) }
        exclusiveTurn.wait()
        let isReady = state.withLock { state in
            state.isExclusive = true
            return state.idle.count == state.count
        }
        if !isReady {
            refuseWaitersOfWriter()
            allReturned.wait()
        }
        return state.withLock { state in
            state.exclusiveThread = currentThreadID
            return state.idle
        }
    }

    /// Serves the waiters that came meanwhile, as many as there are connections.
    private func releaseAll() {
        defer { exclusiveTurn.signal() }
        while let (waiter, grant) = nextAfterExclusive() { waiter.wake(.success(grant)) }
    }

    // MARK: Closing

    /// Closes the connections, after the accesses that are going on; they open again when they are needed.
    ///
    /// - Throws: SQLITE_BUSY for a connection whose statements are kept; it stays open.
    func closeConnections() throws {
        // In a barrier, the thread has them all.
        if isExclusiveOfCurrentThread { return try closeAll(state.withLock { $0.idle }) }
        try exclusively(closeAll)
    }

    /// Closes the connections that no access uses, without waiting for the others.
    func closeIdleConnections() {
        let connections = state.withLock { state -> [PooledConnection] in
            guard !state.isExclusive else { return [] }
            defer { state.idle = [] }
            state.count -= state.idle.count
            state.all.removeAll { connection in state.idle.contains { $0 === connection } }
            return state.idle
        }
        // One that can't be closed now closes with the last of its statements.
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

    /// Closes the lane for ever, after the accesses that are going on. Those that wait fail.
    ///
    /// - Parameter readers: a lane that is closed with this one, before it; both are closed, or none.
    /// - Throws: SQLITE_BUSY if the program keeps a statement: nothing is closed then.
    func close(with readers: AccessLane? = nil) throws {
        guard !state.withLock({ $0.isClosed }) else { return }
        try exclusively { connections in
            guard let readers else { return try finish(connections) }
            try readers.exclusively { readConnections in
                for connection in readConnections + connections { try connection.checkClosing() }
                try readers.finish(readConnections)
                try finish(connections)
            }
        }
    }

    /// Closes all connections, and refuses later accesses. While it is exclusive: no waiter gets a new connection.
    private func finish(_ connections: [PooledConnection]) throws {
        try closeAll(connections)
        let waiters = state.withLock { state -> [Waiter] in
            state.isClosed = true
            return state.waiters.removeAll()
        }
        for waiter in waiters { waiter.wake(.failure(DatabaseError.connectionIsClosed)) }
    }
}
