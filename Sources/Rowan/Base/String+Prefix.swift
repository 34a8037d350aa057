// The beginning of a text, limited by its size in memory: one character can take any number of bytes.

extension String {
    /// The longest prefix of whole Unicode scalars that fits in a number of UTF-8 bytes.
    ///
    /// Complexity: O(1) for a text stored as UTF-8, such as the texts that SQLite returns.
    package func prefix(utf8Count: Int) -> Substring {
        guard var end = utf8.index(startIndex, offsetBy: utf8Count, limitedBy: endIndex) else { return self[...] }
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return Substring(unicodeScalars[..<end])
    }
}
