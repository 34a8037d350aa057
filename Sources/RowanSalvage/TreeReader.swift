// The trees of the file. A damaged page may refer to pages of another tree. A page to which several pages refer is read
// where its rowids belong, so that no row appears in another table.

import RowanPlatform

/// A row of a tree, or of a page that belongs to none.
struct StoredRow {
    let page: UInt32
    let rowID: Int64?
    let record: StoredRecord
    fileprivate let rest: Rest

    /// What was found of a long record behind its first page.
    fileprivate enum Rest { case whole, missing, shared }

    /// Why the row can't be trusted; nil if all its values were read, from pages of its own.
    var defect: String? {
        guard record.isWhole, rest != .missing else { return "a part of the row is missing" }
        return rest == .shared ? "another row has the same pages" : nil
    }
}

/// Reads the trees of a file.
struct TreeReader {
    let file: DamagedFile
    /// The pages that have been read, with those of long rows.
    private(set) var used: PageSet
    /// The pages to which several pages refer.
    private var contested: PageSet
    /// The pages that can't be read, or not as a whole.
    private(set) var damagedPages: Set<UInt32> = []
    /// The number of cells without a row.
    private(set) var unreadableRowCount = 0

    init(_ file: DamagedFile) {
        self.file = file
        used = PageSet(pageCount: file.pageCount)
        contested = PageSet(pageCount: file.pageCount)
    }

    /// Finds the pages to which several pages refer.
    ///
    /// - Parameter roots: the root of each tree, and whether it is the tree of a table.
    mutating func findContestedPages(_ roots: [(page: UInt32, isTable: Bool)]) throws {
        var seen = PageSet(pageCount: file.pageCount)
        for root in roots {
            var pages = [root.page]
            while let number = pages.popLast() {
                guard seen.insert(number) else {
                    _ = contested.insert(number)
                    continue
                }
                try Task.checkCancellation()
                guard let page = try page(number, isTable: root.isTable) else { continue }
                pages += page.children.map(\.page)
            }
        }
    }

    /// Reads the rows of a tree, in the order of their keys.
    ///
    /// - Returns: whether the root could be read.
    @discardableResult
    mutating func readTree(
        root: UInt32, isTable: Bool, _ receive: (StoredRow) throws -> Void
    ) throws -> Bool {
        var rest = [TreePage.Child(page: root, after: nil, upTo: nil)]
        var isRoot = true
        while let child = rest.popLast() {
            defer { isRoot = false }
            guard let page = try page(child.page, isTable: isTable), !used.contains(child.page),
                isRoot || belongs(page, child)
            else {
                damagedPages.insert(child.page)
                if isRoot { return false }
                continue
            }
            _ = used.insert(child.page)
            try readRows(page, receive)
            rest += page.children.reversed()
        }
        return true
    }

    /// Whether a page belongs where another page refers to it.
    private func belongs(_ page: TreePage, _ child: TreePage.Child) -> Bool {
        guard contested.contains(page.number), page.kind == .tableLeaf else { return true }
        return page.cells.allSatisfy { page.cell(at: $0)?.rowID.map(child.canContain) ?? true }
    }

    private func page(_ number: UInt32, isTable: Bool) throws -> TreePage? {
        guard number > 0, number <= file.pageCount else { return nil }
        return TreePage(number, try file.page(number), usableSize: file.header.usableSize, isTable: isTable)
    }

    private mutating func readRows(_ page: TreePage, _ receive: (StoredRow) throws -> Void) throws {
        try Task.checkCancellation()
        var missing = page.missingCellCount
        if page.kind != .tableInterior {
            for position in page.cells {
                if let row = try row(page, position) { try receive(row) } else { missing += 1 }
            }
            unreadableRowCount += missing
        }
        if missing > 0 { damagedPages.insert(page.number) }
    }

