// Group commit: asynchronous writes that are waiting at the same time share one transaction and thus one disk
// synchronization. Each runs in its own savepoint. If the shared transaction fails, each is rerun alone.

/// The asynchronous writes that share the transactions of a writer.
final class GroupedWrites: Sendable {
    private struct State {
        var waiting: [any GroupedWrite] = []
        /// Whether an access that runs the writes is scheduled or running.
        var isScheduled = false
    }

    private let state = Mutex(State())

    /// The maximum number of writes in a transaction; others wait until it finishes.
    private static let maximumCount = 1000

    /// The number of writes waiting for their transaction.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs a write in a shared transaction and returns its result after the commit.
    func write<T: Sendable>(
        in lane: AccessLane, _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        // A write releases the closure before it returns its result.
        try await withoutActuallyEscaping(updates) { updates in
            let write = PendingWrite(updates, lane.instruments?.willAccess(.write, .unknown, isShared: true))
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    guard write.wait(continuation) else { return }
                    add(write, lane)
                }
            } onCancel: {
                write.cancel()
            }
        }
    }

    private func add(_ write: any GroupedWrite, _ lane: AccessLane) {
        let isFirst = state.withLock { state in
            state.waiting.append(write)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { schedule(lane) }
    }

    private func schedule(_ lane: AccessLane) {
        AccessRoute(lane: lane, scope: .plain).callback(isMeasured: false) { result in
            let writes = self.take()
            switch result {
            case .success(let db): Self.run(writes, db, lane.connectionOfCurrentThread)
            case .failure(let error): for write in writes { write.fail(error) }
            }
            // The next group has its own access, so that other accesses get their turn.
            if self.goesOn() { self.schedule(lane) }
        }
    }

    private func take() -> [any GroupedWrite] {
        state.withLock { state in
            let taken = Array(state.waiting.prefix(Self.maximumCount))
            state.waiting.removeFirst(taken.count)
            return taken
        }
    }

    private func goesOn() -> Bool {
        state.withLock { state in
            state.isScheduled = !state.waiting.isEmpty
            return state.isScheduled
        }
    }

    // MARK: Running

    /// Thrown when a write has ended the shared transaction.
    private struct TransactionEnded: Error {
        /// The number of writes that have run in the transaction.
        let count: Int
        let isCommitted: Bool
        /// The error that leaves it unknown whether the transaction is committed.
        var uncertainty: (any Error)?
    }

    private static func run(_ writes: [any GroupedWrite], _ db: Database, _ connection: PooledConnection?) {
        // One watch serves all writes, because each is cancelled only while it runs.
        guard let connection else { return perform(writes, db, connection) }
        connection.watchingCancellation { perform(writes, db, connection) }
    }

    private static func perform(_ writes: [any GroupedWrite], _ db: Database, _ connection: PooledConnection?) {
        guard !writes.isEmpty else { return }
        var hasBegun = false
        do {
            try db.transaction(.immediate) {
                hasBegun = true
                // A write may end the transaction and begin another.
                let ending = Mutex<Bool?>(nil)
                db.afterNextTransaction { _ in
                    ending.withLock { $0 = true }
                } onRollback: { _ in
                    ending.withLock { $0 = false }
                }
                for (index, write) in writes.enumerated() {
                    write.run(db, connection)
                    guard let isCommitted = ending.withLock({ $0 }) else { continue }
                    throw TransactionEnded(
                        count: index + 1, isCommitted: isCommitted, uncertainty: uncertainty(of: write, db))
                }
            }
        } catch let ended as TransactionEnded {
            // A write that is, or may be, committed must not be rerun.
            if let error = ended.uncertainty {
                for write in writes[..<ended.count] { write.fail(error) }
            } else if ended.isCommitted {
                for write in writes[..<ended.count] { write.end(db.connection.walPageCount) }
            } else {
                runAlone(writes[..<ended.count], db, connection)
            }
            return perform(Array(writes[ended.count...]), db, connection)
        } catch  where !hasBegun || db.connection.isUncertain(error) {
            // All writes fail: one wait for the lock is enough for all, or they may have been committed.
            for write in writes { write.fail(error) }
            return
        } catch {
            return runAlone(writes[...], db, connection)
        }
        let walPageCount = db.connection.walPageCount
        for write in writes { write.end(walPageCount) }
    }

    /// The error of a write that has committed the transaction itself, with an unknown outcome.
    private static func uncertainty(of write: any GroupedWrite, _ db: Database) -> (any Error)? {
        do { try write.throwFailure() } catch {
            return db.connection.isUncertain(error) ? error : nil
        }
        return nil
    }

    /// Each write determines on its own whether it can be committed.
    private static func runAlone(
        _ writes: ArraySlice<any GroupedWrite>, _ db: Database, _ connection: PooledConnection?
    ) {
        var rest = writes
        while let write = rest.popFirst() {
            do {
                try db.transaction(nil) {
                    write.run(db, connection)
                    try write.throwFailure()
                }
            } catch {
                write.fail(error)
                guard db.connection.isOutage(error) else { continue }
                // The others would also wait for the outage to end, one after the other.
                for write in rest { write.fail(error) }
                return
            }
            write.end(db.connection.walPageCount)
        }
    }
}

