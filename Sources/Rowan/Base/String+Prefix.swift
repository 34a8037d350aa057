// The beginning of a text, by its size in memory: characters can be of any length.

extension String {
    /// The longest beginning of whole Unicode scalars that has a number of UTF-8 bytes at most.
    ///
    /// Complexity: O(1) for a text that is stored as UTF-8, as all those of SQLite are.
    package func prefix(utf8Count: Int) -> Substring {
        guard var end = utf8.index(startIndex, offsetBy: utf8Count, limitedBy: endIndex) else { return self[...] }
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return Substring(unicodeScalars[..<end])
    }
}
