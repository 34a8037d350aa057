// The address of a node. Nodes use the same text form among themselves and in responses.

import RowanPlatform
import Rowan

/// The address of a node of a cluster: a host and a port.
///
/// ```swift
/// try NodeAddress("127.0.0.1:9001")
/// try NodeAddress("[::1]:9001")
/// try NodeAddress("node-1.internal:9001")
/// ```
///
/// A name is resolved for each new connection.
public struct NodeAddress: Hashable, Sendable {
    /// An IPv4 address, an IPv6 address without brackets, or a name.
    public let host: String

    /// The TCP port, from 1 to 65535.
    public let port: UInt16

    /// Parses an address: `host:port`, with an IPv6 address in brackets.
    ///
    /// - Throws: SQLITE_MISUSE if the text has another form.
    public init(_ text: String) throws {
        // An IPv6 address without brackets contains the separator: its last group would be read as the port.
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else {
            throw Self.refusal(text, "it has no port")
        }
        let portText = text[text.index(after: colon)...]
        guard portText.utf8.count <= 5, portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(portText), port > 0
        else { throw Self.refusal(text, "the port is not a number between 1 and 65535") }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard Self.isIPv6(host) else { throw Self.refusal(text, "there is no IPv6 address between the brackets") }
        } else {
            guard !host.utf8.contains(UInt8(ascii: ":")) else {
                throw Self.refusal(text, "an IPv6 address needs brackets")
            }
            guard Self.isName(host) else { throw Self.refusal(text, "its host is no IP address and no name") }
        }
        self.host = String(host)
        self.port = port
    }

    private static func refusal(_ text: String, _ reason: String) -> DatabaseError {
        let shown = text.utf8.count > 100 ? "\(text.prefix(100))…" : text
        return DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "\"\(shown)\" is not the address of a node: \(reason). "
                + "Write \"host:port\", for example \"127.0.0.1:9001\" or \"[::1]:9001\"")
    }

    private static func isIPv6(_ host: Substring) -> Bool {
        // A zone follows the address: fe80::1%eth0.
        let parts = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        var address = in6_addr()
        return inet_pton(AF_INET6, String(parts[0]), &address) == 1 && parts.dropFirst().allSatisfy(isName)
    }

    /// Whether a text is an IPv4 address or the name of a host.
    private static func isName(_ host: Substring) -> Bool {
        (1...253).contains(host.utf8.count)
            && host.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

extension NodeAddress: CustomStringConvertible {
    /// The text that the address was parsed from.
    public var description: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
