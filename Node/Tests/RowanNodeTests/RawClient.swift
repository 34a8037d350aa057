// A client that sends any bytes.

import Foundation
import RowanCluster
import RowanClusterTLS
import Testing

/// A connection to a node, which sends bytes as they are given.
final class RawClient {
    private let descriptor: Int32
    private let channel: (any ClusterChannel)?
    private var received: [UInt8] = []

    /// - Parameter greets: whether it sends the version of the protocol.
    init(_ address: String, greets: Bool = true, tls: ClusterTLS? = nil) throws {
        let parts = address.split(separator: ":")
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = try #require(UInt16(parts[1])).bigEndian
        target.sin_addr.s_addr = inet_addr(String(parts[0]))
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        let code = withUnsafePointer(to: &target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        self.descriptor = descriptor
        channel = try tls?.channel(over: descriptor, to: String(parts[0]))
        try #require(code == 0, "it does not listen")
        // The socket blocks, so that nothing has to be waited for.
        let event = try channel?.handshake()
        #expect(event == nil)
        if greets { send(word(1)) }
    }

    deinit { close(descriptor) }

    /// A node that refuses a request may close the connection meanwhile.
    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                guard let channel else {
                    return Foundation.send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
                }
                return (try? channel.send(bytes)) ?? 0
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends bytes again and again, until the node takes no more for half a second.
    ///
    /// - Returns: the number of bytes that it has taken.
    func sendUntilFull(_ bytes: [UInt8], times: Int) -> Int {
        var total = 0
        for _ in 0..<times {
            var rest = bytes[...]
            while !rest.isEmpty {
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                guard poll(&entry, 1, 500) == 1 else { return total }
                let count = rest.withUnsafeBytes {
                    Foundation.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL | MSG_DONTWAIT))
                }
                guard count > 0 else { return total }
                total += count
                rest = rest.dropFirst(count)
            }
        }
        return total
    }

    /// The next response, which may have several parts; nil if the connection ends.
    func receive() -> (type: UInt8, body: [UInt8])? {
        while true {
            if received.count >= 8 {
                let size = 8 + 8 * Int(number(received[..<8]) & 0xffff_ffff)
                if received.count >= size {
                    defer { received.removeFirst(size) }
                    return (received[4], Array(received[8..<size]))
                }
            }
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = bytes.withUnsafeMutableBytes { buffer in
                guard let channel else { return read(descriptor, buffer.baseAddress, buffer.count) }
                // A failure is the end, too.
                return (try? channel.receive(into: buffer)) ?? 0
            }
            guard count > 0 else { return nil }
            received += bytes[..<count]
        }
    }

    /// All bytes until the connection ends.
    func receiveAll() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return received }
            received += bytes[..<count]
        }
    }

    func ask(_ type: UInt8, _ body: [UInt8]) -> (type: UInt8, body: [UInt8])? {
        send(request(type, body))
        return receive()
    }

    /// Whether the connection stays open and silent for a time, in seconds.
    func isSilent(for time: Double) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, Int32(time * 1000)) == 0
    }

    /// Opens a database.
    static func opened(_ address: String) throws -> RawClient {
        let client = try RawClient(address)
        #expect(client.ask(1, word(7))?.type == 2)
        #expect(client.ask(3, text("data") + word(0) + word(0))?.type == 4)
        return client
    }

    /// Runs SQL, and returns the message of its failure.
    func run(_ sql: String) -> String? { failure(ask(8, word(0) + text(sql))) }

    func failure(_ response: (type: UInt8, body: [UInt8])?) -> String? {
        guard let response else { return "the connection has ended" }
        guard response.type == 0 else { return nil }
        return String(decoding: response.body[8...].prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The first value of a query.
    func value(_ sql: String) -> UInt64? {
        guard let response = ask(9, word(0) + text(sql)), response.type == 7, response.body.count >= 32 else {
            return nil
        }
        // One column: its number, its name, the types of the row, and the value.
        return number(response.body[24..<32])
    }
}

func word(_ value: UInt64) -> [UInt8] { withUnsafeBytes(of: value.littleEndian, Array.init) }

func text(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8) + [0]
    return bytes + Array(repeating: 0, count: (8 - bytes.count % 8) % 8)
}

func request(_ type: UInt8, _ body: [UInt8], schema: UInt8 = 0, words: UInt32? = nil) -> [UInt8] {
    let count = UInt64(words ?? UInt32(body.count / 8))
    return word(count | UInt64(type) << 32 | UInt64(schema) << 40) + body
}

func number(_ bytes: some Collection<UInt8>) -> UInt64 {
    zip(bytes, 0..<8).reduce(0) { $0 | UInt64($1.0) << (8 * $1.1) }
}
