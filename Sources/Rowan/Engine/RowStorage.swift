// Where the values of a row are: in the current row of a statement (live), or in memory (owned). Rows that show parts
// of the same values share a storage. The C statement is stored next to the object that keeps it alive, because users'
// loops read it for each column (benchmark fetch-index).

/// The values that rows show.
@usableFromInline
package struct RowStorage {
    /// The statement of a live row; nil for an owned row.
    @usableFromInline let pointer: SQLiteStatement?

    /// Keeps `pointer` alive, and provides the SQL of errors.
    package let statement: Statement?

    /// The values of an owned row, possibly among those of other rows.
    @usableFromInline let values: [DatabaseValue]

    /// Whether conversions check the type of the column.
    @usableFromInline let isStrict: Bool

    /// All columns, before any adapter.
    let columns: ColumnLayout

    /// The prefetched rows, for owned rows of a batch.
    let prefetched: PrefetchTree?

    /// The current row of a statement.
    init(live statement: Statement) {
        pointer = statement.sqliteStatement
        self.statement = statement
        values = []
        isStrict = statement.connection.isStrict
        columns = statement.layout
        prefetched = nil
    }

    /// Copied values.
    init(_ values: [DatabaseValue], columns: ColumnLayout, isStrict: Bool = false, prefetched: PrefetchTree? = nil) {
        pointer = nil
        statement = nil
        self.values = values
        self.isStrict = isStrict
        self.columns = columns
        self.prefetched = prefetched
    }

    /// The same values, with the prefetched rows of a scope.
    private init(_ storage: RowStorage, prefetched: PrefetchTree?) {
        pointer = storage.pointer
        statement = storage.statement
        values = storage.values
        isStrict = storage.isStrict
        columns = storage.columns
        self.prefetched = prefetched
    }

    /// The same values, with the prefetched rows of a scope; without prefetched rows for nil.
    func scope(_ name: String?) -> RowStorage {
        RowStorage(self, prefetched: name.flatMap { prefetched?.scopes[$0] })
    }

    /// The same values, unaffected by further steps of the statement.
    func detached() -> RowStorage {
        guard let pointer else { return self }
        let values = (0..<CInt(columns.names.count)).map { DatabaseValue(sqliteStatement: pointer, index: $0) }
        return RowStorage(values, columns: columns, isStrict: isStrict)
    }

    /// Whether columns read straight from the statement.
    var readsStatement: Bool { pointer != nil && !isStrict }

    /// The value at a position.
    @inlinable
    func column(at position: Int) -> ColumnValue {
        if let pointer {
            return .statement(pointer, index: CInt(truncatingIfNeeded: position), strict: isStrict)
        }
        return .owned(values[position], strict: isStrict)
    }
}
