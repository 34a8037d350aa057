// A TCP relay in the test process, which can cut, freeze and delay the connections through it. One thread polls all
// sockets of a relay.

import Foundation
import Rowan

@testable import RowanCluster

/// Accepts connections at one address, and forwards their bytes to and from another address.
final class Relay: Sendable {
    enum State: Sendable, Equatable {
        case open
        /// Existing and new connections are closed.
        case cut
        /// Connections stay open, and new ones are accepted, but nothing is forwarded until the relay is open again.
        case frozen
        /// Each byte is delayed by this duration, in both directions.
        case delayed(Duration)
    }

    private struct Shared {
        var state = State.open
        var isStopped = false
    }

    private let shared = Mutex(Shared())
    private let wake: (read: CInt, write: CInt)
    private let ended = DispatchSemaphore(value: 0)

    var state: State {
        get { shared.withLock(\.state) }
        set {
            shared.withLock { $0.state = newValue }
            notify()
        }
    }

    /// - Throws: `NodeProcess.Failure` if the address is taken.
    init(from address: NodeAddress, to target: NodeAddress) throws {
        let listener = try Listener(address)
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else {
            listener.close()
            throw NodeProcess.Failure(description: "can't make a pipe")
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        // Nothing fails from here on: after an error, `deinit` would wait for a thread that doesn't exist.
        wake = (ends[0], ends[1])
        let thread = Thread { [shared, wake, ended] in
            var loop = RelayLoop(listener: listener, target: target, wake: wake.read)
            while true {
                let (state, isStopped) = shared.withLock { ($0.state, $0.isStopped) }
                if isStopped { break }
                loop.turn(state)
            }
            loop.close()
            ended.signal()
        }
        thread.start()
    }

    deinit {
        stop()
        for end in [wake.read, wake.write] { close(end) }
    }

    /// Closes all connections, and waits until the thread has finished.
    func stop() {
        let wasStopped = shared.withLock { shared in
            defer { shared.isStopped = true }
            return shared.isStopped
        }
        guard !wasStopped else { return }
        notify()
        ended.wait()
    }

    private func notify() {
        var byte: UInt8 = 0
        // If the pipe is full, the thread wakes anyway.
        _ = write(wake.write, &byte, 1)
    }
}

/// A socket that accepts connections.
struct Listener {
    let descriptor: CInt

    /// - Throws: `NodeProcess.Failure` if the address is taken.
    init(_ address: NodeAddress) throws {
        descriptor = try newSocket()
        var one: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<CInt>.size))
        guard try withSocketAddress(address, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 64) == 0 else {
            let reason = String(cString: strerror(errno))
            close()
            throw NodeProcess.Failure(description: "can't listen on \(address): \(reason)")
        }
    }

    func close() { _ = Foundation.close(descriptor) }
}

/// A non-blocking TCP socket that children don't inherit.
func newSocket() throws -> CInt {
    #if canImport(Glibc)
    let type = CInt(SOCK_STREAM.rawValue)
    #elseif canImport(Darwin) || canImport(Musl) || canImport(Android)
    let type = CInt(SOCK_STREAM)
    #endif
    let descriptor = socket(AF_INET, type, 0)
    guard descriptor >= 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0
    else {
        throw NodeProcess.Failure(description: "can't open a socket: \(String(cString: strerror(errno)))")
    }
    return descriptor
}

/// Calls a closure with the C form of an IPv4 address.
func withSocketAddress<Result>(
    _ address: NodeAddress, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) throws -> Result {
    var value = sockaddr_in()
    value.sin_family = sa_family_t(AF_INET)
    value.sin_port = address.port.bigEndian
    guard inet_pton(AF_INET, address.host, &value.sin_addr) == 1 else {
        throw NodeProcess.Failure(description: "\(address) has no IPv4 address")
    }
    return withUnsafePointer(to: value) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
}
