// Why a request to a cluster has failed, and what follows from it: for the session, for the transaction, and for the
// program.

public import Rowan

/// Why a request to a cluster has failed.
enum ClusterFailure: Error {
    /// There is no response.
    case noResponse(WireError)
    /// The node does not run the request.
    case refused(NodeRefusal)
    /// No node leads; with the reason of each node.
    case noLeader([String])
    /// Too few nodes confirm the leader of a read.
    case unconfirmed(count: Int, nodeCount: Int)

    /// - Returns: nil for an error that is not about the cluster.
    init?(_ error: any Error) {
        switch error {
        case let error as ClusterFailure: self = error
        case let error as WireError: self = .noResponse(error)
        case let error as NodeRefusal: self = .refused(error)
        default: return nil
        }
    }

    /// Whether the session can't be used afterwards: the leader is gone.
    var endsSession: Bool {
        switch self {
        case .noResponse, .noLeader, .unconfirmed: true
        case .refused(let refusal):
            switch refusal.cause {
            case .notLeader, .leadershipLost, .databaseClosed, .transactionEnded: true
            case .tooLong, .badRequest, .sqlite: false
            }
        }
    }

    /// Whether the same request may succeed with the next leader.
    var isWorthRetrying: Bool {
        switch self {
        case .noResponse(.cancelled), .noResponse(.timedOut): false
        // The search has taken all the time that there was.
        case .noLeader: false
        case .noResponse, .unconfirmed: true
        case .refused(let refusal): endsSession && refusal.cause != .transactionEnded
        }
    }

    /// Whether another client holds the lock.
    var isBusy: Bool {
        if case .refused(let refusal) = self { refusal.resultCode.primaryResultCode == .SQLITE_BUSY } else { false }
    }

    /// Whether a request that commits has committed nothing.
    var isWithoutCommit: Bool {
        guard case .refused(let refusal) = self else { return false }
        return switch refusal.cause {
        case .notLeader, .databaseClosed, .transactionEnded: true
        case .leadershipLost, .tooLong, .badRequest: false
        case .sqlite: [.SQLITE_BUSY, .SQLITE_CONSTRAINT].contains(refusal.resultCode.primaryResultCode)
        }
    }

    /// Whether a change of the schema outside a transaction may have committed: the log may fail at any time.
    var mayHaveCommitted: Bool {
        switch self {
        case .noResponse: true
        case .noLeader, .unconfirmed: false
        case .refused(let refusal):
            switch refusal.cause {
            case .leadershipLost, .badRequest: true
            case .notLeader, .databaseClosed, .tooLong, .transactionEnded: false
            case .sqlite: [.SQLITE_IOERR, .SQLITE_PROTOCOL].contains(refusal.resultCode.primaryResultCode)
            }
        }
    }

    /// The error for the program. Nothing was changed.
    ///
    /// - Parameter advice: what to do after a change of leader.
    func databaseError(_ advice: String) -> DatabaseError {
        switch self {
        case .noResponse(.cancelled): DatabaseError(resultCode: .SQLITE_INTERRUPT, message: "interrupted")
        case .noResponse(let error):
            DatabaseError(resultCode: .notLeader, message: "\(error). Nothing was changed. \(advice)")
        case .refused(let refusal) where isWorthRetrying:
            DatabaseError(resultCode: .notLeader, message: "\(refusal). Nothing was changed. \(advice)")
        case .refused(let refusal): refusal.databaseError
        case .noLeader(let reasons):
            DatabaseError(
                resultCode: .notLeader,
                message: "no leader of the cluster was found in time (\(reasons.joined(separator: "; "))): check that "
                    + "a majority of the nodes is running")
        case .unconfirmed(let count, let nodeCount):
            DatabaseError(
                resultCode: .notLeader,
                message:
                    "only \(count) of \(nodeCount) nodes confirm the leader of the read: its rows may be outdated. "
                    + "Read again")
        }
    }
}

extension ClusterFailure: CustomStringConvertible {
    var description: String {
        switch self {
        case .noResponse(let error): "\(error)"
        case .refused(let refusal): "\(refusal)"
        case .noLeader, .unconfirmed: databaseError("").message ?? ""
        }
    }
}

extension NodeRefusal {
    var resultCode: ResultCode {
        switch cause {
        case .notLeader, .databaseClosed: .notLeader
        case .leadershipLost: .leadershipLost
        case .tooLong, .transactionEnded: .SQLITE_INTERRUPT
        case .badRequest: .SQLITE_PROTOCOL
        case .sqlite: ResultCode(rawValue: code)
        }
    }

    var databaseError: DatabaseError {
        let message =
            cause == .tooLong
            ? "the leader has interrupted the statement, because it ran for too long without a row: make it shorter, or "
                + "start the nodes with a longer --statement-limit"
            : description
        return DatabaseError(resultCode: resultCode, message: message)
    }
}

extension ResultCode {
    static let notLeader = ResultCode(rawValue: NodeRefusal.notLeader)
    static let leadershipLost = ResultCode(rawValue: NodeRefusal.leadershipLost)
}

/// The error for the program: an error about the cluster becomes a ``DatabaseError``.
func known(_ error: any Error, _ advice: String) -> any Error {
    ClusterFailure(error)?.databaseError(advice) ?? error
}

extension DatabaseError {
    static var silencesLeaders: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_INTERRUPT,
            message:
                "two leaders in a row did not respond to the statement, and the other nodes have replaced them: it "
                + "probably runs for longer than the nodes wait for their leader. Make it shorter, or start the nodes "
                + "with a larger --latency")
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
        extendedResultCode == .notLeader || extendedResultCode == .leadershipLost
    }
}
