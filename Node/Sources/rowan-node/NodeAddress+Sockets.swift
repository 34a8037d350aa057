// Addresses in the form of the system, for listening and connecting.

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

    /// - Returns: a socket that listens on it and does not block.
    /// - Throws: a `Failure` if the address can't be used.
    func listen() throws(Failure) -> Int32 {
        var last = Failure("can't listen on \(self)")
        for candidate in try resolved() {
            let types = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            let descriptor = socket(candidate.family, types, 0)
            if descriptor >= 0 {
                setOption(descriptor, Int(SOL_SOCKET), SO_REUSEADDR, 1)
                let code = candidate.withSockaddr { bind(descriptor, $0, $1) }
                if code == 0, Glibc.listen(descriptor, 1024) == 0 { return descriptor }
            }
            last = .system("listen on \(self)")
            if descriptor >= 0 { close(descriptor) }
        }
        throw last
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
}

extension SocketAddress {
    init(_ storage: sockaddr_storage, _ length: socklen_t) { (self.storage, self.length) = (storage, length) }
}

extension SocketAddress: CustomStringConvertible {
    /// The numeric address and the port.
    var description: String {
        var (host, port) = ([CChar](repeating: 0, count: 64), [CChar](repeating: 0, count: 8))
        let code = withSockaddr {
            getnameinfo(
                $0, $1, &host, socklen_t(host.count), &port, socklen_t(port.count), NI_NUMERICHOST | NI_NUMERICSERV)
        }
        guard code == 0 else { return "an unknown address" }
        func text(_ bytes: [CChar]) -> String {
            String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        return family == AF_INET6 ? "[\(text(host))]:\(text(port))" : "\(text(host)):\(text(port))"
    }
}
