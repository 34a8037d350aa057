// Reads the fields of a response, in place. Each read first checks the bounds, because the bytes come from the network.

import RowanPlatform

/// Reads words, text and blobs.
struct WireReader {
    private let start: UnsafeRawPointer
    /// The start of the next field and the end of the fields.
    private(set) var offset: Int
    let end: Int

    /// - Parameters:
    ///   - start: the address from which offsets count; valid while the reader exists.
    ///   - range: whole words.
    init(_ start: UnsafeRawPointer, _ range: Range<Int>) {
        precondition(range.count % 8 == 0)
        self.start = start
        offset = range.lowerBound
        end = range.upperBound
    }

    @inline(__always) var isAtEnd: Bool { offset == end }

    /// Reads an eight-byte number.
    @inline(__always)
    mutating func word() throws(WireError) -> UInt64 {
        guard end &- offset >= 8 else { throw Self.truncated }
        defer { offset &+= 8 }
        return UInt64(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Reads the number of elements that follow.
    ///
    /// - Parameter size: the minimum number of words of an element.
    mutating func count(ofSize size: Int) throws(WireError) -> Int {
        guard let count = Int(exactly: try word()), count <= (end - offset) / (8 * size) else { throw Self.truncated }
        return count
    }

    /// Reads the bytes of text, without its terminating NUL.
    @inline(__always)
    mutating func text() throws(WireError) -> UnsafeRawBufferPointer {
        let first = offset
        while end &- offset >= 8 {
            let word = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            let zeros = Self.zeroBytes(of: word)
            offset &+= 8
            if zeros != 0 {
                let count = offset &- 8 &+ zeros.trailingZeroBitCount / 8 &- first
                return UnsafeRawBufferPointer(start: start + first, count: count)
            }
        }
        throw Self.truncated
    }

    /// The highest bit of the lowest zero byte, and possibly of others above it; 0 without such a byte.
    @inline(__always)
    private static func zeroBytes(of word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
    }

    /// The number of unread words.
    var wordCount: Int { (end - offset) / 8 }

    /// Whether one of the unread words contains a zero byte.
    func hasZeroByte(atWord index: Int) -> Bool {
        precondition((0..<wordCount).contains(index))
        return Self.zeroBytes(of: start.loadUnaligned(fromByteOffset: offset + 8 * index, as: UInt64.self)) != 0
    }

    mutating func string() throws(WireError) -> String { String(decoding: try text(), as: UTF8.self) }

    /// Reads the number of bytes, the bytes, and their padding.
    @inline(__always)
    mutating func blob() throws(WireError) -> UnsafeRawBufferPointer {
        let length = try word()
        guard length <= UInt64(end &- offset) else { throw Self.truncated }
        let bytes = UnsafeRawBufferPointer(start: start + offset, count: Int(length))
        // Only whole words are left, so the padding is included.
        offset &+= (Int(length) &+ 7) & ~7
        return bytes
    }

    /// Skips words.
    @inline(__always)
    mutating func skip(words: Int) throws(WireError) {
        guard words <= (end &- offset) / 8 else { throw Self.truncated }
        offset &+= 8 &* words
    }

    static var truncated: WireError { .malformed("a response is shorter than its contents") }
}
