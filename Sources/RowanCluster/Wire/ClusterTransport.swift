// Where another package secures the connections to nodes: the library itself depends on no other.

/// Secures the connections of a client to the nodes of a cluster: see ``ClusterOptions/transport``.
///
/// The product `RowanClusterTLS` has one, for TLS.
public protocol ClusterTransport: Sendable {
    /// Creates a channel over a connected socket, which does not block and stays open while the channel exists.
    ///
    /// - Parameters:
    ///   - socket: the descriptor of the socket.
    ///   - host: the name or the IP address by which the client knows the node.
    /// - Throws: an error whose description becomes that of the connection.
    func channel(over socket: CInt, to host: String) throws -> any ClusterChannel
}

/// A channel over the socket of a node. One thread at a time uses it.
public protocol ClusterChannel: Sendable {
    /// Continues to secure the channel.
    ///
    /// - Returns: what it waits for; nil once it is secured.
    /// - Throws: an error whose description becomes that of the connection.
    func handshake() throws -> ClusterChannelWait?

    /// Receives what has arrived, until nothing is left.
    ///
    /// - Returns: the number of bytes; 0 at the end of the connection; nil if nothing has arrived.
    /// - Throws: an error whose description becomes that of the connection.
    func receive(into buffer: UnsafeMutableRawBufferPointer) throws -> Int?

    /// Sends what the socket accepts.
    ///
    /// - Returns: the number of bytes; nil if it accepts none. The same bytes are then sent again.
    /// - Throws: an error whose description becomes that of the connection.
    func send(_ bytes: UnsafeRawBufferPointer) throws -> Int?
}

/// What a channel waits for.
public enum ClusterChannelWait: Sendable {
    /// Bytes to read.
    case readable
    /// Room for bytes to send.
    case writable
}
