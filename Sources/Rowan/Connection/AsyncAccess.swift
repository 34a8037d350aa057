// The state of an asynchronous access, which its task may cancel at any time: before it waits for a connection, while
// it waits, while it runs. At each of these ends nothing is kept: no closure, no continuation, no connection.

import Synchronization

final class AsyncAccess: Sendable {
    private enum Phase {
        case created
        case waiting(AccessLane, AccessLane.Waiter, CheckedContinuation<AccessLane.Grant, any Error>)
        case granted
        case running(PooledConnection)
        case ended
    }

    private struct State {
        var phase = Phase.created
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Waits for a connection, without a thread.
    ///
    /// - Throws: `CancellationError`; SQLITE_MISUSE if the lane is closed.
    func grant(of lane: AccessLane) async throws -> AccessLane.Grant {
        let grant = try await withCheckedThrowingContinuation { wait(for: lane, $0) }
        state.withLock { $0.phase = .granted }
        return grant
    }

    private func wait(for lane: AccessLane, _ continuation: CheckedContinuation<AccessLane.Grant, any Error>) {
        let waiter = AccessLane.Waiter { continuation.resume(with: $0) }
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.phase = .waiting(lane, waiter, continuation) }
            return state.isCancelled
        }
        guard !isCancelled else { return continuation.resume(throwing: CancellationError()) }
        do { try lane.enqueue(waiter) } catch {
            state.withLock { $0.phase = .ended }
            return continuation.resume(throwing: error)
        }
        // A cancellation between the two found no waiter in the lane.
        if state.withLock({ $0.isCancelled }), lane.cancel(waiter) {
            continuation.resume(throwing: CancellationError())
        }
    }

    /// Whether the access was cancelled.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// - Returns: false if the access was cancelled meanwhile.
    func willRun(_ connection: PooledConnection) -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            state.phase = .running(connection)
            return true
        }
    }

    /// - Returns: whether the access was cancelled while it ran.
    func didRun(_ connection: PooledConnection) -> Bool {
        state.withLock { state in
            state.phase = .ended
            if state.isCancelled { connection.endCancellation() }
            return state.isCancelled
        }
    }

    func cancel() {
        let waiting = state.withLock {
            state -> (AccessLane, AccessLane.Waiter, CheckedContinuation<AccessLane.Grant, any Error>)? in
            state.isCancelled = true
            switch state.phase {
            case .created, .granted, .ended: return nil
            case .waiting(let lane, let waiter, let continuation):
                state.phase = .ended
                return (lane, waiter, continuation)
            case .running(let connection):
                // Under the lock: the access can't end, and the connection go to another, meanwhile.
                connection.cancel()
                return nil
            }
        }
        // A waiter is woken, or found in the lane, but not both.
        if let (lane, waiter, continuation) = waiting, lane.cancel(waiter) {
            continuation.resume(throwing: CancellationError())
        }
    }
}
