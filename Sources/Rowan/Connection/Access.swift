// An access: which lane it takes a connection from, and what holds while it lasts. The access verbs (read, write,
// sync, async, callback) exist once, in DatabaseReader and DatabaseWriter; queues, pools, snapshots and the type
// erasures only say the route of each kind.

import Dispatch
import Foundation
import Synchronization

/// The kinds of accesses.
public enum DatabaseAccessKind: Sendable {
    /// A read in a transaction.
    case read
    /// A read without transaction.
    case unsafeRead
    /// A write; the transaction is the verb's business.
    case write
}

/// Where the connection of an access comes from, and what holds while it lasts.
public struct DatabaseAccessRoute: Sendable {
    enum Scope: Sendable {
        /// A deferred transaction, without writes.
        case readTransaction
        /// No transaction, no writes.
        case readOnly
        /// As it is.
        case plain
    }

    let lane: AccessLane
    let scope: Scope
}

extension DatabaseAccessRoute {
    /// Synchronous access, on the current thread.
    func run<T>(_ body: (Database) throws -> T) throws -> T {
        let connection = try lane.acquire()
        let value: T
        do {
            value = try perform(connection, body)
        } catch {
            _ = end(connection)
            throw error
        }
        if let error = end(connection) { throw error }
        return value
    }

    /// - Returns: the error of a transaction that was left open.
    private func end(_ connection: PooledConnection) -> DatabaseError? {
        defer { lane.release(connection) }
        return connection.endAccess()
    }

    /// Synchronous access, in the connection that the current thread already has, if any.
    func runReentrant<T>(_ body: (Database) throws -> T) throws -> T {
        guard let connection = lane.connectionOfCurrentThread else { return try run(body) }
        return try body(connection.database)
    }

    /// Synchronous access for verbs that may only throw the errors of their closure.
    func runTrapping<T>(_ body: (Database) throws -> T) rethrows -> T {
        let connection: PooledConnection
        do { connection = try lane.acquire() } catch { preconditionFailure("\(error)") }
        defer {
            if let error = end(connection) { preconditionFailure("\(error)") }
        }
        return try connection.run(body)
    }

    private func perform<T>(_ connection: PooledConnection, _ body: (Database) throws -> T) throws -> T {
        try connection.run { db in
            switch scope {
            case .readTransaction: try db.isolatedRead(body)
            case .readOnly: try db.readOnly { try body(db) }
            case .plain: try body(db)
            }
        }
    }

    private func finish<T>(_ connection: PooledConnection, _ result: Result<T, any Error>) throws -> T {
        let error = end(connection)
        if let error, case .success = result { throw error }
        return try result.get()
    }

    /// Asynchronous access, on the lane's dispatch queue. A cancelled task interrupts SQLite, and leaves the
    /// connection clean.
    func run<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        let access = AsyncAccess()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                access.start(in: lane) { result in
                    switch result {
                    case .failure(let error):
                        continuation.resume(throwing: error)
                    case .success(let connection):
                        lane.dispatchQueue.async {
                            continuation.resume(with: runGranted(access, connection, body))
                        }
                    }
                }
            }
        } onCancel: {
            access.cancel()
        }
    }

    private func runGranted<T>(
        _ access: AsyncAccess, _ connection: PooledConnection, _ body: (Database) throws -> T
    ) -> Result<T, any Error> {
        guard access.willRun(connection) else {
            lane.release(connection)
            return .failure(CancellationError())
        }
        let result = Result { try perform(connection, body) }
        let wasCancelled = access.didRun(connection)
        return Result { try finish(connection, result) }.mapError { error in
            let isInterruption = (error as? DatabaseError)?.isInterruptionError ?? false
            return wasCancelled && isInterruption ? CancellationError() : error
        }
    }

    /// Access with a callback, on the lane's dispatch queue.
    func callback(_ body: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        let waiter = AccessLane.Waiter { result in
            lane.dispatchQueue.async {
                switch result {
                case .failure(let error): body(.failure(error))
                case .success(let connection): runCallback(connection, body)
                }
            }
        }
        do { try lane.enqueue(waiter) } catch {
            lane.dispatchQueue.async { body(.failure(error)) }
        }
    }

    private func runCallback(
        _ connection: PooledConnection, _ body: (Result<Database, any Error>) -> Void
    ) {
        var isCalled = false
        do {
            try perform(connection) { db in
                isCalled = true
                body(.success(db))
            }
        } catch {
            if !isCalled { connection.run { _ in body(.failure(error)) } }
        }
        if let error = end(connection) { preconditionFailure("\(error)") }
    }
}

extension Database {
    /// A read that sees one state of the database, and writes nothing.
    func isolatedRead<T>(_ body: (Database) throws -> T) throws -> T {
        try readOnly {
            try transaction(.deferred) { try body(self) }
        }
    }
}

/// The state of an asynchronous access, which its task may cancel at any time.
private final class AsyncAccess: Sendable {
    private enum Phase {
        case created
        case waiting(AccessLane, AccessLane.Waiter)
        case running(PooledConnection)
        case ended
    }

    private struct State {
        var phase = Phase.created
        var isCancelled = false
        var resume: (@Sendable (Result<PooledConnection, any Error>) -> Void)?
    }

    private let state = Mutex(State())

    func start(in lane: AccessLane, _ resume: @escaping @Sendable (Result<PooledConnection, any Error>) -> Void) {
        let waiter = AccessLane.Waiter(resume)
        let isCancelled = state.withLock { state in
            state.resume = resume
            if !state.isCancelled { state.phase = .waiting(lane, waiter) }
            return state.isCancelled
        }
        guard !isCancelled else { return resume(.failure(CancellationError())) }
        do { try lane.enqueue(waiter) } catch { resume(.failure(error)) }
        // A cancellation between the two found no waiter in the lane.
        if state.withLock({ $0.isCancelled }), lane.cancel(waiter) { resume(.failure(CancellationError())) }
    }

    /// - Returns: false if the access was cancelled while it waited.
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
        let action = state.withLock { state -> (() -> Void)? in
            state.isCancelled = true
            switch state.phase {
            case .created, .ended:
                return nil
            case .waiting(let lane, let waiter):
                let resume = state.resume
                return { if lane.cancel(waiter) { resume?(.failure(CancellationError())) } }
            case .running(let connection):
                // Under the lock: the access can't end, and the connection go to another, meanwhile.
                connection.cancel()
                return nil
            }
        }
        action?()
    }
}
