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
        let storage = RowStorage(values, columns: layout, isStrict: isStrict, prefetched: prefetched)
        return Row(layout: mapping?.layout ?? layout, storage: storage, base: index * width)
    }

    /// Makes another row of this batch of one of its row objects.
    package func move(_ row: Row, to index: Int) { row.move(to: index * width) }
}
