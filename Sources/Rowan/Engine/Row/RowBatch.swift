// Rows copied together from a statement: their values are stored contiguously, and row objects are created on demand. A
// million prefetched rows take two buffers instead of two million allocations.

/// The copied rows of one statement.
@usableFromInline
package final class RowBatch {
    private let layout: ColumnLayout
    private let source: RowSource
    private let values: PackedValues
    private let width: Int
    @exclusivity(unchecked) package private(set) var count = 0

    /// The prefetched rows of these rows. Set before any row object exists.
    package var prefetched: PrefetchTree? {
        get { source.prefetched }
        set { source.prefetched = newValue }
    }

    /// - Parameter layout: the columns that the rows show; by default, all columns.
    package init(_ statement: Statement, layout: ColumnLayout?) {
        let columns = statement.layout
        width = columns.names.count
        self.layout = layout ?? columns
        values = PackedValues(capacity: 16 * width, byteCapacity: 256)
        source = RowSource(values, columns: columns, isStrict: statement.connection.isStrict)
    }

    private init(_ other: RowBatch) {
        (layout, values, width, count) = (other.layout, other.values, other.width, other.count)
        source = RowSource(
            other.values, columns: other.source.columns, isStrict: other.source.isStrict,
            prefetched: other.source.prefetched?.separated())
    }

    /// The same rows, with separate objects for the state that decoders change.
    func separated() -> RowBatch { RowBatch(self) }

    /// Copies the current row of a statement.
    package func append(_ statement: Statement) {
        values.append(statement.handle, width: width)
        count &+= 1
    }

    /// A value of the statement, even if its column is hidden in the rows.
    package func value(_ column: Int, ofRow row: Int) -> DatabaseValue { packed(column, ofRow: row).databaseValue }

    /// A value of the statement without a copy, valid during the batch's lifetime.
    package func packed(_ column: Int, ofRow row: Int) -> PackedColumn { values[row &* width &+ column] }

    /// A new row object for the row at an index.
    package func row(at index: Int) -> Row {
        Row(layout: layout, storage: RowStorage(source), base: index * width)
    }

    /// Moves a row object of this batch to another row.
    package func move(_ row: Row, to index: Int) { row.move(to: index * width) }
}

/// Copies of the row object that a cursor moves, in buffers shared by many copies.
struct RowCopies {
    private let row: Row
    private let statement: SQLiteStatement
    private let width: Int
    private var values: PackedValues
    private var source: RowSource
    /// The number of rows in the current buffer, and its capacity. A copy that outlives the others keeps its buffer
    /// alive, so a buffer contains only a few large rows.
    private var count = 0
    private var capacity = 1

    private static let largestCapacity = 256
    private static let largestByteCount = 1 << 20

    /// - Parameter row: a live row.
    init?(of row: Row) {
        guard let statement = row.storage.pointer else { return nil }
        self.row = row
        self.statement = statement
        width = row.storage.columns.names.count
        values = PackedValues(capacity: width, byteCapacity: 0)
        source = RowSource(values, columns: row.storage.columns, isStrict: row.storage.source.isStrict)
    }

    /// A copy of the current row.
    mutating func next() -> Row {
        if count == capacity || count > 0 && values.byteCount >= Self.largestByteCount { startBuffer() }
        let base = count &* width
        values.append(statement, width: width)
        count &+= 1
        return Row(layout: row.layout, storage: RowStorage(source), base: base)
    }

    private mutating func startBuffer() {
        // The average number of bytes per row so far, plus one.
        let bytesPerRow = values.byteCount / count + 1
        capacity = max(min(2 * capacity, Self.largestCapacity, Self.largestByteCount / bytesPerRow), 1)
        count = 0
        values = PackedValues(capacity: capacity * width, byteCapacity: capacity * bytesPerRow * 9 / 8)
        source = RowSource(values, columns: row.storage.columns, isStrict: row.storage.source.isStrict)
    }
}

extension FetchCursor where Decoding == RowElements {
    /// Copies of all rows, in buffers shared by many copies.
    @usableFromInline
    package func copies() throws -> [Row] {
        guard let row = try nextRow() else { return [] }
        guard var copies = RowCopies(of: row) else {
            // The rows of a batch, which already share its buffers.
            var rows = [row.copy()]
            while let row = try nextRow() { rows.append(row.copy()) }
            return rows
        }
        var rows: [Row] = []
        repeat { rows.append(copies.next()) } while try advance(row)
        return rows
    }
}
