// A client of server-sent events, which uses a socket, so that a test can disconnect at any time.

import Foundation

/// A connection to a server on this machine, with a request for a path.
final class EventClient: Sendable {
    private let socket: Int32

    struct NoConnection: Error {}

    /// Requests the events.
    convenience init(port: Int, lastEventID: Int? = nil) throws {
        let field = lastEventID.map { "Last-Event-ID: \($0)\r\n" } ?? ""
        try self.init(port: port, request: "GET /events HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n")
    }

    init(port: Int, request: String) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // The socket exists, so `deinit` runs and closes it. Closing it here too could close a file opened in the
        // meantime.
        guard code == 0 else { throw NoConnection() }
        var timeout = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        _ = request.withCString { send(socket, $0, strlen($0), 0) }
    }

    deinit { close(socket) }

    /// Disconnects, like a browser that is closed.
    func leave() { shutdown(socket, Int32(SHUT_RDWR)) }

    /// Reads until the text is found. Blocks its thread for at most a minute.
    ///
    /// - Returns: the received text; without the expected text if the server has closed the connection.
    func read(until text: String) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [socket] in
                var bytes: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 4096)
                while !String(decoding: bytes, as: UTF8.self).contains(text) {
                    let count = recv(socket, &buffer, buffer.count, 0)
                    guard count > 0 else { break }
                    bytes += buffer[..<count]
                }
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }
        }
    }

    /// Reads until the server closes the connection.
    func readToEnd() async -> String { await read(until: "\u{0}") }
}
