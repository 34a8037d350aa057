// The texts and blobs of a statement's parameters, copied one after the other into one block, where SQLite reads them in
// place. The block is used again for each statement (benchmark insert-place-record).

/// Memory for the texts and blobs of running statements.
@usableFromInline
package final class BindingBuffer {
    @exclusivity(unchecked) private var start: UnsafeMutablePointer<UInt8>
    @exclusivity(unchecked) private var capacity: Int
    @exclusivity(unchecked) private var count = 0
    /// Full blocks, in which running statements still read.
    @exclusivity(unchecked) private var fullBlocks: [UnsafeMutablePointer<UInt8>] = []
    /// The number of statements that read from this buffer: a function that a statement calls may run another one.
    @exclusivity(unchecked) private var depth = 0

    private static let smallestCapacity = 4_096
    /// A larger block is not kept.
    private static let largestCapacity = 1 << 20

    package init() {
        capacity = Self.smallestCapacity
        start = .allocate(capacity: capacity)
    }

    deinit {
        start.deallocate()
        for block in fullBlocks { block.deallocate() }
    }

    /// Copies bytes, and returns their new place, which is valid to the end of the statement.
    @usableFromInline
    func append(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutablePointer<UInt8> {
        let place = reserve(bytes.count)
        if let source = bytes.baseAddress {
            place.update(from: source.assumingMemoryBound(to: UInt8.self), count: bytes.count)
        }
        return place
    }

    /// Room for bytes that the caller writes.
    @usableFromInline
    func reserve(_ length: Int) -> UnsafeMutablePointer<UInt8> {
        if capacity &- count < length { addBlock(length) }
        let place = start + count
        count += length
        return place
    }

    private func addBlock(_ length: Int) {
        fullBlocks.append(start)
        capacity = max(2 * capacity, length)
        start = .allocate(capacity: capacity)
        count = 0
    }

    /// Starts a statement. Returns what `end` needs.
    package func begin() -> Int {
        depth += 1
        return count
    }

    /// Ends the statement that started last.
    ///
    /// - Returns: whether memory was released, to which the statement must not point any more.
    package func end(_ begun: Int) -> Bool {
        depth -= 1
        guard depth == 0 else {
            // The block of the outer statement is full, or it ends where the inner one began.
            if fullBlocks.isEmpty { count = begun }
            return false
        }
        count = 0
        guard !fullBlocks.isEmpty || capacity > Self.largestCapacity else { return false }
        for block in fullBlocks { block.deallocate() }
        fullBlocks = []
        if capacity > Self.largestCapacity {
            start.deallocate()
            capacity = Self.smallestCapacity
            start = .allocate(capacity: capacity)
        }
        return true
    }
}
