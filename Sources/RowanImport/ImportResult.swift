/// What an import has done.
public struct ImportResult: Hashable, Sendable {
    /// The number of rows that were inserted or updated.
    public internal(set) var rowCount = 0
    /// The number of rows that were left out.
    public internal(set) var skippedCount = 0
    /// Whether the table was created.
    public internal(set) var hasCreatedTable = false
}
