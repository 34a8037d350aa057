// A client of server-sent events: a socket, so that a test can leave at any moment.

import Foundation

/// A connection to a server on this machine, which has asked for a path.
final class EventClient: Sendable {
    private let socket: Int32

    struct NoConnection: Error {}

    /// Asks for the events.
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
        // The socket exists, so that `deinit` runs and closes it. A second close could hit a file that is opened meanwhile.
        guard code == 0 else { throw NoConnection() }
        var timeout = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        _ = request.withCString { send(socket, $0, strlen($0), 0) }
    }

    deinit { close(socket) }

    /// Ends the connection, as a browser that is closed.
    func leave() { shutdown(socket, Int32(SHUT_RDWR)) }

    /// Reads until the text is there. It blocks its thread for a minute at most.
    ///
    /// - Returns: what was read; without the text if the server has ended the connection.
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

    /// Reads until the server ends the connection.
    func readToEnd() async -> String { await read(until: "\u{0}") }
}
