// A buffer for text written in chunks, so that memory does not grow with the text. Bytes become a String only when a
// chunk is full, because appending each part to a String takes ten times as long as copying it.

import RowanSQLite
import RowanPlatform

/// A buffer of UTF-8 text, which passes its content to a stream whenever it is full.
package final class TextBuffer {
    /// The size of a chunk in bytes.
    package static let chunkSize = 1 << 16
    /// Leaves room for a value after a full chunk: a chunk usually ends at the end of a row.
    private static let capacity = 2 * chunkSize

    private let start: UnsafeMutablePointer<UInt8>
    @exclusivity(unchecked) private var count = 0
    @exclusivity(unchecked) private var flushedCount = 0
    private var stream: any TextOutputStream

    package init(_ stream: any TextOutputStream) {
        self.stream = stream
        start = .allocate(capacity: Self.capacity)
    }

    deinit { start.deallocate() }

    /// The total number of appended bytes.
    package var totalCount: Int { flushedCount + count }

    /// Whether a chunk is full.
    @inline(__always)
    package var isChunkFull: Bool { count >= Self.chunkSize }

    /// Passes the content to the stream, except for the first bytes of an incomplete character.
    @inline(never)  // A chunk is rarely full, and `room` is inlined into all parts.
    package func flush() { flush(count - incompleteCount) }

    /// Passes the entire content to the stream, even if its last character is incomplete.
    package func flushAll() { flush(count) }

    private func flush(_ length: Int) {
        guard length > 0 else { return }
        stream.write(String(decoding: UnsafeBufferPointer(start: start, count: length), as: UTF8.self))
        count -= length
        flushedCount += length
        start.update(from: start + length, count: count)
    }

    /// The number of bytes of a final character that may be incomplete, at most 3.
    private var incompleteCount: Int {
        var length = 0
        while length < min(3, count) {
            length += 1
            let byte = start[count - length]
            if byte < 0x80 { return 0 }
            guard byte >= 0xC0 else { continue }
            let expected = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
            return length < expected ? length : 0
        }
        return 0
    }

    /// Makes room for up to `chunkSize` bytes.
    @inline(__always)
    private func room(_ more: Int) -> UnsafeMutablePointer<UInt8> {
        if Self.capacity &- count < more { flush() }
        return start + count
    }

    // MARK: Parts

    @inline(__always)
    package func append(byte: UInt8) {
        room(1).pointee = byte
        count &+= 1
    }

    @inline(__always)
    package func append(literal text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    package func append(_ text: String) {
        text.withBytes { append($0) }
    }

    @inline(__always)
    package func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        guard bytes.count <= Self.chunkSize else { return appendPieces(bytes) }
        room(bytes.count).update(from: source, count: bytes.count)
        count &+= bytes.count
    }

    private func appendPieces(_ bytes: UnsafeBufferPointer<UInt8>) {
        var rest = bytes[...]
        while !rest.isEmpty {
            append(UnsafeBufferPointer(rebasing: rest.prefix(Self.chunkSize)))
            rest = rest.dropFirst(Self.chunkSize)
        }
    }

    /// Appends bytes, doubling each occurrence of one byte.
    package func append(_ bytes: UnsafeBufferPointer<UInt8>, doubling quote: UInt8) {
        guard let source = bytes.baseAddress else { return }
        var position = 0
        while let found = memchr(source + position, CInt(quote), bytes.count - position) {
            let end = UnsafeRawPointer(found) - UnsafeRawPointer(source) + 1
            append(UnsafeBufferPointer(rebasing: bytes[position..<end]))
            append(byte: quote)
            position = end
        }
        append(UnsafeBufferPointer(rebasing: bytes[position...]))
    }

    // MARK: Numbers

    /// Appends the decimal digits of an integer.
    package func append(_ integer: Int64) {
        if integer >= 0, integer < 10 { return append(byte: 0x30 &+ UInt8(truncatingIfNeeded: integer)) }
        // The digits are written from last to first at the end of the room, then moved to its start.
        let digits = room(20)
        var position = 20
        var value = integer.magnitude
        repeat {
            position &-= 1
            let quotient = value / 10
            digits[position] = 0x30 &+ UInt8(truncatingIfNeeded: value &- quotient &* 10)
            value = quotient
        } while value > 0
        if integer < 0 {
            position &-= 1
            digits[position] = 0x2D
        }
        let length = 20 &- position
        digits.update(from: digits + position, count: length)
        count &+= length
    }

    /// Appends a double as SQLite converts it to text, or with more digits if that text gives a different double.
    package func append(asText double: Double) {
        let size = 64
        room(size).withMemoryRebound(to: CChar.self, capacity: size) {
            rowan_double_text($0, CInt(size), double)
            if Double(String(cString: $0)) != double { rowan_double_long_text($0, CInt(size), double) }
            count &+= strlen($0)
        }
    }

    // MARK: Bytes as text

    /// Appends two hexadecimal digits for each byte.
    package func append(hexadecimal bytes: UnsafeBufferPointer<UInt8>) {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 &+ value : 0x41 &+ value &- 10 }
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeBufferPointer(rebasing: rest.prefix(Self.chunkSize / 2))
            var digits = room(2 * piece.count)
            for byte in piece {
                digits[0] = digit(byte >> 4)
                digits[1] = digit(byte & 0xF)
                digits += 2
            }
            count &+= 2 * piece.count
            rest = rest.dropFirst(piece.count)
        }
    }

    /// Appends bytes in Base64. <https://www.rfc-editor.org/rfc/rfc4648#section-4>
    package func append(base64 bytes: UnsafeBufferPointer<UInt8>) {
        var rest = bytes[...]
        while !rest.isEmpty {
            // Pieces consist of whole groups of three bytes, so only the last one is padded.
            let piece = UnsafeBufferPointer(rebasing: rest.prefix(3 * 4096))
            append(Data(buffer: piece).base64EncodedString())
            rest = rest.dropFirst(piece.count)
        }
    }
}
