// Which pages have been used.

/// A set of page numbers: one bit per page.
struct PageSet {
    private var words: [UInt64]
    let pageCount: UInt32

    init(pageCount: UInt32) {
        self.pageCount = pageCount
        words = Array(repeating: 0, count: Int(pageCount) / 64 + 1)
    }

    func contains(_ page: UInt32) -> Bool {
        page <= pageCount && words[Int(page / 64)] & (1 << UInt64(page % 64)) != 0
    }

    /// Inserts a page.
    ///
    /// - Returns: false if it isn't a page of the file, or is in the set.
    mutating func insert(_ page: UInt32) -> Bool {
        guard page > 0, page <= pageCount, !contains(page) else { return false }
        words[Int(page / 64)] |= 1 << UInt64(page % 64)
        return true
    }
}
