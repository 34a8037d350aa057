// A relay between two nodes, which can cut and freeze its connections. One thread serves it.

import Foundation

/// Accepts connections at one port, and forwards their bytes to and from another port on the same host.
final class LinkRelay: Sendable {
    enum State: Sendable {
        case open
        /// Existing and new connections are closed.
        case cut
        /// Nothing is forwarded.
        case frozen
    }

    private let state = Locked<(state: State, isStopped: Bool)>((.open, false))
    private let ended = DispatchSemaphore(value: 0)

    init(host: String, port: UInt16, target: UInt16) throws {
        let listener = try Self.listener(host, port)
        Thread.detachNewThread { [state, ended] in
            var loop = Loop(listener: listener, host: host, target: target)
            while true {
                let current = state.current
                if current.isStopped { break }
                loop.turn(current.state)
            }
            loop.close()
            ended.signal()
        }
    }

    func set(_ new: State) { state.with { $0.state = new } }

    /// Closes all connections, and waits for the thread.
    func stop() {
        let wasStopped = state.with { state in
            defer { state.isStopped = true }
            return state.isStopped
        }
        if !wasStopped { ended.wait() }
    }

    // MARK: Sockets

    static func listener(_ host: String, _ port: UInt16) throws -> CInt {
        let descriptor = try newSocket()
        var one: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<CInt>.size))
        guard withAddress(host, port, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 64) == 0 else {
            close(descriptor)
            throw StressFailure("can't listen on \(host):\(port): \(String(cString: strerror(errno)))")
        }
        return descriptor
    }

    fileprivate static func newSocket() throws -> CInt {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw StressFailure("can't open a socket") }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        return descriptor
    }

    fileprivate static func withAddress(
        _ host: String, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) -> CInt {
        var value = sockaddr_in()
        value.sin_family = sa_family_t(AF_INET)
        value.sin_port = port.bigEndian
        inet_pton(AF_INET, host, &value.sin_addr)
        return withUnsafePointer(to: &value) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
}

/// The state of a relay's thread.
private struct Loop {
    let listener: CInt
    let host: String
    let target: UInt16
    private var pairs: [(client: CInt, server: CInt)] = []
    /// The bytes not yet written, by destination socket.
    private var pending: [CInt: [UInt8]] = [:]

    init(listener: CInt, host: String, target: UInt16) {
        self.listener = listener
        self.host = host
        self.target = target
    }

    /// Waits briefly until a socket is ready, and forwards bytes.
    mutating func turn(_ state: LinkRelay.State) {
        if state == .cut { closeAll() }
        var entries = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
        if state == .open {
            for (client, server) in pairs {
                for (source, sink) in [(client, server), (server, client)] {
                    // Reads no more than can be written.
                    let reads = pending[sink] == nil ? POLLIN : 0
                    let writes = pending[source] == nil ? 0 : POLLOUT
                    entries.append(pollfd(fd: source, events: Int16(reads | writes), revents: 0))
                }
            }
        }
        guard poll(&entries, nfds_t(entries.count), 20) > 0 else { return }
        let ready = Set(entries.dropFirst().filter { $0.revents != 0 }.map(\.fd))
        var ended: [CInt] = []
        for (client, server) in pairs where ready.contains(client) || ready.contains(server) {
            let isAlive = forward(client, server) && forward(server, client)
            if !isAlive { ended.append(client) }
        }
        for (client, server) in pairs where ended.contains(client) { close(client, server) }
        pairs.removeAll { ended.contains($0.client) }
        if entries[0].revents != 0 { accept(state) }
    }

    /// - Returns: false at the end of the connection.
    private mutating func forward(_ source: CInt, _ sink: CInt) -> Bool {
        var bytes = pending.removeValue(forKey: sink) ?? []
        if bytes.isEmpty {
            bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(source, &bytes, bytes.count, 0)
            guard count > 0 else { return count < 0 && [EAGAIN, EINTR, ENOTCONN].contains(errno) }
            bytes.removeSubrange(count...)
        }
        let count = send(sink, bytes, bytes.count, CInt(MSG_NOSIGNAL))
        guard count >= 0 || [EAGAIN, EINTR, ENOTCONN].contains(errno) else { return false }
        bytes.removeFirst(max(count, 0))
        if !bytes.isEmpty { pending[sink] = bytes }
        return true
    }

    private mutating func accept(_ state: LinkRelay.State) {
        while case let client = Foundation.accept(listener, nil, nil), client >= 0 {
            guard state != .cut, let server = try? LinkRelay.newSocket() else {
                Foundation.close(client)
                continue
            }
            var one: CInt = 1
            for descriptor in [client, server] {
                _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
            }
            // The first read reports a failure.
            _ = LinkRelay.withAddress(host, target) { connect(server, $0, $1) }
            pairs.append((client, server))
        }
    }

    private mutating func close(_ client: CInt, _ server: CInt) {
        for descriptor in [client, server] {
            pending[descriptor] = nil
            Foundation.close(descriptor)
        }
    }

    private mutating func closeAll() {
        for (client, server) in pairs { close(client, server) }
        pairs = []
    }

    mutating func close() {
        closeAll()
        Foundation.close(listener)
    }
}
