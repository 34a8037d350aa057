// A page of a b-tree. Each number of a damaged page may be wrong, so each is checked before it is used.
// Source: https://sqlite.org/fileformat2.html#b_tree_pages

/// A page of the b-tree of a table or an index.
struct TreePage {
    enum Kind: UInt8 {
        case indexInterior = 2
        case tableInterior = 5
        case indexLeaf = 10
        case tableLeaf = 13

        var isLeaf: Bool { self == .indexLeaf || self == .tableLeaf }
        var isTable: Bool { self == .tableInterior || self == .tableLeaf }
    }

    let number: UInt32
    let kind: Kind
    let bytes: [UInt8]
    private let usableSize: Int
    /// The index of the page's header. That of page 1 follows the header of the file.
    private let start: Int

    /// - Parameter isTable: what the page must belong to, if another page refers to it: a table or an index. A leaf whose
    ///   kind alone is damaged can then be read.
    /// - Returns: nil if this can't be such a page.
    init?(_ number: UInt32, _ bytes: [UInt8], usableSize: Int, isTable: Bool? = nil) {
        (self.number, self.bytes, self.usableSize) = (number, bytes, usableSize)
        start = number == 1 ? FileHeader.size : 0
        guard bytes.count >= usableSize, usableSize > start + 12 else { return nil }
        if let kind = Kind(rawValue: bytes[start]) {
            guard isTable == nil || kind.isTable == isTable else { return nil }
            self.kind = kind
        } else {
            guard let isTable else { return nil }
            kind = isTable ? .tableLeaf : .indexLeaf
            guard isPlausible else { return nil }
        }
    }

    private var headerEnd: Int { start + (kind.isLeaf ? 8 : 12) }

    /// The number of cells, as many as can be in the page.
    private var cellCount: Int { min(Int(bytes.uint16(at: start + 3)), (usableSize - headerEnd) / 2) }

    /// Whether all numbers of the header and the positions of all cells are possible.
    var isPlausible: Bool {
        let count = Int(bytes.uint16(at: start + 3))
        let content = bytes.uint16(at: start + 5) == 0 ? 65_536 : Int(bytes.uint16(at: start + 5))
        guard bytes[start + 7] <= 60, Int(bytes.uint16(at: start + 1)) < usableSize, content <= usableSize,
            headerEnd + 2 * count <= content, count > 0 || kind.isLeaf
        else { return false }
        return (0..<count).allSatisfy {
            let position = Int(bytes.uint16(at: headerEnd + 2 * $0))
            return position >= content && position < usableSize
        }
    }

    /// The positions of the cells, without impossible and repeated ones.
    var cells: [Int] {
        let first = headerEnd
        var seen = Set<Int>()
        return (0..<cellCount).compactMap { index in
            let position = Int(bytes.uint16(at: first + 2 * index))
            return position >= first && position < usableSize && seen.insert(position).inserted ? position : nil
        }
    }

    /// The number of cells that the header promises and ``cells`` doesn't have.
    var missingCellCount: Int { Int(bytes.uint16(at: start + 3)) - cells.count }

    /// The pages below an interior page, in the order of their keys.
    var children: [Child] {
        guard !kind.isLeaf else { return [] }
        var children: [Child] = []
        var last: Int64?
        for cell in cells where cell + 4 <= usableSize {
            let key =
                kind.isTable ? bytes.varint(at: cell + 4, before: usableSize).map { Int64(bitPattern: $0.value) } : nil
            children.append(Child(page: bytes.uint32(at: cell), after: last, upTo: key))
            last = key
        }
        return children + [Child(page: bytes.uint32(at: start + 8), after: last, upTo: nil)]
    }

    /// A page below an interior page.
    struct Child {
        let page: UInt32
        /// The rowids of the page are greater than this one; nil if it isn't known.
        let after: Int64?
        /// The greatest rowid that the page may have; nil if it isn't known.
        let upTo: Int64?

        func canContain(_ rowID: Int64) -> Bool {
            (after.map { $0 < rowID } ?? true) && (upTo.map { rowID <= $0 } ?? true)
        }
    }

    /// A cell with a row or with the key of an index.
    struct Cell {
        let rowID: Int64?
        /// The size of the record, in bytes.
        let size: Int
        /// The part of the record in this page.
        let local: Range<Int>
        /// The page with the next part.
        let overflow: UInt32?
    }

    /// Reads the cell at a position.
    ///
    /// - Returns: nil if the cell has no record or can't be read.
    func cell(at position: Int) -> Cell? {
        guard kind != .tableInterior else { return nil }
        var position = kind == .indexInterior ? position + 4 : position
        guard let size = bytes.varint(at: position, before: usableSize), size.value > 0, size.value < 1 << 31 else {
            return nil
        }
        position = size.end
        var rowID: Int64?
        if kind == .tableLeaf {
            guard let id = bytes.varint(at: position, before: usableSize) else { return nil }
            (rowID, position) = (Int64(bitPattern: id.value), id.end)
        }
        let count = Int(size.value)
        let local = localSize(count)
        guard position < usableSize else { return nil }
        guard local < count else {
            let end = min(position + count, usableSize)
            return Cell(rowID: rowID, size: count, local: position..<end, overflow: nil)
        }
        guard position + local + 4 <= usableSize else {
            return Cell(rowID: rowID, size: count, local: position..<min(position + local, usableSize), overflow: nil)
        }
        return Cell(
            rowID: rowID, size: count, local: position..<(position + local),
            overflow: bytes.uint32(at: position + local))
    }

    /// The number of bytes of a record in its page. <https://sqlite.org/fileformat2.html#cell_payload_overflow_pages>
    private func localSize(_ size: Int) -> Int {
        let most = kind.isTable ? usableSize - 35 : (usableSize - 12) * 64 / 255 - 23
        guard size > most else { return size }
        let least = (usableSize - 12) * 32 / 255 - 23
        let remainder = least + (size - least) % (usableSize - 4)
        return remainder <= most ? remainder : least
    }
}
