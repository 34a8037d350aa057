// Bytes on their way from one socket to another.

import Glibc

/// A queue of bytes.
struct ByteQueue {
    private var bytes: [UInt8] = []
    private var start = 0

    /// An empty queue does not keep more memory.
    private static let largestKeptCapacity = 1 << 16

    var count: Int { bytes.count - start }
    var isEmpty: Bool { start == bytes.count }

    mutating func append(_ more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }

    mutating func removeFirst(_ count: Int) {
        start += count
        if isEmpty {
            removeAll()
        } else if start >= 1 << 16, start > bytes.count / 2 {
            bytes.removeSubrange(..<start)
            start = 0
        }
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.largestKeptCapacity)
        start = 0
    }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }
}
