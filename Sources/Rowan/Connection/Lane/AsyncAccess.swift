// The state of an asynchronous access. Its task may be cancelled at any time: before, while and after it waits for a
// connection. In each case, the state releases its closure, its continuation and its connection.

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

    /// Waits for a connection, without blocking a thread.
    ///
    /// - Throws: `CancellationError`; SQLITE_MISUSE if the lane is closed.
    func grant(of lane: AccessLane) async throws -> AccessLane.Grant {
        guard !isCancelled else { throw CancellationError() }
        let grant: AccessLane.Grant
        if let free = try lane.grantNow() {
            grant = free
        } else {
            grant = try await withCheckedThrowingContinuation { wait(for: lane, $0) }
        }
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
        // A cancellation between these two steps did not find the waiter in the lane.
        if state.withLock({ $0.isCancelled }), lane.cancel(waiter) {
            continuation.resume(throwing: CancellationError())
        }
    }

    /// Whether the access was cancelled.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// - Returns: false if the access was cancelled in the meantime.
    func willRun(_ connection: PooledConnection) -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            state.phase = .running(connection)
            return true
        }
    }

    /// - Returns: whether the access was cancelled while it was running.
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
                // Under the lock, so the access can't end, and its connection can't serve another access, in the
                // meantime.
                connection.cancel()
                return nil
            }
        }
        // A waiter is either woken, or found in the lane, never both.
        if let (lane, waiter, continuation) = waiting, lane.cancel(waiter) {
            continuation.resume(throwing: CancellationError())
        }
    }
}
