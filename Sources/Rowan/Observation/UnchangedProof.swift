// Determines whether anything was committed since a read.
// Source: https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html (SQLITE_FCNTL_DATA_VERSION)

/// The known state of the database at a read.
struct UnchangedProof: Sendable {
    private let writer: AccessLane
    private let writerProgress: Int
    private let readers: AccessLane
    private var reader: PooledConnection?
    private var dataVersion: UInt32?
    /// The numbers that a remote database uses instead of the data version.
    private let remoteVersions: [String: Int64]?

    /// - Parameter db: the connection of the read, which has not started.
    /// - Throws: an error of a remote database.
    init(_ connections: ObservationConnections, _ db: Database) throws {
        writer = connections.write.lane
        writerProgress = writer.progress
        readers = connections.fetch.lane
        let asks = db.connection.abilities.asksForCommits && connections.isConcurrent
        remoteVersions = asks ? try db.connection.foreignDataVersions() : nil
    }

    /// - Parameter db: the connection of the read, which has just finished.
    mutating func readDidEnd(_ db: Database) {
        reader = readers.connectionOfCurrentThread
        dataVersion = db.connection.lastDataVersion
    }

    /// Whether the database is certainly unchanged.
    ///
    /// - Parameter db: the connection that writes, in an access.
    func isUnchanged(_ db: Database) -> Bool {
        guard db.connection.progress == writerProgress else { return false }
        // Each connection has its own counter of other connections' commits. Only the connection of the read can
        // determine this, and only if it is not in use.
        guard let reader, dataVersion != nil || remoteVersions != nil else { return false }
        let isUnchanged = readers.useIfIdle(reader) { db in
            // A failure proves nothing.
            if let remoteVersions { return (try? db.connection.foreignDataVersions()) == remoteVersions }
            // A read updates the number. If it fails, the result is false.
            do { try db.connection.checkSchema() } catch { return false }
            return db.connection.lastDataVersion == dataVersion
        }
        // The reader is in use. This process has committed nothing, but another one may have.
        return isUnchanged ?? !db.configuration.observesOtherProcesses
    }
}
