// What carries the bytes of a connection: a socket, or the memory of a test that takes the part of a node.

import RowanPlatform
import Rowan

/// Carries the bytes of a connection. Another thread can cancel it while its user waits.
protocol NodeChannel: AnyObject, Sendable {
    var isCancelled: Bool { get }

    /// Wakes the user of the connection, from any thread.
    func cancel()

    /// Releases what the channel holds. The caller must be the only user of the connection.
    func release()

    /// Waits for one of the events of `poll`.
    ///
    /// - Returns: the events that have occurred, including errors.
    /// - Throws: `timedOut` or `cancelled`.
    func wait(for events: Int32, until deadline: ContinuousClock.Instant) throws(WireError) -> Int32

    /// Reads what has arrived.
    ///
    /// - Returns: the number of bytes; 0 at the end; -1 with `errno`.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int

    /// Writes what is accepted without waiting.
    ///
    /// - Returns: the number of bytes; -1 with `errno`.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int

    /// Why a call has failed with the code.
    func reason(_ code: CInt) -> String
}

extension NodeSocket: NodeChannel {}

/// How connections to nodes are made.
package struct NodeConnector: Sendable {
    /// Secures the connections.
    var transport: (any ClusterTransport)?
    /// The peers in this process that take the part of nodes, if any.
    var peers: LocalPeers?

    package init(transport: (any ClusterTransport)? = nil) { self.transport = transport }

    init(transport: (any ClusterTransport)?, peers: LocalPeers?) { (self.transport, self.peers) = (transport, peers) }

    func connect(to address: NodeAddress, deadline: ContinuousClock.Instant) throws(WireError) -> any NodeChannel {
        if let peers { return try LocalChannel(to: address, peers) }
        let socket = try NodeSocket.connected(to: address, deadline: deadline)
        if let transport { try socket.secure(transport, address, deadline: deadline) }
        return socket
    }
}

/// A peer in this process that takes the part of a node. Tests use it to answer without a network.
///
/// Its methods are called on the thread that uses the connection.
@_spi(Node) public protocol LocalPeer: AnyObject, Sendable {
    /// Takes bytes that the client sends.
    ///
    /// - Returns: false if the peer has closed the connection.
    func take(_ bytes: UnsafeRawBufferPointer) -> Bool

    /// Writes the next bytes for the client.
    ///
    /// - Returns: the number of bytes written; 0 if the peer has closed the connection; nil if it is silent.
    func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int?
}

/// Finds the peer at an address; nil if there is none.
@_spi(Node) public typealias LocalPeers = @Sendable (NodeAddress) -> (any LocalPeer)?

/// A connection to a peer in this process. Waiting takes no time: a peer that is silent stays silent.
final class LocalChannel: NodeChannel {
    private let peer: any LocalPeer
    private let cancelled = Mutex(false)

    /// - Throws: `unreachable` if there is no peer at the address.
    init(to address: NodeAddress, _ peers: LocalPeers) throws(WireError) {
        guard let peer = peers(address) else { throw .unreachable("there is no peer at \(address)") }
        self.peer = peer
    }

    var isCancelled: Bool { cancelled.withLock { $0 } }

    func cancel() { cancelled.withLock { $0 = true } }

    func release() {}

    func reason(_ code: CInt) -> String { NodeSocket.text(of: code) }

    func wait(for events: Int32, until deadline: ContinuousClock.Instant) throws(WireError) -> Int32 {
        throw isCancelled ? .cancelled : .timedOut
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if isCancelled { return 0 }
        if let count = peer.give(buffer) { return isCancelled ? 0 : count }
        errno = EAGAIN
        return -1
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        if !isCancelled, peer.take(bytes) { return bytes.count }
        errno = EPIPE
        return -1
    }
}
