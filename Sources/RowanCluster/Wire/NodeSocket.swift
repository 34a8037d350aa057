// A TCP socket that another thread can shut down while its user waits. Shutting down wakes `poll`; closing would free
// the descriptor number for another file, which the user's next call would affect.

import RowanPlatform
import Rowan

/// A connected socket.
final class NodeSocket: Sendable {
    private struct State {
        var isOpen = true
        var isCancelled = false
        var channel: (any ClusterChannel)?
        /// Why the channel has failed.
        var failure: String?
    }

    /// Valid while the socket is open: only the user of the connection closes it.
    let descriptor: CInt
    private let state = Mutex(State())

    /// Takes over a descriptor.
    init(_ descriptor: CInt) { self.descriptor = descriptor }

    deinit { release() }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Wakes the user of the connection, from any thread.
    func cancel() {
        state.withLock { state in
            guard state.isOpen, !state.isCancelled else { return }
            state.isCancelled = true
            _ = shutdown(descriptor, CInt(SHUT_RDWR))
        }
    }

    /// Closes the descriptor. The caller must be the only user of the connection.
    func release() {
        state.withLock { state in
            guard state.isOpen else { return }
            state.isOpen = false
            state.channel = nil
            _ = close(descriptor)
        }
    }
}

// A secured channel over the socket.
extension NodeSocket {
    /// Secures the socket, before anything is sent.
    ///
    /// - Throws: `unreachable`, `timedOut` or `cancelled`.
    func secure(
        _ transport: any ClusterTransport, _ address: NodeAddress, deadline: ContinuousClock.Instant
    ) throws(WireError) {
        func reason(_ error: any Error) -> WireError { .unreachable("the node \(address) can't be used: \(error)") }
        let channel: any ClusterChannel
        do { channel = try transport.channel(over: descriptor, to: address.host) } catch { throw reason(error) }
        while true {
            let event: ClusterChannelWait?
            do { event = try channel.handshake() } catch {
                if isCancelled { throw .cancelled }
                throw reason(error)
            }
            guard let event else { break }
            _ = try wait(for: Int32(event == .readable ? POLLIN : POLLOUT), until: deadline)
        }
        state.withLock { $0.channel = channel }
    }

    /// Calls a method of the channel, with the conventions of the system.
    ///
    /// - Returns: nil without a channel.
    private func throughChannel(_ body: (any ClusterChannel) throws -> Int?) -> Int? {
        guard let channel = state.withLock({ $0.channel }) else { return nil }
        do {
            if let count = try body(channel) { return count }
            errno = EAGAIN
        } catch {
            state.withLock { $0.failure = "\(error)" }
            errno = EPROTO
        }
        return -1
    }

    /// Why a call has failed.
    func reason(_ code: CInt) -> String {
        code == EPROTO ? state.withLock { $0.failure } ?? Self.text(of: code) : Self.text(of: code)
    }
}

// System calls. None of them waits except `wait`.
extension NodeSocket {
    /// Waits for one of the events.
    ///
    /// - Returns: the events that have occurred, including errors.
    /// - Throws: `timedOut` or `cancelled`.
    func wait(for events: Int32, until deadline: ContinuousClock.Instant) throws(WireError) -> Int32 {
        while true {
            var request = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let remaining = Self.milliseconds(until: deadline)
            let count = poll(&request, 1, remaining)
            // Shutting down looks like the end of the connection.
            if isCancelled { throw .cancelled }
            if count > 0 { return Int32(request.revents) }
            if count == 0, remaining == 0 { throw .timedOut }
            if count < 0, errno != EINTR { throw .closed("poll failed: \(Self.text(of: errno))") }
        }
    }

    /// The time until an instant, rounded up: a wait that ends too early would start again.
    private static func milliseconds(until deadline: ContinuousClock.Instant) -> CInt {
        let (seconds, attoseconds) = (deadline - .now).components
        if seconds < 0 || attoseconds < 0 { return 0 }
        // The loop continues after an hour.
        if seconds > 3_600 { return 3_600_000 }
        return CInt(seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }

    /// Reads what has arrived.
    ///
    /// - Returns: the number of bytes; 0 at the end; -1 with `errno`.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count =
            throughChannel { try $0.receive(into: buffer) } ?? recv(descriptor, buffer.baseAddress, buffer.count, 0)
        // Setting an option below may change it.
        let code = errno
        defer { errno = code }
        #if os(Linux)
        // The kernel resets it and delays acknowledgements again, which stalls pipelines by 40 ms.
        if count > 0 { Self.set(descriptor, CInt(IPPROTO_TCP), TCP_QUICKACK) }
        #endif
        return count
    }

