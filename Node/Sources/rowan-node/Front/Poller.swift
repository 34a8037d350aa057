// The system's interface for waiting for many sockets, and the socket of dqlite.

import CPoller
import Glibc

/// Events of a socket.
struct SocketEvents: OptionSet {
    let rawValue: UInt32

    static let readable = SocketEvents(rawValue: poller_readable)
    static let writable = SocketEvents(rawValue: poller_writable)
    /// The other side sends nothing any more.
    static let ended = SocketEvents(rawValue: poller_ended)
    /// It is disconnected. The system reports it in any case.
    static let failed = SocketEvents(rawValue: poller_failed)
}

/// Waits until one of many sockets is ready.
struct Poller {
    private let descriptor: Int32

    /// - Throws: a `Failure` if the system has no more descriptors.
    init() throws(Failure) {
        descriptor = poller_create()
        guard descriptor >= 0 else { throw .system("wait for sockets") }
    }

    /// Closing a socket removes it.
    ///
    /// - Returns: false if the system watches too many sockets.
    func add(_ socket: Int32, tag: UInt64, events: SocketEvents) -> Bool {
        poller_add(descriptor, socket, tag, events.rawValue) == 0
    }

    /// Changes the events of a socket that has been added, which can't fail.
    func modify(_ socket: Int32, tag: UInt64, events: SocketEvents) {
        let code = poller_modify(descriptor, socket, tag, events.rawValue)
        precondition(code == 0, "epoll_ctl failed with the code \(errno)")
    }

    /// - Parameters:
    ///   - milliseconds: the longest time to wait; -1 for no limit.
    ///   - body: called with the tag and the events of each socket that is ready.
    /// - Returns: whether more sockets may be ready: the wait was interrupted, or there were many.
    func wait(milliseconds: Int32, _ body: (UInt64, SocketEvents) -> Void) -> Bool {
        withUnsafeTemporaryAllocation(of: poller_event.self, capacity: 64) { events in
            // A negative number is an interruption by a signal.
            let count = poller_wait(descriptor, events.baseAddress, milliseconds)
            for event in events.prefix(max(0, Int(count))) { body(event.tag, SocketEvents(rawValue: event.events)) }
            return count < 0 || count == events.count
        }
    }
}

/// The socket on which dqlite listens. It only accepts connections of its own process.
struct DqliteSocket {
    private var address = sockaddr_un()
    private let length: socklen_t

    private static let bufferSize: Int32 = 4 << 20

    /// - Parameter name: of a socket in the abstract namespace, without the NUL in front of it.
    init(name: String) {
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = [0] + Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes.prefix($0.count)) }
        length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    }

    /// - Returns: a connected socket; nil while too many connections wait for dqlite to accept them.
    func connect() -> Int32? {
        let types = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, types, 0)
        guard descriptor >= 0 else { return nil }
        let code = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, length) }
        }
        guard code == 0 else {
            close(descriptor)
            return nil
        }
        Self.enlarge(descriptor)
        return descriptor
    }

    /// Large commits then need fewer turns of both threads. Beyond its limit, the system asks for a privilege.
    static func enlarge(_ descriptor: Int32) {
        if setOption(descriptor, Int(SOL_SOCKET), SO_SNDBUFFORCE, bufferSize) != 0 {
            setOption(descriptor, Int(SOL_SOCKET), SO_SNDBUF, bufferSize)
        }
    }
}
