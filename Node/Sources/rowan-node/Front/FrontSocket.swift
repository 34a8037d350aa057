// A socket of the front, with or without TLS.

import Glibc
@_spi(Node) import RowanClusterTLS

/// A socket that does not block, and the bytes that it has not taken yet.
struct FrontSocket {
    let descriptor: Int32
    let tls: TLSSession?
    private(set) var queue = ByteQueue()
    /// Whether the end has arrived behind bytes. The system does not report that of TLS.
    private var hasEnded = false

    init(_ descriptor: Int32, tls: TLSSession? = nil) {
        self.descriptor = descriptor
        self.tls = tls
    }

    /// Whether bytes or the end have arrived that the system does not report.
    var hasMore: Bool { hasEnded || (tls?.hasBytes ?? false) }

    /// Reads what has arrived, as far as there is room.
    ///
    /// - Returns: the number of bytes; nil if the connection has ended.
    mutating func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        if hasEnded { return nil }
        var total = 0
        while total < buffer.count {
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[total...])
            guard let count = receiveOnce(into: room) else {
                hasEnded = true
                return total > 0 ? total : nil
            }
            guard count > 0 else { break }
            total += count
            // The poller reports further bytes of a plain socket, but not those that TLS has buffered.
            if tls == nil { break }
        }
        return total
    }

    /// - Returns: the number of bytes, possibly none; nil at the end.
    private func receiveOnce(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        if let tls {
            do {
                guard let count = try tls.receive(into: buffer) else { return 0 }
                return count > 0 ? count : nil
            } catch {
                // A peer that violates the protocol is disconnected like one that ends.
                return nil
            }
        }
        while true {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 { return count }
            if count == 0 { return nil }
            if errno == EAGAIN || errno == EWOULDBLOCK { return 0 }
            if errno != EINTR { return nil }
        }
    }

    /// Sends bytes, or keeps them until the socket takes them.
    ///
    /// - Returns: whether the socket is still connected.
    mutating func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard queue.isEmpty else {
            queue.append(bytes)
            return true
        }
        guard let count = write(bytes) else { return false }
        if count < bytes.count { queue.append(UnsafeRawBufferPointer(rebasing: bytes[count...])) }
        return true
    }

    /// Keeps bytes until the next ones are sent.
    mutating func keep(_ bytes: UnsafeRawBufferPointer) { queue.append(bytes) }

    /// Sends bytes that it has kept.
    ///
    /// - Returns: whether the socket is still connected.
    mutating func flush() -> Bool {
        guard !queue.isEmpty else { return true }
        guard let count = queue.withUnsafeBytes(write) else { return false }
        queue.removeFirst(count)
        return true
    }

    /// - Returns: the number of bytes that the socket has taken; nil if it is disconnected.
    private func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var total = 0
        while total < bytes.count {
            guard let count = writeOnce(UnsafeRawBufferPointer(rebasing: bytes[total...])) else { return nil }
            guard count > 0 else { break }
            total += count
        }
        return total
    }

    private func writeOnce(_ bytes: UnsafeRawBufferPointer) -> Int? {
        if let tls {
            do { return try tls.send(bytes) ?? 0 } catch { return nil }
        }
        while true {
            let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return count }
            if errno == EAGAIN || errno == EWOULDBLOCK { return 0 }
            if errno != EINTR { return nil }
        }
    }
}
