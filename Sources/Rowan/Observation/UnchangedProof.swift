// Tells whether anything was committed since a read. SQLite counts commits for each connection: only the connection of
// the read can answer.
// Source: https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html (SQLITE_FCNTL_DATA_VERSION)

/// What a connection has seen at the end of a read.
struct UnchangedProof: Sendable {
    private let lane: AccessLane
    private let connection: PooledConnection?
    private let dataVersion: UInt32?

    /// - Parameter db: a connection of the lane, just after a read.
    init(_ db: Database, _ lane: AccessLane) {
        self.lane = lane
        connection = lane.connectionOfCurrentThread
        dataVersion = db.connection.lastDataVersion
    }

    /// Whether the database is certainly unchanged. Another access may be using the connection: then the answer is no.
    var isUnchanged: Bool {
        guard let connection, let dataVersion else { return false }
        let isUnchanged = lane.useIfIdle(connection) { db in
            // A read updates the number. If it fails, the answer is no.
            do { try db.connection.checkSchema() } catch { return false }
            return db.connection.lastDataVersion == dataVersion
        }
        return isUnchanged ?? false
    }
}
