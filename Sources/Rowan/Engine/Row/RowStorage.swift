// The location of a row's values: in the current row of a statement (live) or copied (owned). Rows that show parts of
// the same values share a source: one object contains everything that the rows of a statement or a batch have in
// common, so a copied row is small (benchmark fetch-rows). The storage itself contains the C statement, because users'
// loops read it for each column (benchmark fetch-index).

/// The common properties of the rows of a statement or a batch.
@usableFromInline
package final class RowSource {
    /// The values of owned rows; nil for live rows.
    @usableFromInline package let values: PackedValues?

    /// Whether conversions check the type of the column.
    @usableFromInline let isStrict: Bool

    /// All columns, before any adapter.
    package let columns: ColumnLayout

    /// The prefetched rows of the rows of a batch. Set before any row exists.
    @exclusivity(unchecked) package var prefetched: PrefetchTree?

    package init(
        _ values: PackedValues?, columns: ColumnLayout, isStrict: Bool, prefetched: PrefetchTree? = nil
    ) {
        self.values = values
        self.isStrict = isStrict
        self.columns = columns
        self.prefetched = prefetched
    }
}

/// The values that rows show.
@usableFromInline
package struct RowStorage {
    /// The C statement of a live row; nil for an owned row.
    @usableFromInline let pointer: SQLiteStatement?

    /// Keeps `pointer` alive and provides the SQL for errors.
    package let statement: Statement?

    @usableFromInline package let source: RowSource

    /// The current row of a statement.
    init(live statement: Statement) {
        pointer = statement.handle
        self.statement = statement
        source = statement.rowSource
    }

    /// Copied values.
    package init(_ source: RowSource) {
        pointer = nil
        statement = nil
        self.source = source
    }

    /// Copied values.
    init(_ values: [DatabaseValue], columns: ColumnLayout) {
        self.init(RowSource(PackedValues(values), columns: columns, isStrict: false))
    }

    private init(_ storage: RowStorage, _ source: RowSource) {
        pointer = storage.pointer
        statement = storage.statement
        self.source = source
    }

    var columns: ColumnLayout { source.columns }
    var prefetched: PrefetchTree? { source.prefetched }

    /// The same values, with the prefetched rows of a scope, or without prefetched rows if nil.
    func scope(_ name: String?) -> RowStorage {
        guard let prefetched else { return self }
        let source = RowSource(
            source.values, columns: source.columns, isStrict: source.isStrict,
            prefetched: name.flatMap { prefetched.scopes[$0] })
        return RowStorage(self, source)
    }

    /// The same values, unaffected by further steps of the statement.
    func detached() -> RowStorage {
        guard let pointer else { return self }
        let width = columns.names.count
        let values = PackedValues(capacity: width, byteCapacity: 0)
        values.append(pointer, width: width)
        return RowStorage(RowSource(values, columns: columns, isStrict: source.isStrict))
    }

    /// Whether columns are read directly from the statement.
    var readsStatement: Bool { pointer != nil && !source.isStrict }

    /// The value at a position, valid during the lifetime of the row.
    @inlinable
    func column(at position: Int) -> ColumnValue {
        if let pointer {
            return .statement(pointer, index: CInt(truncatingIfNeeded: position), strict: source.isStrict)
        }
        // Without a statement, the source contains values.
        return .packed(source.values![position], strict: source.isStrict)
    }
}