    private mutating func row(_ page: TreePage, _ position: Int) throws -> StoredRow? {
        guard let cell = page.cell(at: position) else { return nil }
        var (bytes, range) = (page.bytes, cell.local)
        var rest = cell.local.count < cell.size ? StoredRow.Rest.missing : .whole
        if let first = cell.overflow {
            bytes = Array(page.bytes[cell.local])
            rest = try readOverflow(first, cell.size, &bytes)
            range = 0..<bytes.count
        }
        return StoredRecord(bytes, range, size: cell.size).map {
            StoredRow(page: page.number, rowID: cell.rowID, record: $0, rest: rest)
        }
    }

    /// Appends the rest of a record.
    private mutating func readOverflow(_ first: UInt32, _ size: Int, _ bytes: inout [UInt8]) throws -> StoredRow.Rest {
        var (next, rest) = (first, StoredRow.Rest.whole)
        // A damaged list of pages may be a circle.
        var own = Set<UInt32>()
        let part = file.header.usableSize - 4
        while bytes.count < size {
            guard next > 0, next <= file.pageCount, own.insert(next).inserted else { return .missing }
            if !used.insert(next) { rest = .shared }
            let page = try file.page(next)
            bytes += page[4..<(4 + min(part, size - bytes.count))]
            next = page.uint32(at: 0)
        }
        // The last page names no other.
        return next == 0 ? rest : .missing
    }
}

extension TreeReader {
    /// Marks pages without rows as used: the map of pointers, the page with SQLite's locks, and the free pages, unless their
    /// list is damaged or they are to be read too.
    mutating func leaveOut(freePages: Bool) throws {
        let header = file.header
        let locks = UInt32((1 << 30) / header.pageSize + 1)
        _ = used.insert(locks)
        if header.hasPointerMap {
            for page in stride(from: 2, through: file.pageCount, by: header.usableSize / 5 + 1) {
                _ = used.insert(page == locks ? page + 1 : page)
            }
        }
        guard freePages, let free = try self.freePages() else { return }
        for page in free { _ = used.insert(page) }
    }

    /// The free pages; nil if their list is damaged.
    private func freePages() throws -> [UInt32]? {
        let header = file.header
        var (pages, free) = (used, [UInt32]())
        var trunk = header.firstFreePage
        while trunk != 0 {
            guard pages.insert(trunk) else { return nil }
            free.append(trunk)
            let bytes = try file.page(trunk)
            let count = Int(bytes.uint32(at: 4))
            guard count <= header.usableSize / 4 - 2 else { return nil }
            for index in 0..<count {
                let page = bytes.uint32(at: 8 + 4 * index)
                guard pages.insert(page) else { return nil }
                free.append(page)
            }
            trunk = bytes.uint32(at: 0)
        }
        return free.count == Int(header.freePageCount) ? free : nil
    }

    /// The pages of no tree that have rows, with the topmost page that leads to each.
    func lostPages() throws -> [(page: UInt32, root: UInt32)] {
        var parents: [UInt32: UInt32] = [:]
        var lost: [UInt32] = []
        for number in 1...max(file.pageCount, 1) where !used.contains(number) {
            try Task.checkCancellation()
            guard number <= file.pageCount,
                let page = TreePage(number, try file.page(number), usableSize: file.header.usableSize)
            else { continue }
            if page.kind != .tableInterior { lost.append(number) }
            for child in page.children where child.page != number && !used.contains(child.page) {
                if parents[child.page] == nil { parents[child.page] = number }
            }
        }
        return lost.map { page in
            var root = page
            // Damaged pages may refer to each other in a circle.
            for _ in 0..<64 {
                guard let parent = parents[root] else { break }
                root = parent
            }
            return (page, root)
        }
    }

    /// Reads the rows of one page.
    mutating func readPage(_ number: UInt32, _ receive: (StoredRow) throws -> Void) throws {
        guard let page = TreePage(number, try file.page(number), usableSize: file.header.usableSize) else { return }
        _ = used.insert(number)
        try readRows(page, receive)
    }
}
