// Errors between the driver and a node, except those that the node itself reports.

/// An error of a connection to a node.
package enum WireError: Error, Hashable {
    /// The node or the network closed the connection. Requests without a response may have been executed.
    case closed(String)
    /// The deadline has passed. Requests without a response may have been executed.
    case timedOut
    /// `cancel()` was called. Requests without a response may have been executed.
    case cancelled
    /// The node sent bytes that don't conform to the protocol.
    case malformed(String)
    /// There is no connection, so nothing was sent.
    case unreachable(String)
}

extension WireError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .closed(let reason), .unreachable(let reason): reason
        case .timedOut: "the node did not answer in time"
        case .cancelled: "the connection was cancelled"
        case .malformed(let reason): "the node does not speak the protocol of dqlite: \(reason)"
        }
    }
}