/// A write in a group, with any result type.
private protocol GroupedWrite: Sendable {
    /// Runs the write in a savepoint and stores its result.
    func run(_ db: Database, _ connection: PooledConnection?)
    /// Throws the error of the write if it has failed.
    func throwFailure() throws
    /// Returns the result to the caller after the commit.
    func end(_ walPageCount: Int?)
    /// Throws an error to the caller.
    func fail(_ error: any Error)
}

/// A write waiting for its transaction.
private final class PendingWrite<T: Sendable>: GroupedWrite {
    private struct State {
        var updates: (@Sendable (Database) throws -> T)?
        var continuation: CheckedContinuation<T, any Error>?
        var result: Result<T, any Error>?
        var isRunning = false
        /// The connection, while the write is running.
        var connection: PooledConnection?
        var isCancelled = false
    }

    private let state: Mutex<State>
    /// The receiver of the write's activity; nil if there is none.
    private let access: MeasuredAccess?

    init(_ updates: @escaping @Sendable (Database) throws -> T, _ access: MeasuredAccess?) {
        state = Mutex(State(updates: updates))
        self.access = access
    }

    /// - Returns: false if the task was already cancelled: the caller has its error.
    func wait(_ continuation: CheckedContinuation<T, any Error>) -> Bool {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.continuation = continuation }
            return state.isCancelled
        }
        if isCancelled { resume(continuation, .failure(CancellationError())) }
        return !isCancelled
    }

    func run(_ db: Database, _ connection: PooledConnection?) {
        let updates = state.withLock { state -> (@Sendable (Database) throws -> T)? in
            guard !state.isCancelled else { return nil }
            (state.isRunning, state.connection) = (true, connection)
            return state.updates
        }
        let result = Result { () throws -> T in
            guard let updates else { throw CancellationError() }
            guard let access else { return try Self.runInSavepoint(updates, db) }
            return try access.measuring(db.connection) { try Self.runInSavepoint(updates, db) }
        }
        let wasCancelled = state.withLock { state in
            if state.isCancelled { state.connection?.endCancellation() }
            (state.isRunning, state.connection, state.result) = (false, nil, result)
            return state.isCancelled
        }
        // SQLite interrupts statements while any is running, so the next write must not be one of them.
        if wasCancelled { connection?.endInterruption() }
    }

    private static func runInSavepoint(_ updates: (Database) throws -> T, _ db: Database) throws -> T {
        var value: T?
        try db.inSavepoint {
            value = try updates(db)
            return .commit
        }
        guard let value else { throw CancellationError() }
        return value
    }

    func throwFailure() throws { _ = try state.withLock { $0.result }?.get() }

    func end(_ walPageCount: Int?) { finish(nil, walPageCount) }

    func fail(_ error: any Error) { finish(error, nil) }

    private func finish(_ error: (any Error)?, _ walPageCount: Int?) {
        let (continuation, known, isCancelled) = state.withLock { state in
            // The closure must be released before the caller continues, because it must not escape from the call.
            defer { state = State(isCancelled: state.isCancelled) }
            return (state.continuation, state.result, state.isCancelled)
        }
        let result: Result<T, any Error> = error.map { .failure($0) } ?? known ?? .failure(CancellationError())
        if let continuation { resume(continuation, result.asCancellation(if: isCancelled), walPageCount) }
    }

    private func resume(
        _ continuation: CheckedContinuation<T, any Error>, _ result: Result<T, any Error>, _ walPageCount: Int? = nil
    ) {
        access?.endShared(result.failure, walPageCount: walPageCount)
        continuation.resume(with: result)
    }

    func cancel() {
        let waiting = state.withLock { state -> CheckedContinuation<T, any Error>? in
            state.isCancelled = true
            // Under the lock, so that the connection can't run another write in the meantime.
            state.connection?.cancel()
            // A write that has not run fails immediately, without a transaction.
            guard !state.isRunning, state.result == nil else { return nil }
            defer { (state.continuation, state.updates) = (nil, nil) }
            return state.continuation
        }
        if let waiting { resume(waiting, .failure(CancellationError())) }
    }
}

extension Result where Failure == any Error {
    fileprivate var failure: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// The result, with the interruption of a cancelled write as a cancellation.
    fileprivate func asCancellation(if isCancelled: Bool) -> Self {
        guard isCancelled, case .failure(let error as DatabaseError) = self, error.isInterruptionError else {
            return self
        }
        return .failure(CancellationError())
    }
}
