// How a node connects to its peers. dqlite calls this on the threads that also write its log, so an unresponsive peer
// may block one only for a limited time.

import Glibc
import RowanCluster

/// Connects to the addresses of peers.
///
/// A connection has TCP_NODELAY: with Nagle's algorithm, a commit would wait for delayed acknowledgements.
final class Dialer: Sendable {
    /// The addresses to connect to instead, by address: the tests put relays between nodes.
    private let detours: [String: NodeAddress]
    /// In milliseconds.
    private let timeout: Int32

    init(timeout: Int32, detours: [String: NodeAddress] = [:]) {
        self.timeout = timeout
        self.detours = detours
    }

    /// - Returns: a connected, blocking socket.
    /// - Throws: a `Failure` if no address of the host responds in time.
    func connect(to text: String) throws(Failure) -> Int32 {
        let address = if let detour = detours[text] { detour } else { try NodeAddress.parse(text) }
        var last = Failure("can't connect to \(address)")
        for candidate in try address.resolved() {
            do {
                return try connect(to: candidate, named: address)
            } catch {
                last = error
            }
        }
        throw last
    }

    private func connect(to candidate: SocketAddress, named address: NodeAddress) throws(Failure) -> Int32 {
        let types = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(candidate.family, types, 0)
        guard descriptor >= 0 else { throw .system("open a socket") }
        do {
            let code = candidate.withSockaddr { Glibc.connect(descriptor, $0, $1) }
            if code != 0 {
                guard errno == EINPROGRESS || errno == EINTR else { throw Failure.system("connect to \(address)") }
                try waitUntilConnected(descriptor, address)
            }
            // dqlite first sends its handshake with blocking calls.
            guard fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK) == 0 else {
                throw Failure.system("configure the socket of \(address)")
            }
            setOption(descriptor, IPPROTO_TCP, TCP_NODELAY, 1)
            // For a peer whose machine has disappeared: without it, the kernel would retransmit for a quarter of an
            // hour, and the new connection that replication needs would wait for it.
            setOption(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, max(timeout * 4, 5000))
            return descriptor
        } catch {
            close(descriptor)
            throw error as? Failure ?? Failure("\(error)")
        }
    }

    private func waitUntilConnected(_ descriptor: Int32, _ address: NodeAddress) throws(Failure) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        var count: Int32
        repeat { count = poll(&entry, 1, timeout) } while count < 0 && errno == EINTR
        guard count != 0 else { throw Failure("can't connect to \(address): no answer in \(timeout) ms") }
        guard count > 0 else { throw .system("wait for \(address)") }
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        guard code == 0 else { throw .system("connect to \(address)", code: code) }
    }
}

/// Sets an option that only makes a socket faster or quicker to fail. A system without it still works.
func setOption(_ descriptor: Int32, _ level: Int, _ option: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, Int32(level), option, &value, socklen_t(MemoryLayout<Int32>.size))
}
