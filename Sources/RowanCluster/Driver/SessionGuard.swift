// Ends the requests of a connection from other threads: those of a cancelled access, and of a write transaction that
// takes too long while all other clients wait for its end.

import Dispatch
import RowanPlatform
import Rowan
import struct Synchronization.Atomic

/// Watches over the requests of one connection.
final class SessionGuard: Sendable {
    private struct State {
        /// The connection that a thread is waiting for.
        var waiting: NodeConnection?
        /// Whether the wait must not be interrupted: a commit whose outcome is unknown.
        var isCommitting = false
        /// The number of running statements, including nested ones.
        var runCount = 0
        /// Whether a running statement must end, even if it doesn't currently wait for a connection.
        var isInterrupted = false
        var transaction: (connection: NodeConnection, deadline: ContinuousClock.Instant)?
        var isScheduled = false
        var hasTimedOut = false
    }

    private let timeout: Duration
    private let state = Mutex(State())
    private let interruptions = Atomic(0)

    init(_ timeout: Duration) { self.timeout = timeout }

    /// Runs a statement. An interruption ends it wherever it waits: for a response, a lock, or a leader.
    func running<T>(_ body: () throws -> T) rethrows -> T {
        state.withLock { $0.runCount += 1 }
        defer {
            state.withLock { state in
                state.runCount -= 1
                if state.runCount == 0 { state.isInterrupted = false }
            }
        }
        return try body()
    }

    /// Called before the thread waits; nil if it waits for no connection.
    ///
    /// - Returns: the connection that it was waiting for: waits may be nested.
    /// - Throws: `WireError.cancelled` if the running statement was interrupted.
    @discardableResult
    func wait(for connection: NodeConnection?) throws -> NodeConnection? {
        try state.withLock { state in
            guard !state.isInterrupted else { throw WireError.cancelled }
            defer { state.waiting = connection }
            return state.waiting
        }
    }

    /// - Parameter outer: the connection for which the thread continues to wait.
    func stopWaiting(_ outer: NodeConnection? = nil) { state.withLock { $0.waiting = outer } }

    /// - Throws: `WireError.cancelled` if the running statement was interrupted.
    func checkInterruption() throws {
        if state.withLock(\.isInterrupted) { throw WireError.cancelled }
    }

    func setCommitting(_ isCommitting: Bool) { state.withLock { $0.isCommitting = isCommitting } }

    /// The number of interruptions so far. Rows that existed before the last one are not read any further.
    var interruptionCount: Int { interruptions.load(ordering: .relaxed) }

    /// Ends the current request. The leader rolls back its transaction.
    func interrupt() {
        interruptions.wrappingAdd(1, ordering: .relaxed)
        state.withLock { state in
            guard !state.isCommitting else { return }
            // Between two attempts, there is no connection to cancel.
            if state.runCount > 0 { state.isInterrupted = true }
            state.waiting?.cancel()
        }
    }

    // MARK: Write transactions

    /// Records that a write transaction has begun on a connection.
    func beginTransaction(_ connection: NodeConnection) {
        let starts = state.withLock { state in
            guard state.transaction?.connection !== connection else { return false }
            state.transaction = (connection, timeout.deadline)
            state.hasTimedOut = false
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        // One timer serves all transactions that begin before it fires.
        if starts { schedule(after: timeout) }
    }

    func endTransaction() { state.withLock { $0.transaction = nil } }

    /// Called after a transaction of any kind has begun.
    func forgetTimeout() { state.withLock { $0.hasTimedOut = false } }

    /// Whether the last transaction was ended because it took too long.
    var hasTimedOut: Bool { state.withLock { $0.hasTimedOut } }

    private func schedule(after duration: Duration) {
        onOtherThread(at: .now() + duration / .seconds(1), qos: .utility) { [weak self] in
            self?.check()
        }
    }

    private func check() {
        let rest = state.withLock { state -> Duration? in
            guard let transaction = state.transaction else {
                state.isScheduled = false
                return nil
            }
            let rest = ContinuousClock.now.duration(to: transaction.deadline)
            guard rest <= .zero else { return rest }
            if !state.isCommitting {
                state.hasTimedOut = true
                transaction.connection.cancel()
            }
            (state.transaction, state.isScheduled) = (nil, false)
            return nil
        }
        if let rest { schedule(after: rest) }
    }
}
