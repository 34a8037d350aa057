/// The parts of a table that a run reads: the same for all sides.
extension Assignment {
    /// The authors that are fetched individually.
    public var authorIDs: [Int64] {
        (0..<Int64(count)).map { $0 * 7919 % Int64(rows) + 1 }
    }

    /// The number of rows before the page that the run fetches; nil for the first page.
    public var pageDepth: Int? {
        switch workload {
        case .keysetPage, .scalePage1M, .scalePage10M: rows / 2
        case .pageDeep: rows / 10 * 9
        default: nil
        }
    }

    /// The SQL for the score and id of the row before the page, as one text; nil for the first page.
    public var sqlOfPageStart: String? {
        guard let pageDepth else { return nil }
        let table = workload == .pageDeep ? "runner" : "player"
        return "SELECT score || ' ' || id FROM \(table) ORDER BY score DESC, id LIMIT 1 OFFSET \(pageDepth - 1)"
    }

    /// The score and the id in a text returned by `sqlOfPageStart`.
    public func pageStart(_ text: String) -> (score: Int64, id: Int64) {
        let values = text.split(separator: " ").map { Int64($0)! }
        return (values[0], values[1])
    }
}
