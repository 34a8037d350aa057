// Errors between the driver and a node: those of the connection, and the refusals of the node.

/// An error of a connection to a node.
package enum WireError: Error, Hashable {
    /// The node or the network closed the connection. Requests without a response may have been executed.
    case closed(String)
    /// The node does not respond, and the others follow another leader. Requests without a response may have been executed.
    case replaced(String)
    /// The deadline has passed. Requests without a response may have been executed.
    case timedOut
    /// `cancel()` was called. Requests without a response may have been executed.
    case cancelled
    /// The node sent bytes that don't conform to the protocol.
    case malformed(String)
    /// There is no connection, so nothing was sent.
    case unreachable(String)

    /// A response that belongs to another request.
    static func unexpected(_ response: Response) -> WireError {
        .malformed("it answered with a response of the type \(response.type)")
    }
}

extension WireError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .closed(let reason), .replaced(let reason), .unreachable(let reason): reason
        case .timedOut: "the node did not answer in time"
        case .cancelled: "the connection was cancelled"
        case .malformed(let reason): "the node does not speak the protocol of dqlite: \(reason)"
        }
    }
}

/// The response of a node that does not run a request.
package struct NodeRefusal: Error, Hashable {
    /// What it means for the driver.
    package enum Cause: Hashable, Sendable {
        /// The node does not lead: it has not run the request.
        case notLeader
        /// The node has lost the leadership while it ran the request, which may be committed.
        case leadershipLost
        /// The node has closed the database of the session, because it has lost the leadership before the request.
        case databaseClosed
        /// The node has interrupted a statement that ran for too long.
        case tooLong
        /// The node has rolled back the transaction, because the client sent nothing for too long.
        case transactionEnded
        /// The node does not accept the request.
        case badRequest
        /// An error of SQLite.
        case sqlite
    }

    package let cause: Cause
    /// A code of SQLite or of dqlite.
    package let code: Int32
    package let message: String

    package init(code: UInt64, message: String) {
        self.code = Int32(truncatingIfNeeded: code)
        self.message = message
        cause = Self.cause(self.code, message)
    }

    private static func cause(_ code: Int32, _ message: String) -> Cause {
        switch code {
        case notLeader: .notLeader
        case leadershipLost: .leadershipLost
        case transactionEnded: .transactionEnded
        // A node that loses leadership before it runs a statement responds with a code of its Raft library, which means
        // another error in SQLite. The message distinguishes them: it isn't that of SQLite's error, but the last one
        // of the connection.
        case 7 where message != "out of memory": .notLeader
        case 8 where message != "attempt to write a readonly database": .leadershipLost
        case 9: message == "interrupted" ? .tooLong : .leadershipLost
        // The leader could not write its log, and the others may have the entry. In SQLite, a value is too large.
        case 18 where !message.hasPrefix("string or blob too big"): .leadershipLost
        // SQLITE_NOTFOUND, which SQLite itself does not return for statements.
        case 12 where message == "no database opened": .databaseClosed
        // The others are codes of dqlite itself. SQLite would take some of them for a row or the end of rows.
        default: code > 0 && (1...28).contains(code & 0xFF) ? .sqlite : .badRequest
        }
    }

    /// The codes of dqlite for a node that isn't the leader. <https://github.com/canonical/dqlite> (error codes 10250
    /// and 10506)
    static let notLeader: Int32 = 10_250
    static let leadershipLost: Int32 = 10_506
    /// The code of rowan-node, which is neither one of SQLite nor of dqlite.
    static let transactionEnded: Int32 = 20_001
    /// The code of rowan-node for a request whose chain has failed before.
    static let skipped: Int32 = 20_002
}

extension NodeRefusal: CustomStringConvertible {
    package var description: String {
        switch cause {
        case .notLeader, .leadershipLost, .databaseClosed: "the leader of the cluster has changed"
        case .tooLong, .transactionEnded, .sqlite: message
        case .badRequest: "the node refused the request: \(message) (\(code))"
        }
    }
}
