// An access: the lane of its connection and the rules during the access. The access methods (read, write, sync, async,
// callback) are implemented only once, in DatabaseReader and DatabaseWriter. Queues, pools, snapshots and type erasures
// only define the routes.

import Dispatch

/// The routes of a reader's or writer's accesses to their connections. For internal use: it has no public members.
public final class DatabaseAccessRoutes: Sendable {
    /// Reads in a transaction.
    let read: AccessRoute
    /// Reads without a transaction.
    let unsafeRead: AccessRoute
    /// Writes. The calling method determines the transaction.
    let write: AccessRoute
    /// The readers that wait while a barrier runs; nil if only the writer's connection reads.
    private let readers: AccessLane?

    init(read: AccessRoute, unsafeRead: AccessRoute, write: AccessRoute, readers: AccessLane? = nil) {
        self.read = read
        self.unsafeRead = unsafeRead
        self.write = write
        self.readers = readers
    }

    /// The routes of a snapshot, which all lead to the same connections.
    convenience init(snapshot lane: AccessLane) {
        let route = AccessRoute(lane: lane, scope: .snapshot)
        self.init(read: route, unsafeRead: route, write: route)
    }

    /// The same routes, for accesses with the given call site.
    func at(_ site: StaticCallSite) -> DatabaseAccessRoutes {
        DatabaseAccessRoutes(
            read: read.at(site), unsafeRead: unsafeRead.at(site), write: write.at(site), readers: readers)
    }

    /// Runs the closure of a write while no read is running.
    func withBarrier<T>(_ db: Database, _ body: (Database) throws -> T) throws -> T {
        guard let readers else { return try body(db) }
        return try readers.exclusively(unless: { db.connection.mustStop }) { _ in try body(db) }
    }
}

/// The source of an access's connection, and the rules during the access.
struct AccessRoute: Sendable {
    enum Scope: Sendable {
        /// A deferred transaction that rejects writes.
        case readTransaction
        /// No transaction, and no writes.
        case readOnly
        /// No transaction, and no restrictions.
        case plain
        /// The open transaction of a snapshot, which rejects writes.
        case snapshot
    }

    let lane: AccessLane
    let scope: Scope
    /// Another lane whose connection can serve a reentrant access: the writer of a pool, for reads.
    var reentrantLane: AccessLane?
    /// The call site of the access.
    var site = StaticCallSite.unknown
    /// Whether the access writes nothing outside of a scope.
    var isScoped = false
}

extension AccessRoute {
    /// The same connections, without a transaction.
    var withoutTransaction: AccessRoute {
        guard case .snapshot = scope else { return AccessRoute(lane: lane, scope: .plain) }
        return self
    }

    /// The same connections, for an access that writes nothing outside of a scope.
    var scoped: AccessRoute {
        var route = self
        route.isScoped = true
        return route
    }

    fileprivate func at(_ site: StaticCallSite) -> AccessRoute {
        var route = self
        route.site = site
        return route
    }

    /// Reports to the instruments that the program requests an access.
    ///
    /// - Returns: nil if no instrument receives it.
    var measured: MeasuredAccess? {
        guard let instruments = lane.instruments else { return nil }
        if lane.isWriter, case .plain = scope { return instruments.willAccess(.write, site) }
        return instruments.willAccess(.read, site)
    }

    /// Synchronous access on the current thread.
    func run<T>(_ body: (Database) throws -> T) throws -> T {
        guard let access = measured else { return try runNow(nil, body) }
        return try access.ending { try runNow(access, body) }
    }

    private func runNow<T>(_ access: MeasuredAccess?, _ body: (Database) throws -> T) throws -> T {
        let connection = try lane.acquire()
        let value: T
        do {
            value = try perform(connection, access, body)
        } catch {
            // The first error takes precedence, but an open transaction is still rolled back.
            _ = end(connection, access)
            throw error
        }
        if let error = end(connection, access) { throw error }
        return value
    }

    /// - Returns: the error of a transaction that was left open, or nil.
    private func end(_ connection: PooledConnection, _ access: MeasuredAccess?) -> DatabaseError? {
        defer { lane.release(connection) }
        let error = connection.endAccess()
        if let access { connection.run { access.stop($0.connection) } }
        return error
    }

    /// The connection that the current thread already uses, if any.
    private var currentConnection: PooledConnection? {
        lane.connectionOfCurrentThread ?? reentrantLane?.connectionOfCurrentThread
    }

    /// Synchronous access on the connection that the current thread already uses, if any.
    func runReentrant<T>(_ body: (Database) throws -> T) throws -> T {
        guard let connection = currentConnection else { return try run(body) }
        guard case .plain = scope else { return try connection.database.readOnly { try body(connection.database) } }
        return try body(connection.database)
    }

    /// Synchronous access for nonthrowing closures and methods. On a closed connection, the closure receives a database
    /// that rejects all statements.
    func runNonthrowing<T>(_ body: (Database) -> T) -> T {
        let access = measured
        let connection: PooledConnection
        do {
            connection = try lane.acquire()
        } catch {
            access?.end(error)
            guard let closed = lane.closedDatabase else { preconditionFailure("\(error)") }
            return closed.withAccess(body)
        }
        defer {
            let error = end(connection, access)
            access?.end(error)
            if let error { preconditionFailure("\(error)") }
        }
        do {
            return try perform(connection, access, body)
        } catch {
            // Only a snapshot can reject its closure: its transaction has ended.
            preconditionFailure("\(error)")
        }
    }

