// Types of lower layers that are fetched like records.

extension DetachedRow: FetchableRecord {
    /// Copies a row.
    public init(row: Row) { self = row.detached() }
}

extension JSONElement: FetchableRecord {}
