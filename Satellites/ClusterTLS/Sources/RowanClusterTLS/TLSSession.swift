// A TLS connection over a socket that does not block.

import CTLSSession
public import RowanCluster
import Synchronization

/// A TLS connection.
public final class TLSSession: ClusterChannel {
    // The context lives at least as long as its sessions: OpenSSL counts references to it.
    private let session: Mutex<OpaquePointer>

    init(_ context: Context, _ socket: CInt, host: String?) throws(ClusterTLSError) {
        session = Mutex(try context.session(socket, host))
    }

    deinit { session.withLock { tls_session_release($0) } }

    public func handshake() throws -> ClusterChannelWait? {
        var failure = tls_failure()
        switch Int(session.withLock { tls_session_handshake($0, &failure) }) {
        case 0: return nil
        case tls_needs_reading: return .readable
        case tls_needs_writing: return .writable
        default: throw ClusterTLSError(failure)
        }
    }

    public func receive(into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
        try transfer { tls_session_receive($0, buffer.baseAddress, buffer.count, &$1) }
    }

    public func send(_ bytes: UnsafeRawBufferPointer) throws -> Int? {
        try transfer { tls_session_send($0, bytes.baseAddress, bytes.count, &$1) }
    }

    private func transfer(_ body: (OpaquePointer, inout tls_failure) -> Int) throws(ClusterTLSError) -> Int? {
        var failure = tls_failure()
        let count = session.withLock { body($0, &failure) }
        if count >= 0 { return count }
        guard count == tls_has_failed else { return nil }
        throw .init(failure)
    }

    /// Whether bytes have arrived that the socket no longer reports.
    @_spi(Node) public var hasBytes: Bool { session.withLock { tls_session_has_bytes($0) } }

    /// Whether the certificate of the other side is that of a node, and valid for a name or an IP address.
    @_spi(Node) public func isFor(_ host: String) -> Bool { session.withLock { tls_session_is_for($0, host) } }
}
