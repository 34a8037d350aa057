// The texts and blobs of a statement's parameters, copied one after the other, where SQLite reads them in place. The memory
// is used again for each statement (benchmark insert-place-record).

/// Memory for the texts and blobs of running statements: a stack, because a function that a statement calls may run another
/// one.
@usableFromInline
package final class BindingBuffer {
    /// The block that is being filled.
    @exclusivity(unchecked) private var block: UnsafeMutableBufferPointer<UInt8>
    /// The number of its bytes that are in use.
    @exclusivity(unchecked) private var count = 0
    /// The blocks that were full, and the number of their bytes that are in use.
    @exclusivity(unchecked) private var fullBlocks: [(UnsafeMutableBufferPointer<UInt8>, count: Int)] = []

    /// The smallest block, which is kept between statements.
    private static let capacity = 1 << 14

    package init() { block = .allocate(capacity: Self.capacity) }

    deinit {
        for (block, _) in fullBlocks { block.deallocate() }
        block.deallocate()
    }

    /// Copies bytes, and returns their new place, which is valid to the end of the statement.
    func append(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
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

    /// Where a statement begins.
    package struct Mark {
        fileprivate let blockCount: Int
        fileprivate let count: Int
    }

    package var mark: Mark { Mark(blockCount: fullBlocks.count, count: count) }

    /// Ends the statement that began last.
    ///
    /// - Returns: whether memory was released, to which the statement must not point any more.
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
