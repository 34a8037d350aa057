// The connections of a database on other machines: one writer and up to N readers, as in a pool. Each has its own
// shadow, and a runner that communicates with the other machines.

/// The connections of a remote database.
package final class RemoteLanes: Sendable {
    /// Makes the runner of a connection.
    ///
    /// - Parameter isReader: whether the connection only reads.
    package typealias MakeRunner = @Sendable (_ isReader: Bool) throws -> any StatementRunner

    let writer: AccessLane
    let readers: AccessLane
    package let routes: DatabaseAccessRoutes

    /// Opens the writer.
    ///
    /// - Throws: the runner's error.
    package init(path: String, configuration: Configuration, _ makeRunner: @escaping MakeRunner) throws {
        let label = configuration.label ?? "Rowan.DatabaseCluster"
        let instruments = DatabaseInstruments(.cluster, path, configuration)
        writer = AccessLane(
            capacity: 1, isWriter: true, label: "\(label).writer", qos: configuration.writeQoS,
            target: configuration.writeTargetQueue ?? configuration.targetQueue, instruments: instruments
        ) {
            try PooledConnection(
                path: path, configuration: configuration, queues: $0, instruments: instruments,
                runner: makeRunner(false))
        }
        readers = AccessLane(
            capacity: max(configuration.maximumReaderCount, 1), isWriter: false, label: "\(label).reader",
            qos: configuration.readQoS, target: configuration.targetQueue, waitLimit: configuration.readerTimeout,
            instruments: instruments
        ) {
            try PooledConnection(
                path: path, configuration: configuration, queues: $0, isReader: true, runner: makeRunner(true))
        }
        AccessLane.pair(writer: writer, readers: readers)
        routes = DatabaseAccessRoutes(
            read: AccessRoute(lane: readers, scope: .readTransaction, reentrantLane: writer),
            unsafeRead: AccessRoute(lane: readers, scope: .readOnly, reentrantLane: writer),
            write: AccessRoute(lane: writer, scope: .plain), readers: readers)
        let connection = try writer.acquire()
        defer { writer.release(connection) }
        if let instruments { connection.run { instruments.didOpen($0) } }
    }

    /// Closes all connections after running accesses have finished.
    ///
    /// - Throws: SQLITE_BUSY if the program holds a statement or a cursor; all connections then stay open.
    package func close() throws {
        try writer.refuseNestedAccess()
        try readers.refuseNestedAccess()
        try writer.close(with: readers)
    }

    /// Interrupts the running statements of all connections.
    package func interrupt() {
        writer.interrupt()
        readers.interrupt()
    }

    /// Releases as much memory as possible after running accesses have finished.
    package func releaseMemory() {
        // Closed connections have no memory to release.
        try? routes.write.run { $0.releaseMemory() }
        try? readers.closeConnections()
    }

    /// A read on the writing connection, which sees the last committed state.
    ///
    /// - Precondition: the current thread has access to the writer, outside a transaction.
    package func readFromWriter(_ value: (Result<Database, any Error>) -> Void) {
        guard let connection = writer.connectionOfCurrentThread else {
            preconditionFailure("call spawnConcurrentRead from an access of the writer")
        }
        let db = connection.database
        precondition(!db.isInsideTransaction, "call spawnConcurrentRead outside a transaction")
        var isCalled = false
        do {
            try db.isolatedRead {
                isCalled = true
                value(.success($0))
            }
        } catch {
            // A later error concerns the end of the read, whose closure has already received its database.
            if !isCalled { value(.failure(error)) }
        }
    }
}
