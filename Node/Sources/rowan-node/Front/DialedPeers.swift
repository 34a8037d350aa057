// Connections to other nodes with TLS, from the threads of dqlite that dial to the thread of the front, which moves their
// bytes.

import Glibc
@_spi(Node) import RowanClusterTLS
import Synchronization

/// A connection to another node that proved who it is.
struct DialedPeer: Sendable {
    let socket: Int32
    let tls: TLSSession
    /// The other end of the socket that dqlite has.
    let pair: Int32
    let name: String
}

/// The connections that the front has not taken over yet.
final class DialedPeers: Sendable {
    /// Readable if there is one.
    let wake: Int32
    private let waker: Int32
    private let peers = Mutex<[DialedPeer]>([])

    /// - Throws: a `Failure` if the system has no more descriptors.
    init() throws(Failure) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw .system("wait for connections") }
        (wake, waker) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    func add(_ peer: DialedPeer) {
        peers.withLock { $0.append(peer) }
        // A full pipe wakes the front as well.
        var byte: UInt8 = 0
        _ = write(waker, &byte, 1)
    }

    func removeAll() -> [DialedPeer] {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(wake, &bytes, bytes.count) == bytes.count {}
        return peers.withLock { peers in
            defer { peers = [] }
            return peers
        }
    }
}