    /// Writes what the kernel accepts.
    ///
    /// - Returns: the number of bytes; -1 with `errno`.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        throughChannel { try $0.send(bytes) } ?? send(descriptor, bytes.baseAddress, bytes.count, Self.sendFlags)
    }

    // Without SOCK_CLOEXEC, a process started by another thread could inherit the descriptor.
    #if canImport(Darwin)
    private static let streamType = SOCK_STREAM
    private static let typeFlags: CInt = 0
    // The option SO_NOSIGPIPE is set.
    private static let sendFlags: CInt = 0
    #elseif canImport(Glibc)
    private static let streamType = CInt(SOCK_STREAM.rawValue)
    private static let typeFlags = CInt(SOCK_CLOEXEC.rawValue)
    private static let sendFlags = CInt(MSG_NOSIGNAL)
    #else
    private static let streamType = CInt(SOCK_STREAM)
    private static let typeFlags = CInt(SOCK_CLOEXEC)
    private static let sendFlags = CInt(MSG_NOSIGNAL)
    #endif

    /// Sets an option. Without it, a connection works, but slowly.
    private static func set(_ descriptor: CInt, _ level: CInt, _ option: CInt) {
        var one: CInt = 1
        _ = setsockopt(descriptor, level, option, &one, socklen_t(MemoryLayout<CInt>.size))
    }

    static func text(of code: CInt) -> String { String(cString: strerror(code)) }
}

extension NodeSocket {
    /// Connects to a node.
    ///
    /// - Throws: `unreachable` or `timedOut`.
    static func connected(
        to address: NodeAddress, deadline: ContinuousClock.Instant
    ) throws(WireError) -> NodeSocket {
        var hints = addrinfo()
        hints.ai_socktype = streamType
        hints.ai_flags = AI_NUMERICSERV
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(address.host, String(address.port), &hints, &first)
        guard code == 0 else {
            throw .unreachable("the host of \(address) has no IP address: \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(first) }
        var failure = WireError.unreachable("the host of \(address) has no IP address")
        var next = first
        while let info = next?.pointee {
            do throws(WireError) { return try connected(info, address, deadline) } catch { failure = error }
            if failure == .timedOut { break }
            next = info.ai_next
        }
        throw failure
    }

    private static func connected(
        _ info: addrinfo, _ address: NodeAddress, _ deadline: ContinuousClock.Instant
    ) throws(WireError) -> NodeSocket {
        let descriptor = socket(info.ai_family, info.ai_socktype | typeFlags, info.ai_protocol)
        guard descriptor >= 0 else { throw unreachable(address, errno) }
        // Closes the descriptor if it throws.
        let result = NodeSocket(descriptor)
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
            throw unreachable(address, errno)
        }
        set(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY)
        #if canImport(Darwin)
        set(descriptor, SOL_SOCKET, SO_NOSIGPIPE)
        #endif
        let code = connect(descriptor, info.ai_addr, info.ai_addrlen)
        if code != 0 {
            // An interrupted attempt also continues.
            guard errno == EINPROGRESS || errno == EINTR else { throw unreachable(address, errno) }
            _ = try result.wait(for: Int32(POLLOUT), until: deadline)
            var outcome: CInt = 0
            var size = socklen_t(MemoryLayout<CInt>.size)
            guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &outcome, &size) == 0 else {
                throw unreachable(address, errno)
            }
            guard outcome == 0 else { throw unreachable(address, outcome) }
        }
        // If nothing listens on a port that the system may also assign to clients, a socket can connect to itself.
        if result.name(getsockname) == result.name(getpeername) { throw unreachable(address, ECONNREFUSED) }
        return result
    }

    /// The bytes of one of the two addresses of the connection.
    private func name(
        _ get: (CInt, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
    ) -> [UInt8] {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            let code = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { get(descriptor, $0, &size) }
            return code == 0 ? Array(UnsafeRawBufferPointer(start: pointer, count: Int(size))) : []
        }
    }

    private static func unreachable(_ address: NodeAddress, _ code: CInt) -> WireError {
        .unreachable("the node \(address) can't be reached: \(text(of: code))")
    }
}
