// Rows copied from a statement, together: one array stores all values, and row objects are made on demand. A million
// prefetched rows take one allocation instead of two million.

/// The copied rows of one statement.
@usableFromInline
package final class RowBatch {
    private let layout: ColumnLayout
    private let mapping: RowMapping?
    private let isStrict: Bool
    private let width: Int
    // Each read of a value touches it: no exclusivity check.
    @exclusivity(unchecked) private var values: [DatabaseValue] = []
    @exclusivity(unchecked) package private(set) var count = 0

    /// The prefetched rows of these rows.
    @exclusivity(unchecked) package var prefetched: PrefetchTree?

    /// - Parameter mapping: the columns that the rows show.
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

    /// A value of the statement, even if the rows hide its column.
    package func value(_ column: Int, ofRow row: Int) -> DatabaseValue { values[row * width + column] }

    /// A new row object for the row at an index.
    package func row(at index: Int) -> Row {
        let storage = RowStorage(values, columns: layout, isStrict: isStrict, prefetched: prefetched)
        return Row(layout: mapping?.layout ?? layout, storage: storage, base: index * width)
    }

    /// Moves a row object of this batch to another row.
    package func move(_ row: Row, to index: Int) { row.move(to: index * width) }
}
