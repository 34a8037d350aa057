// An asynchronous access. Its task waits without a thread: as the executor of the task's next job, the access keeps the
// job until the lane grants a connection, then runs it on that connection's queue. No thread of Swift's pool is needed
// in between: programs may block all of them with synchronous accesses that wait for the same connection.
//
// The task may be cancelled at any time: before, while and after it waits. In each case, the access releases its job
// and its connection.

import Dispatch
import Synchronization

final class AsyncAccess: SerialExecutor {
    private enum Phase {
        case created
        case waiting(AccessLane.Waiter)
        case granted(Result<AccessLane.Grant, any Error>)
        case running(PooledConnection)
        case ended
    }

    private struct State {
        var phase = Phase.created
        /// The job waiting for the grant.
        var job: UnownedJob?
        var isCancelled = false
    }

    private let lane: AccessLane
    private let state = Mutex(State())

    init(_ lane: AccessLane) { self.lane = lane }

    /// Runs the closure with the lane's grant on the connection's queue, inside the current task.
    ///
    /// - Throws: the closure's error; `CancellationError`; SQLITE_MISUSE if the lane is closed; SQLITE_BUSY if the
    ///   access has waited too long.
    func run<T: Sendable>(_ body: @Sendable (AccessLane.Grant) throws -> T) async throws -> T {
        begin()
        return try await Isolation(executor: self).run { try body(takeGrant()) }
    }

    /// Requests a connection from the lane.
    private func begin() {
        guard !isCancelled else { return didGet(.failure(CancellationError())) }
        do {
            if let grant = try lane.grantNow() { return didGet(.success(grant)) }
            let waiter = AccessLane.Waiter { [self] in didGet($0) }
            state.withLock { $0.phase = .waiting(waiter) }
            try lane.enqueue(waiter)
            // A cancellation between these two steps would not have found the waiter in the lane.
            if isCancelled, lane.cancel(waiter) { didGet(.failure(CancellationError())) }
        } catch {
            didGet(.failure(error))
        }
    }

    /// Called when the lane has granted or refused a connection.
    private func didGet(_ grant: Result<AccessLane.Grant, any Error>) {
        let job = state.withLock { state in
            state.phase = .granted(grant)
            return state.job.take()
        }
        if let job { start(job, with: grant) }
    }

    private func takeGrant() throws -> AccessLane.Grant {
        guard case .granted(let grant) = state.withLock({ $0.phase }) else {
            preconditionFailure("the job of an access runs once it has its grant")
        }
        return try grant.get()
    }

    // MARK: Executor

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let grant = state.withLock { state -> Result<AccessLane.Grant, any Error>? in
            switch state.phase {
            case .created, .waiting:
                state.job = job
                return nil
            case .granted(let grant): return grant
            // A job that no access needs finishes immediately.
            case .running, .ended: return .failure(CancellationError())
            }
        }
        if let grant { start(job, with: grant) }
    }

    private func start(_ job: UnownedJob, with grant: Result<AccessLane.Grant, any Error>) {
        let queue =
            switch grant {
            case .success(let grant): lane.queues(of: grant).queue
            case .failure: lane.failureQueue
            }
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    private actor Isolation {
        private let executor: AsyncAccess

        init(executor: AsyncAccess) { self.executor = executor }

        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        func run<T: Sendable>(_ body: @Sendable () throws -> T) throws -> T { try body() }
    }

    // MARK: Cancellation

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
        let waiter = state.withLock { state -> AccessLane.Waiter? in
            state.isCancelled = true
            switch state.phase {
            case .created, .granted, .ended: return nil
            case .waiting(let waiter): return waiter
            case .running(let connection):
                // Under the lock, so that the access can't finish and its connection can't run another access in the
                // meantime.
                connection.cancel()
                return nil
            }
        }
        // A waiter is either woken or found in the lane, never both.
        if let waiter, lane.cancel(waiter) { didGet(.failure(CancellationError())) }
    }
}