    /// Synchronous access for nonthrowing closures, on the connection that the current thread already uses, if any.
    func runReentrantNonthrowing<T>(_ body: (Database) -> T) -> T {
        guard let connection = currentConnection else { return runNonthrowing(body) }
        return body(connection.database)
    }

    private func perform<T>(
        _ connection: PooledConnection, _ access: MeasuredAccess?, _ body: (Database) throws -> T
    ) throws -> T {
        connection.record.begin(site)
        return try connection.run { db in
            access?.begin(db.connection)
            if case .plain = scope, !isScoped { db.connection.dropTriggersOfScopes() }
            return switch scope {
            case .readTransaction: try db.isolatedRead(body)
            case .readOnly: try db.readOnly { try body(db) }
            case .plain: try body(db)
            case .snapshot: try db.readSnapshot(body)
            }
        }
    }

    private func finish<T>(
        _ connection: PooledConnection, _ measured: MeasuredAccess?, _ result: Result<T, any Error>
    ) throws -> T {
        let error = end(connection, measured)
        if let error, case .success = result { throw error }
        return try result.get()
    }

    /// Asynchronous access on the connection's queue. Cancelling the task interrupts SQLite and leaves the connection
    /// clean.
    func run<T: Sendable>(_ body: @Sendable (Database) throws -> T) async throws -> T {
        guard let measured else { return try await runInTask(nil, body) }
        do {
            let value = try await runInTask(measured, body)
            measured.end(nil)
            return value
        } catch {
            measured.end(error)
            throw error
        }
    }

    private func runInTask<T: Sendable>(
        _ measured: MeasuredAccess?, _ body: @Sendable (Database) throws -> T
    ) async throws -> T {
        let access = AsyncAccess(lane)
        return try await withTaskCancellationHandler {
            try await access.run { grant in try runGranted(access, measured, grant, body) }
        } onCancel: {
            access.cancel()
        }
    }

    private func runGranted<T>(
        _ access: AsyncAccess, _ measured: MeasuredAccess?, _ grant: AccessLane.Grant,
        _ body: (Database) throws -> T
    ) throws -> T {
        guard !access.isCancelled else {
            lane.giveBack(grant)
            throw CancellationError()
        }
        let connection = try lane.connection(of: grant)
        guard access.willRun(connection) else {
            lane.release(connection)
            throw CancellationError()
        }
        let result = Result { try connection.watchingCancellation { try perform(connection, measured, body) } }
        let wasCancelled = access.didRun(connection)
        do {
            return try finish(connection, measured, result)
        } catch let error as DatabaseError where wasCancelled && (error.isInterruptionError || error.isLock) {
            throw CancellationError()
        }
    }

    /// Access with a callback, on the connection's queue.
    ///
    /// - Parameters:
    ///   - thread: a thread that is blocked until the access begins, or 0. The access then begins even if the target
    ///     queue is busy.
    ///   - isPatient: whether the access waits without a limit, even if accesses have one.
    ///   - isMeasured: whether the access is reported to instruments.
    func callback(
        blocking thread: UInt = 0, isPatient: Bool = false, isMeasured: Bool = true,
        _ body: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        let isIndependent = thread != 0
        let access = isMeasured ? measured : nil
        @Sendable func fail(_ error: any Error) {
            access?.end(error)
            lane.failureQueue.async { body(.failure(error)) }
        }
        let waiter = AccessLane.Waiter(thread: thread, isPatient: isPatient) { result in
            switch result {
            case .failure(let error): fail(error)
            case .success(let grant):
                let queues = lane.queues(of: grant)
                (isIndependent ? queues.independentQueue : queues.queue).async { runCallback(grant, access, body) }
            }
        }
        do { try lane.enqueue(waiter) } catch { fail(error) }
        if isIndependent { lane.refuseDeadlocks() }
    }

    private func runCallback(
        _ grant: AccessLane.Grant, _ access: MeasuredAccess?, _ body: (Result<Database, any Error>) -> Void
    ) {
        let connection: PooledConnection
        do { connection = try lane.connection(of: grant) } catch {
            access?.end(error)
            return body(.failure(error))
        }
        var isCalled = false
        var failure: (any Error)?
        do {
            try perform(connection, access) { db in
                isCalled = true
                body(.success(db))
            }
        } catch {
            failure = error
            if !isCalled { connection.run { _ in body(.failure(error)) } }
        }
        let error = end(connection, access)
        access?.end(failure ?? error)
        if let error { preconditionFailure("\(error)") }
    }
}

extension Database {
    /// A read that sees a single state of the database and writes nothing.
    func isolatedRead<T>(_ body: (Database) throws -> T) throws -> T {
        try readOnly {
            try transaction(.deferred) { try body(self) }
        }
    }
}

extension DatabaseError {
    /// Whether another connection held a lock, for which a cancelled access no longer waits.
    fileprivate var isLock: Bool {
        resultCode == .SQLITE_BUSY || extendedResultCode == .SQLITE_LOCKED_SHAREDCACHE
    }
}
