// Rows that were copied from a statement, together: their values stand side by side in one array, and a row object is
// made when one is asked for. A million of prefetched rows are one allocation, not two millions.

/// Copied rows of one statement.
@usableFromInline
package final class RowBatch {
    private let layout: ColumnLayout
    private let mapping: RowMapping?
    private let isStrict: Bool
    private let width: Int
    // Touched for each value: no exclusivity check.
    @exclusivity(unchecked) private var values: [DatabaseValue] = []
    @exclusivity(unchecked) package private(set) var count = 0

    /// What is prefetched for the rows.
    @exclusivity(unchecked) package var prefetched: PrefetchTree?

    /// - Parameter mapping: what the rows show of their columns.
    package init(_ statement: Statement, mapping: RowMapping?) {
        layout = statement.layout
        isStrict = statement.connection.isStrict
        width = layout.names.count
        self.mapping = mapping
    }

    /// Copies the current row of a statement.
    package func append(_ statement: Statement) {
        let pointer = statement.sqliteStatement
        for index in 0..<CInt(truncatingIfNeeded: width) {
            values.append(DatabaseValue(sqliteStatement: pointer, index: index))
        }
        count &+= 1
    }

    /// A value of the statement, whatever the rows show.
    package func value(_ column: Int, ofRow row: Int) -> DatabaseValue { values[row * width + column] }

    /// The row at an index: a new object.
    package func row(at index: Int) -> Row {
        let whole = Row(layout: layout, values: values, base: index * width, isStrict: isStrict)
        let row = mapping.map { whole.adapted(by: $0) } ?? whole
        row.prefetchedTree = prefetched.map { PrefetchedRows(tree: $0, index: index) }
        return row
    }

    /// Makes another row of this batch of a row object.
    ///
    /// - Returns: false if the object can't be moved: its values are not those of the batch.
    package func move(_ row: Row, to index: Int) -> Bool {
        guard !row.isAdapted else { return false }
        row.move(base: index * width, index)
        return true
    }
}

extension Row {
    /// Makes this row, and its kept scopes, those of other values.
    fileprivate func move(base: Int, _ index: Int) {
        offset += base - self.base
        self.base = base
        prefetchedTree?.index = index
        for scope in keptScopes { scope.row.move(base: base, index) }
    }
}
