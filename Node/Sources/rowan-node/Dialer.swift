// How a node connects to its peers. dqlite calls this on the threads that also write its log, so an unresponsive peer
// may block one only for a limited time.

import Glibc
import RowanCluster
@_spi(Node) import RowanClusterTLS
import Synchronization

/// Connects to the addresses of peers.
///
/// A connection has TCP_NODELAY: with Nagle's algorithm, a commit would wait for delayed acknowledgements.
final class Dialer: Sendable {
    /// The addresses to connect to instead, by address: the tests put relays between nodes.
    private let detours: [String: NodeAddress]
    /// In milliseconds.
    private let timeout: Int32
    private let tls: (certificates: ClusterTLS, peers: DialedPeers)?
    /// The last problem with each peer.
    private let problems = Mutex<[String: String]>([:])

    /// - Parameter tls: how nodes prove who they are, and who moves the bytes of secured connections.
    init(
        timeout: Int32, detours: [String: NodeAddress] = [:], tls: (certificates: ClusterTLS, peers: DialedPeers)? = nil
    ) {
        self.timeout = timeout
        self.detours = detours
        self.tls = tls
    }

    /// - Returns: a connected, blocking socket.
    /// - Throws: a `Failure` if no address of the host responds in time.
    func connect(to text: String) throws(Failure) -> Int32 {
        let name = try NodeAddress.parse(text)
        let address = detours[text] ?? name
        var last = Failure("can't connect to \(address)")
        for candidate in try address.resolved() {
            do {
                let descriptor = try connect(to: candidate, named: address)
                guard let tls else { return descriptor }
                return try secured(descriptor, name, tls.certificates, tls.peers)
            } catch {
                last = error
            }
        }
        throw last
    }

    // MARK: TLS

    /// Has the node prove who it is.
    ///
    /// - Returns: a socket for dqlite, whose bytes the front moves.
    private func secured(
        _ descriptor: Int32, _ name: NodeAddress, _ certificates: ClusterTLS, _ peers: DialedPeers
    ) throws(Failure) -> Int32 {
        do {
            let session = try handshake(descriptor, name, certificates)
            var pair: [Int32] = [0, 0]
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
                throw Failure.system("open sockets")
            }
            setBlocking(pair[1], false)
            for end in pair { DqliteSocket.enlarge(end) }
            peers.add(DialedPeer(socket: descriptor, tls: session, pair: pair[1], name: name.description))
            problems.withLock { $0[name.description] = nil }
            return pair[0]
        } catch {
            close(descriptor)
            let problem = (error as? Failure)?.message ?? "\(error)"
            // dqlite tries again every second.
            let isNew = problems.withLock { $0.updateValue(problem, forKey: name.description) != problem }
            if isNew { Log.write(.warning, "peer-not-secured", ["peer": name.description, "error": problem]) }
            throw Failure("can't connect to \(name): \(problem)")
        }
    }

    private func handshake(_ descriptor: Int32, _ name: NodeAddress, _ certificates: ClusterTLS) throws -> TLSSession {
        setBlocking(descriptor, false)
        let session = try certificates.connect(descriptor, to: name.host)
        let deadline = ContinuousClock.now + .milliseconds(timeout)
        while let event = try session.handshake() {
            let (seconds, attoseconds) = ContinuousClock.now.duration(to: deadline).components
            let rest = seconds * 1000 + attoseconds / 1_000_000_000_000_000
            guard rest > 0 else { throw Failure("no answer in \(timeout) ms") }
            var entry = pollfd(fd: descriptor, events: Int16(event == .readable ? POLLIN : POLLOUT), revents: 0)
            if poll(&entry, 1, Int32(clamping: rest)) == 0 { throw Failure("no answer in \(timeout) ms") }
        }
        return session
    }

    private func setBlocking(_ descriptor: Int32, _ isBlocking: Bool) {
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, isBlocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK)
    }

    // MARK: TCP

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
///
/// - Returns: the code of the system.
@discardableResult
func setOption(_ descriptor: Int32, _ level: Int, _ option: Int32, _ value: Int32) -> Int32 {
    var value = value
    return setsockopt(descriptor, Int32(level), option, &value, socklen_t(MemoryLayout<Int32>.size))
}
