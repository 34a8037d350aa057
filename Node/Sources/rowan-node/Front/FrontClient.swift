// One connection to the node, from a client or another node, and its continuation to dqlite.

import Glibc
import RowanCluster

/// A connection that the front has accepted.
final class FrontClient {
    /// What it is.
    enum State: Equatable {
        /// Its TLS handshake is running.
        case securing(ClusterChannelWait)
        /// It has not sent the version of its protocol yet.
        case new
        case client
        /// Another node: what it sends passes unchecked.
        case peer
        /// Its transaction is rolled back. Its requests are refused until it ends the connection.
        case ended
        /// It receives the rest of what is meant for it, and is closed.
        case closing
        /// It is closed.
        case removed
    }

    let id: UInt64
    let name: String
    var state = State.new { didSet { counts.update { $0.move(from: oldValue, to: state) } } }
    /// Whether it has sent a request as a client, and counts as one.
    var isAdmitted = false
    private let counts: FrontCounts
    /// What has arrived and has not passed.
    var inbox = ByteQueue()
    /// Whether the next request waits: for a response, or because dqlite opens a database for another client.
    var isHeld = false
    var requests = RequestGuard()
    var responses = ResponseScanner()
    var client: FrontSocket
    /// The connection to dqlite, from the first request on.
    var node: FrontSocket?
    /// The time of the last byte in any direction.
    var lastProgress: ContinuousClock.Instant
    let start = ContinuousClock.now
    /// The bytes that the front keeps for dqlite, as last counted.
    var keptSize = 0
    /// Whether its handshake has begun.
    var isSecuring = false
    /// The events for which the sockets are registered.
    var clientEvents: SocketEvents = []
    var nodeEvents: SocketEvents = []

    /// Beyond it, the sender of bytes has to wait.
    private static let largestQueue = 1 << 20

    init(id: UInt64, _ client: FrontSocket, name: String, counts: FrontCounts) {
        self.id = id
        self.name = name
        self.client = client
        self.counts = counts
        lastProgress = start
        if client.tls != nil { state = .securing(.readable) }
        counts.update { $0.move(from: nil, to: state) }
    }

    deinit { counts.update { $0.move(from: state, to: nil) } }

    /// Whether it may still be a node or a client.
    var isNew: Bool {
        switch state {
        case .securing, .new: true
        case .client: !isAdmitted
        case .peer, .ended, .closing, .removed: false
        }
    }

    /// Whether more of its bytes are read.
    var readsClient: Bool {
        switch state {
        case .securing(let event): event == .readable
        case .new: !isHeld
        case .closing: true
        // The client must receive its refusals before it can cause more.
        case .ended: readsNode
        case .removed: false
        case .peer: (node?.queue.count ?? 0) < Self.largestQueue
        // What the front answers itself also waits for the client to receive it.
        case .client: !isHeld && (node?.queue.count ?? 0) < Self.largestQueue && readsNode
        }
    }

    var readsNode: Bool { client.queue.count < Self.largestQueue }

    /// Whether its responses wait for those that follow: one write then serves a whole chain.
    var isCorked = false

    /// Whether a message of the front may follow what the client has received.
    var acceptsMessage: Bool { (client.queue.isEmpty || isCorked) && responses.isBetweenResponses }

    /// Whether dqlite has nothing to do for it: it has responded to all requests, or its responses are not received.
    var isIdle: Bool { state == .client && (!requests.isWaiting || !client.queue.isEmpty && !isCorked) }
}
