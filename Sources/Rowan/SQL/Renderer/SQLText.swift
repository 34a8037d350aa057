// The buffer that the renderer writes to. A query has about fifty parts: appending a part to a String takes ten times
// as long as copying its bytes, and appending it to an array three times as long (benchmark request-build).

/// A buffer of SQL text.
package struct SQLText {
    /// The bytes, shared by copies of the text.
    private final class Bytes {
        @exclusivity(unchecked) var start: UnsafeMutablePointer<UInt8>
        @exclusivity(unchecked) var count = 0
        @exclusivity(unchecked) private var capacity: Int

        init(capacity: Int) {
            self.capacity = capacity
            start = .allocate(capacity: capacity)
        }

        deinit { start.deallocate() }

        /// Removes the bytes. Their memory is reused, unless it is unusually large.
        func removeAll() {
            count = 0
            guard capacity > 1 << 16 else { return }
            start.deallocate()
            capacity = 1 << 10
            start = .allocate(capacity: capacity)
        }

        /// Reserves memory for more bytes.
        @inline(__always)
        func reserve(_ more: Int) -> UnsafeMutablePointer<UInt8> {
            if capacity - count < more { grow(more) }
            return start + count
        }

        private func grow(_ more: Int) {
            capacity = max(capacity * 2, count + more)
            let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
            larger.update(from: start, count: count)
            start.deallocate()
            start = larger
        }
    }

    private let bytes: Bytes

    package init(capacity: Int = 1 << 10) { bytes = Bytes(capacity: capacity) }

    package mutating func removeAll() { bytes.removeAll() }

    @inline(__always)
    package static func += (text: inout SQLText, part: String) {
        part.withBytes { utf8 in
            guard let start = utf8.baseAddress else { return }
            text.bytes.reserve(utf8.count).update(from: start, count: utf8.count)
            text.bytes.count += utf8.count
        }
    }

    /// Appends a number in decimal digits.
    mutating func append(decimal number: Int) {
        guard 0..<10_000 ~= number else { return self += String(number) }
        var divisor = number < 10 ? 1 : number < 100 ? 10 : number < 1_000 ? 100 : 1_000
        while divisor > 0 {
            bytes.reserve(1).pointee = UInt8(ascii: "0") + UInt8(number / divisor % 10)
            bytes.count += 1
            divisor /= 10
        }
    }

    /// Appends a name in double quotes, doubling the quotes it contains.
    @inline(never)
    mutating func append(identifier: String) {
        identifier.withBytes { name in
            let quote = UInt8(ascii: "\"")
            var next = bytes.reserve(2 * name.count + 2)
            next.pointee = quote
            next += 1
            for byte in name {
                next.pointee = byte
                next += 1
                guard byte == quote else { continue }
                next.pointee = quote
                next += 1
            }
            next.pointee = quote
            bytes.count = next + 1 - bytes.start
        }
    }

    /// Calls the closure with the text.
    package func withUTF8<Result: ~Copyable>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        try body(UnsafeBufferPointer(start: bytes.start, count: bytes.count))
    }

    var string: String { withUTF8 { String(decoding: $0, as: UTF8.self) } }
}
