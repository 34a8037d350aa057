// A server for one connection, on its own thread: what a node does to a connection, seen from the outside.

import Foundation
import Rowan
import RowanCluster

/// Listens on a loopback port and runs a closure with the first connection.
final class LoopbackServer: Sendable {
    let address: NodeAddress
    private let finished = DispatchSemaphore(value: 0)

    /// - Parameter serve: runs on the server's thread; the connection closes when it returns.
    init(_ serve: @escaping @Sendable (Peer) -> Void) throws {
        let (listener, address) = try Peer.bound()
        precondition(listen(listener.descriptor, 8) == 0)
        self.address = address
        Thread.detachNewThread { [finished] in
            let connection = accept(listener.descriptor, nil, nil)
            if connection >= 0 {
                let peer = Peer(connection)
                // The version of the protocol.
                if peer.read(8) == words(1) { serve(peer) }
                peer.shut()
            }
            finished.signal()
        }
    }

    /// Waits until the closure has finished.
    func wait() -> Bool { finished.wait(timeout: .now() + 20) == .success }
}

/// The server's end of a connection, with blocking calls.
final class Peer: Sendable {
    let descriptor: CInt

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// A socket bound to a loopback port, on which it does not listen.
    static func bound() throws -> (Peer, NodeAddress) {
        #if canImport(Glibc)
        let type = CInt(SOCK_STREAM.rawValue)
        #elseif canImport(Darwin) || canImport(Musl) || canImport(Android)
        let type = CInt(SOCK_STREAM)
        #endif
        var local = sockaddr_in()
        local.sin_family = sa_family_t(AF_INET)
        local.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let descriptor = socket(AF_INET, type, 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &local) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, size) + getsockname(descriptor, pointer, &size)
            }
        }
        precondition(descriptor >= 0 && code == 0, "no port of the loopback interface")
        return (Peer(descriptor), try NodeAddress("127.0.0.1:\(UInt16(bigEndian: local.sin_port))"))
    }

    /// Reads bytes; fewer if the connection ends.
    func read(_ count: Int) -> [UInt8] {
        var bytes = Array(repeating: UInt8(0), count: count)
        var done = 0
        while done < count {
            let result = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress! + done, count - done, 0) }
            if result <= 0 { break }
            done += result
        }
        return Array(bytes[..<done])
    }

    /// Reads a request.
    func readFrame() -> [UInt8]? {
        let header = read(8)
        guard header.count == 8 else { return nil }
        let size = (0..<4).reduce(0) { $0 | Int(header[$1]) << (8 * $1) }
        let body = read(8 * size)
        return body.count == 8 * size ? header + body : nil
    }

    /// Writes all bytes.
    ///
    /// - Returns: whether the other end is still open.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        var done = 0
        while done < bytes.count {
            let result = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress! + done, bytes.count - done, Self.sendFlags)
            }
            if result <= 0 { return false }
            done += result
        }
        return true
    }

    /// Closes the connection, so that the other end reads its end.
    func shut() { _ = shutdown(descriptor, CInt(SHUT_RDWR)) }

    /// Resets the connection, so that the other end reads an error.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        var unspecified = sockaddr()
        unspecified.sa_family = sa_family_t(AF_UNSPEC)
        // Connecting to no address resets the connection but keeps the descriptor.
        _ = connect(descriptor, &unspecified, socklen_t(MemoryLayout<sockaddr>.size))
    }

    #if canImport(Darwin)
    private static let sendFlags: CInt = 0
    #else
    private static let sendFlags = CInt(MSG_NOSIGNAL)
    #endif
}
