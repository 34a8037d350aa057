// Addresses in the form of the system. dqlite itself supports only numeric IPv4 addresses, so names are resolved here
// for binding and connecting.

import Glibc
import RowanCluster

extension NodeAddress {
    /// - Throws: a `Failure` if the text isn't an address.
    static func parse(_ text: String) throws(Failure) -> NodeAddress {
        do { return try NodeAddress(text) } catch { throw .usage("\(error)") }
    }

    /// The addresses that the host resolves to.
    ///
    /// - Throws: a `Failure` if it is unknown.
    func resolved() throws(Failure) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &first)
        guard code == 0 else { throw Failure("can't resolve '\(host)': \(String(cString: gai_strerror(code)))") }
        defer { freeaddrinfo(first) }
        return sequence(first: first, next: { $0?.pointee.ai_next }).compactMap { $0.flatMap(SocketAddress.init) }
    }

    /// Whether only programs on this machine can reach the address.
    ///
    /// - Throws: a `Failure` if the host is unknown.
    func isLoopback() throws(Failure) -> Bool { try resolved().allSatisfy(\.isLoopback) }

    /// The numeric address, which dqlite can bind.
    ///
    /// - Throws: a `Failure` if the host is unknown or has no IPv4 address.
    func numeric() throws(Failure) -> String {
        guard let text = try resolved().lazy.compactMap(\.ipv4).first else {
            throw Failure("can't listen on \(self): dqlite listens on IPv4 addresses only; pass one as --bind")
        }
        return "\(text):\(port)"
    }
}

/// An address in the form of the system.
struct SocketAddress: Sendable {
    private var storage = sockaddr_storage()
    private let length: socklen_t

    init?(_ info: UnsafeMutablePointer<addrinfo>) {
        length = info.pointee.ai_addrlen
        guard let address = info.pointee.ai_addr, Int(length) <= MemoryLayout<sockaddr_storage>.size else { return nil }
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(length)))
        }
    }

    var family: Int32 { Int32(storage.ss_family) }

    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        // A `sockaddr_storage` holds any `sockaddr`.
        withUnsafeBytes(of: storage) { body($0.baseAddress!.assumingMemoryBound(to: sockaddr.self), length) }
    }

    var isLoopback: Bool {
        withSockaddr { address, _ in
            let bytes = UnsafeRawPointer(address)
            switch family {
            case AF_INET:
                return bytes.load(as: sockaddr_in.self).sin_addr.s_addr.bigEndian >> 24 == 127
            case AF_INET6:
                let address = withUnsafeBytes(of: bytes.load(as: sockaddr_in6.self).sin6_addr) { Array($0) }
                return address.dropLast().allSatisfy { $0 == 0 } && address.last == 1
            default:
                return false
            }
        }
    }

    /// The IPv4 address in numeric form.
    var ipv4: String? {
        guard family == AF_INET else { return nil }
        return withSockaddr { address, _ in
            let bits = UnsafeRawPointer(address).load(as: sockaddr_in.self).sin_addr.s_addr.bigEndian
            return "\(bits >> 24).\(bits >> 16 & 255).\(bits >> 8 & 255).\(bits & 255)"
        }
    }
}
