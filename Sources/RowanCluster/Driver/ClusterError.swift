// The errors of nodes and of the connections to them, as database errors.

public import Rowan

extension DatabaseError {
    /// The codes of dqlite for a node that isn't the leader. <https://github.com/canonical/dqlite> (error codes 10250
    /// and 10506)
    static let notLeader = ResultCode(rawValue: 10_250)
    static let leadershipLost = ResultCode(rawValue: 10_506)

    /// The error of a request that a node has rejected.
    static func refused(_ code: UInt64, _ message: String) -> DatabaseError {
        let code = Int32(truncatingIfNeeded: code)
        if let lost = lostBeforeRunning(code, message) { return lost }
        return switch code {
        case 10_250, 10_506: DatabaseError(resultCode: ResultCode(rawValue: code), message: "the leader has changed")
        // The codes of dqlite itself, which aren't SQLite codes.
        case 0, 100, 101, 1_001...1_020:
            DatabaseError(resultCode: .SQLITE_PROTOCOL, message: "the node refused the request: \(message) (\(code))")
        // Interruptions by the client end the connection and have no response.
        case ResultCode.SQLITE_INTERRUPT.rawValue:
            DatabaseError(
                resultCode: .SQLITE_INTERRUPT,
                message: "the leader has interrupted the statement, because it ran for too long without a row: make it "
                    + "shorter, or start the nodes with a longer --statement-limit")
        default: DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
        }
    }

    /// A node that loses leadership before it runs a statement responds with a code of its Raft library, which means
    /// another error in SQLite. The message distinguishes them: it isn't that of SQLite's error, but the last one of
    /// the connection.
    private static func lostBeforeRunning(_ code: Int32, _ message: String) -> DatabaseError? {
        let codes: [Int32: (text: String, meaning: ResultCode)] = [
            7: ("out of memory", notLeader), 8: ("attempt to write a readonly database", leadershipLost),
            9: ("interrupted", leadershipLost),
        ]
        guard let known = codes[code], message != known.text else { return nil }
        return DatabaseError(resultCode: known.meaning, message: "the leader has changed")
    }

    /// The error of a statement that has no response and has changed nothing.
    static func lost(_ error: WireError, _ consequence: String) -> DatabaseError {
        if error == .cancelled {
            return DatabaseError(resultCode: .SQLITE_INTERRUPT, message: "interrupted")
        }
        return DatabaseError(resultCode: notLeader, message: "\(error). \(consequence)")
    }

    /// Whether the leader of a cluster has changed or was not found: nothing was applied, and the transaction can be
    /// retried.
    ///
    /// ```swift
    /// do {
    ///     try await cluster.write(update)
    /// } catch let error as DatabaseError where error.isLeaderChange {
    ///     try await cluster.write(update)
    /// }
    /// ```
    ///
    /// ``RowanCluster/DatabaseCluster/write(retrying:_:)`` retries several times. If the outcome is unknown, the error
    /// is a ``RowanCluster/UnknownOutcomeError`` instead.
    public var isLeaderChange: Bool {
        extendedResultCode == Self.notLeader || extendedResultCode == Self.leadershipLost
    }
}
