/// Where in a table a run looks: the same for all sides.
extension Assignment {
    /// The authors that are fetched one by one.
    public var authorIDs: [Int64] {
        (0..<Int64(count)).map { $0 * 7919 % Int64(rows) + 1 }
    }

    /// The SQL of the score and the id of the player before the page, as one text; nil for the first page.
    ///
    /// Half of the players come before: 10,000 pages of 50 players in a table of a million.
    public var sqlOfPageStart: String? {
        guard workload == .keysetPage else { return nil }
        return "SELECT score || ' ' || id FROM player ORDER BY score DESC, id LIMIT 1 OFFSET \(rows / 2 - 1)"
    }

    /// The score and the id in a text of `sqlOfPageStart`.
    public func pageStart(_ text: String) -> (score: Int64, id: Int64) {
        let values = text.split(separator: " ").map { Int64($0)! }
        return (values[0], values[1])
    }
}
