// The bytes that have arrived and the frames in them. Parts of rows are decoded in place: a part shares the memory, and
// only unshared memory is reused.

import RowanPlatform

/// Memory for received bytes.
final class FrameMemory {
    let start: UnsafeMutableRawPointer
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        start = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit { start.deallocate() }
}

/// Received bytes, as a sequence of frames.
package struct FrameBuffer {
    private var memory: FrameMemory
    /// The bytes that are not part of a returned frame.
    private var range = 0..<0

    private static let smallestCapacity = 1 << 16
    /// An empty buffer does not keep more memory.
    private static let largestKeptCapacity = 1 << 20
    /// The largest frame. A larger size isn't a size but the bytes of another protocol.
    package static let largestFrame = 1 << 30
    /// The largest frame that is expected now. A larger one is rejected before its bytes arrive.
    package var maximumFrame = FrameBuffer.largestFrame

    package init() { memory = FrameMemory(capacity: Self.smallestCapacity) }

    package var isEmpty: Bool { range.isEmpty }

    /// The size of the first frame, including its header, if the header has arrived.
    private func frameSize() throws(WireError) -> Int? {
        guard range.count >= 8 else { return nil }
        let words = UInt32(littleEndian: memory.start.loadUnaligned(fromByteOffset: range.lowerBound, as: UInt32.self))
        guard words <= (min(maximumFrame, Self.largestFrame) - 8) / 8 else {
            throw .malformed("a response of \(8 * UInt64(words)) bytes is too large")
        }
        return 8 + 8 * Int(words)
    }

    /// Removes the next frame; nil if it has not arrived completely.
    package mutating func next() throws(WireError) -> Response? {
        guard let size = try frameSize(), size <= range.count else { return nil }
        let first = range.lowerBound
        let type = memory.start.load(fromByteOffset: first + 4, as: UInt8.self)
        let schema = memory.start.load(fromByteOffset: first + 5, as: UInt8.self)
        range = (first + size)..<range.upperBound
        guard schema == 0 else { throw .malformed("the responses of type \(type) have the unknown schema \(schema)") }
        return try Response(type: type, memory, (first + 8)..<(first + size))
    }

    /// Receives bytes after those that have already arrived.
    ///
    /// - Parameter receive: fills memory and returns the number of bytes written, or a number below 1.
    /// - Returns: the result of the closure.
    package mutating func fill(_ receive: (UnsafeMutableRawBufferPointer) -> Int) throws(WireError) -> Int {
        try makeRoom()
        let room = UnsafeMutableRawBufferPointer(
            start: memory.start + range.upperBound, count: memory.capacity - range.upperBound)
        let count = receive(room)
        precondition(count <= room.count)
        if count > 0 { range = range.lowerBound..<(range.upperBound + count) }
        return count
    }

    private mutating func makeRoom() throws(WireError) {
        let needed = max(try frameSize() ?? 0, range.count + 1)
        // Large memory is kept while a large frame needs it.
        let isKept = memory.capacity <= Self.largestKeptCapacity || needed > memory.capacity / 2
        if isKept, range.isEmpty, isKnownUniquelyReferenced(&memory) {
            range = 0..<0
            return
        }
        // Parts end before the free memory at the end.
        if isKept, range.lowerBound + needed <= memory.capacity { return }
        if isKept, needed <= memory.capacity, isKnownUniquelyReferenced(&memory) {
            memory.start.copyMemory(from: memory.start + range.lowerBound, byteCount: range.count)
        } else {
            let old = memory
            // At least half is free: on average, bytes are copied once.
            memory = FrameMemory(capacity: max(Self.smallestCapacity, needed, 2 * range.count))
            memory.start.copyMemory(from: old.start + range.lowerBound, byteCount: range.count)
        }
        range = 0..<range.count
    }

    /// The size of the memory in use.
    package var capacity: Int { memory.capacity }
}
