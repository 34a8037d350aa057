// The sockets of a relay, and what happens when one of them is ready.

import Foundation

@testable import RowanCluster

/// The state of a relay's thread.
struct RelayLoop {
    let listener: Listener
    let target: NodeAddress
    /// A descriptor that is readable when the state of the relay has changed.
    let wake: CInt
    private var connections: [Connection] = []

    init(listener: Listener, target: NodeAddress, wake: CInt) {
        self.listener = listener
        self.target = target
        self.wake = wake
    }

    /// Waits until a socket is ready or a delay has passed, and forwards the bytes that are due.
    mutating func turn(_ state: Relay.State) {
        if state == .cut { closeConnections() }
        let now = ContinuousClock.now
        var entries = [
            pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
            pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        for connection in connections { entries += connection.interests(state, now) }
        guard poll(&entries, nfds_t(entries.count), waitingTime(state, now)) >= 0 else { return }
        if entries[0].revents != 0 { drainWake() }
        let delay: Duration? =
            switch state {
            case .frozen, .cut: nil
            case .open: .zero
            case .delayed(let time): time
            }
        if let delay {
            for index in connections.indices { connections[index].forward(delay) }
            for connection in connections where connection.isOver { connection.close() }
            connections.removeAll(where: \.isOver)
        }
        if entries[1].revents != 0 { accept(state) }
    }

    /// In milliseconds, or -1 for no limit.
    private func waitingTime(_ state: Relay.State, _ now: ContinuousClock.Instant) -> CInt {
        guard state != .frozen, let next = connections.compactMap(\.nextDue).min(), next > now else { return -1 }
        let (seconds, attoseconds) = now.duration(to: next).components
        return CInt(min(seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1, 60_000))
    }

    private func drainWake() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(wake, &bytes, bytes.count) == bytes.count {}
    }

    private mutating func accept(_ state: Relay.State) {
        while true {
            let client = Foundation.accept(listener.descriptor, nil, nil)
            guard client >= 0 else { return }
            // If the target is down, the client's connection is closed.
            guard state != .cut, let server = try? newSocket() else {
                _ = Foundation.close(client)
                continue
            }
            var one: CInt = 1
            for descriptor in [client, server] {
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
                setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
            }
            // Connecting continues in the background; the first read reports a failure.
            _ = try? withSocketAddress(target) { connect(server, $0, $1) }
            connections.append(Connection(client: client, server: server))
        }
    }

    private mutating func closeConnections() {
        for connection in connections { connection.close() }
        connections = []
    }

    mutating func close() {
        closeConnections()
        listener.close()
    }
}

/// A client's connection, and the one to the target.
private struct Connection {
    private var toServer: Flow
    private var toClient: Flow

    init(client: CInt, server: CInt) {
        toServer = Flow(source: client, sink: server)
        toClient = Flow(source: server, sink: client)
    }

    func interests(_ state: Relay.State, _ now: ContinuousClock.Instant) -> [pollfd] {
        guard state != .frozen else { return [] }
        return [toServer, toClient].flatMap { $0.interests(now) }
    }

    var nextDue: ContinuousClock.Instant? { [toServer, toClient].compactMap(\.nextDue).min() }

    mutating func forward(_ delay: Duration) {
        toServer.forward(delay)
        toClient.forward(delay)
    }

    /// Whether both directions have ended, or one has failed.
    var isOver: Bool { toServer.hasFailed || toClient.hasFailed || (toServer.isOver && toClient.isOver) }

    func close() {
        _ = Foundation.close(toServer.source)
        _ = Foundation.close(toServer.sink)
    }
}

/// The bytes of one direction.
private struct Flow {
    let source: CInt
    let sink: CInt
    /// The bytes that have been read, and when to write them.
    private var pending: [(due: ContinuousClock.Instant, bytes: ArraySlice<UInt8>)] = []
    private var pendingCount = 0
    private var hasEnded = false
    /// Whether the sink has been notified that the source has ended.
    private(set) var isOver = false
    private(set) var hasFailed = false

    private static let capacity = 1 << 20

    init(source: CInt, sink: CInt) {
        self.source = source
        self.sink = sink
    }

    var nextDue: ContinuousClock.Instant? { pending.first?.due }

    func interests(_ now: ContinuousClock.Instant) -> [pollfd] {
        var entries: [pollfd] = []
        if !hasEnded, pendingCount < Self.capacity {
            entries.append(pollfd(fd: source, events: Int16(POLLIN), revents: 0))
        }
        if let due = nextDue, due <= now { entries.append(pollfd(fd: sink, events: Int16(POLLOUT), revents: 0)) }
        return entries
    }

    mutating func forward(_ delay: Duration) {
        read(delay)
        write()
        if hasEnded, pending.isEmpty, !isOver {
            isOver = true
            shutdown(sink, CInt(SHUT_WR))
        }
    }

    private mutating func read(_ delay: Duration) {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while !hasEnded, pendingCount < Self.capacity {
            let count = recv(source, &bytes, bytes.count, 0)
            if count > 0 {
                pending.append((.now + delay, bytes[..<count]))
                pendingCount += count
            } else if count == 0 {
                hasEnded = true
            } else {
                // ENOTCONN: the connection to the target is not established yet.
                hasFailed = hasFailed || ![EAGAIN, EINTR, ENOTCONN].contains(errno)
                return
            }
        }
    }

    private mutating func write() {
        let now = ContinuousClock.now
        while let first = pending.first, first.due <= now {
            let count = first.bytes.withUnsafeBytes { send(sink, $0.baseAddress, $0.count, sendFlags) }
            guard count >= 0 else {
                hasFailed = hasFailed || ![EAGAIN, EINTR, ENOTCONN].contains(errno)
                return
            }
            pendingCount -= count
            pending[0].bytes = first.bytes.dropFirst(count)
            if pending[0].bytes.isEmpty { pending.removeFirst() }
        }
    }
}

#if canImport(Darwin)
private let sendFlags: CInt = 0
#else
private let sendFlags = CInt(MSG_NOSIGNAL)
#endif
