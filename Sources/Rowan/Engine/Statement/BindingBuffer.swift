// The texts and blobs of a statement's parameters, copied contiguously to where SQLite reads them in place. The memory
// is reused for each statement (benchmark insert-place-record).

/// Memory for the texts and blobs of running statements: a stack, because a function called by a statement may run
/// another statement.
@usableFromInline
package final class BindingBuffer {
    /// The block that is being filled.
    @exclusivity(unchecked) private var block: UnsafeMutableBufferPointer<UInt8>
    /// The number of bytes in use.
    @exclusivity(unchecked) private var count = 0
    /// The full blocks, and the number of bytes in use.
    @exclusivity(unchecked) private var fullBlocks: [(UnsafeMutableBufferPointer<UInt8>, count: Int)] = []

    /// The smallest block, which is kept between statements.
    private static let capacity = 1 << 14

    package init() { block = .allocate(capacity: Self.capacity) }

    deinit {
        for (block, _) in fullBlocks { block.deallocate() }
        block.deallocate()
    }

    /// Copies bytes and returns their new location, which is valid until the statement finishes.
    package func append(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
        if block.count &- count < bytes.count { addBlock(bytes.count) }
        // A block is never empty.
        let place = block.baseAddress.unsafelyUnwrapped + count
        if let source = bytes.baseAddress { place.update(from: source, count: bytes.count) }
        count &+= bytes.count
        return place
    }

    private func addBlock(_ length: Int) {
        fullBlocks.append((block, count))
        block = .allocate(capacity: max(2 * block.count, length))
        count = 0
    }

    /// The start of a statement's memory.
    package struct Mark {
        fileprivate let blockCount: Int
        fileprivate let count: Int
    }

    package var mark: Mark { Mark(blockCount: fullBlocks.count, count: count) }

    /// The number of bytes in use.
    package var byteCount: Int { fullBlocks.reduce(count) { $0 + $1.count } }

    /// Releases the memory of the statement that started last.
    ///
    /// - Returns: whether memory was released, to which the statement must no longer point.
    package func end(_ mark: Mark) -> Bool {
        let isReleased = fullBlocks.count > mark.blockCount
        while fullBlocks.count > mark.blockCount {
            block.deallocate()
            (block, count) = fullBlocks.removeLast()
        }
        count = mark.count
        return isReleased
    }
}
