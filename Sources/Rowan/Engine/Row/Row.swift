// A row is a view with three parts: a layout (the columns), a storage (the values) and an offset (the row within the
// storage). Adapted rows, scopes and copies have another layout, storage or offset. A cursor, which moves one object
// from row to row, sets `isMoved` so that decoders cache their work (RowMemory). A lookup by name first tries the
// expected column, which is the one after the last match.

import RowanSQLite
public import RowanPlatform

/// A database row.
///
/// ```swift
/// if let row = try Row.fetchOne(db, sql: "SELECT * FROM player WHERE id = ?", arguments: [1]) {
///     let name: String = row["name"]        // by name, case-insensitive
///     let score: Int? = row[Column("score")]  // by column; ask for an optional when it may be NULL
///     let id: Int64 = row[0]                // by index, the fastest
/// }
/// ```
///
/// A cursor returns the same row object at each step: copy a row to keep it. The rows of `fetchAll`, `fetchSet` and
/// `fetchOne` are copies. A row belongs to its access and to one thread: ``detached()`` makes a `Sendable` copy.
///
/// Article: <doc:FetchingRows>.
public final class Row {
    /// The columns that the row shows.
    @usableFromInline let layout: ColumnLayout

    /// The values of the row.
    @usableFromInline let storage: RowStorage

    /// The position of the row's first column in the storage; the position of the whole row if the columns are not
    /// adjacent.
    @exclusivity(unchecked) @usableFromInline var offset: Int

    /// The number of columns that are read directly from the statement at their own index: all columns of a live row;
    /// none for an owned row, a scope or strict conversions. Each column read checks only this number.
    @usableFromInline let liveCount: Int

    /// The index that the next lookup by name tries first. No exclusivity check: each lookup in a loop accesses it.
    @exclusivity(unchecked) @usableFromInline var expectedIndex = 0

    /// Whether a cursor moves this object from row to row, and will clear its memory.
    @exclusivity(unchecked) package var isMoved = false

    /// The memory of decoders, created on demand.
    @exclusivity(unchecked) @usableFromInline package var memory: RowMemory?

    /// - Parameter base: the position of the whole row in the storage.
    init(layout: ColumnLayout, storage: RowStorage, base: Int = 0) {
        self.layout = layout
        self.storage = storage
        offset = base &+ layout.start
        liveCount = storage.readsStatement ? layout.leadingCount : 0
    }

    /// An owned row.
    package convenience init(layout: ColumnLayout, values: [DatabaseValue]) {
        self.init(layout: layout, storage: RowStorage(values, columns: layout))
    }

    /// Creates a row without columns.
    public convenience init() { self.init(layout: ColumnLayout(names: []), values: []) }

    /// The number of columns.
    @inlinable
    public var count: Int { layout.names.count }

    /// The statement of a live row, which provides the SQL for errors; nil for an owned row.
    package var statement: Statement? { storage.statement }

    /// The position of the whole row in the storage.
    var base: Int { offset &- layout.start }

    /// Whether an adapter has chosen the columns.
    var isAdapted: Bool { layout !== storage.columns }

    /// An independent copy, which doesn't change when the cursor moves on.
    public func copy() -> Row {
        guard storage.pointer != nil || isMoved else { return self }
        return Row(layout: layout, storage: storage.detached(), base: base)
    }

    /// The column as a view for decoders. It is valid during the row's lifetime: the reader must keep the row alive.
    ///
    /// - Precondition: the index is valid.
    @inlinable
    func column(atUncheckedIndex index: Int) -> ColumnValue { storage.column(at: position(ofColumn: index)) }

    /// The value of a column; nil if it can't be converted. The row stays alive during the read.
    ///
    /// - Precondition: the index is valid.
    @inlinable @inline(__always)
    func value<Value: DatabaseValueConvertible>(_ type: Value.Type, at index: Int) -> Value? {
        withExtendedLifetime(self) { Value.fromColumn(column(atUncheckedIndex: index)) }
    }

    /// The position of a column in the storage.
    @inlinable
    func position(ofColumn index: Int) -> Int {
        guard let indexes = layout.indexes else { return offset &+ index }
        return offset &+ indexes[index]
    }

    /// The column of a live row.
    ///
    /// - Precondition: the index is below `liveCount`, which implies a statement.
    @inlinable
    func liveColumn(_ index: Int) -> ColumnValue {
        .statement(storage.pointer.unsafelyUnwrapped, index: CInt(truncatingIfNeeded: index), strict: false)
    }

    /// The index of the leftmost column with this name.
    @inlinable @inline(__always)
    package func index(ofColumn name: String) -> Int? {
        let expected = expectedIndex
        let count = layout.predictableCount
        if expected < count, layout.names[expected] == name {
            expectedIndex = expected &+ 1 == count ? 0 : expected &+ 1
            return expected
        }
        return searchIndex(ofColumn: name)
    }

    @usableFromInline
    func searchIndex(ofColumn name: String) -> Int? {
        guard let index = layout.index(ofColumn: name) else { return nil }
        expectedIndex = index + 1 == count ? 0 : index + 1
        return index
    }

    /// Whether the row has a column with this name, case-insensitively.
    public func hasColumn(_ columnName: String) -> Bool { layout.index(ofColumn: columnName) != nil }

    /// Whether the column is NULL.
    public func hasNull(atIndex index: Int) -> Bool {
        checkIndex(index)
        return column(atUncheckedIndex: index).isNull
    }

    /// Whether any column of this row or of its scopes is not NULL.
    public var containsNonNullValue: Bool {
        (0..<count).contains { !column(atUncheckedIndex: $0).isNull }
            || scopes.contains { $0.row.containsNonNullValue }
            || prefetchedTree?.containsRows ?? false
    }

    @inlinable
    func checkIndex(_ index: Int) {
        precondition(index >= 0 && index < count, "column index out of range")
    }
}

// MARK: - Data without copy

extension Row {
    /// Calls the closure with the bytes of the column at an index, or nil for NULL. The bytes are not copied: don't
    /// keep them.
    ///
    /// - Throws: ``RowDecodingError`` for a missing column, and the errors of the closure.
    public func withUnsafeData<T>(atIndex index: Int, _ body: (Data?) throws -> T) throws -> T {
        guard index >= 0, index < count else { throw indexError(index) }
        guard let liveStatement = storage.pointer else { return try body(column(atUncheckedIndex: index).data) }
        let column = CInt(position(ofColumn: index))
        guard sqlite3_column_type(liveStatement, column) != SQLITE_NULL else { return try body(nil) }
        guard let bytes = sqlite3_column_blob(liveStatement, column) else { return try body(Data()) }
        let count = Int(sqlite3_column_bytes(liveStatement, column))
        // SQLite owns the bytes until the next step; the closure must not keep them.
        return try body(
            Data(bytesNoCopy: UnsafeMutableRawPointer(mutating: bytes), count: count, deallocator: .none))
    }

    /// Calls the closure with the bytes of the column with this name, or with nil for NULL or a missing column.
    public func withUnsafeData<T>(named columnName: String, _ body: (Data?) throws -> T) throws -> T {
        guard let index = index(ofColumn: columnName) else { return try body(nil) }
        return try withUnsafeData(atIndex: index, body)
    }

    /// Calls the closure with the bytes of the column given by a column expression, or with nil for NULL or a missing
    /// column.
    public func withUnsafeData<T>(at column: some ColumnExpression, _ body: (Data?) throws -> T) throws -> T {
        try withUnsafeData(named: column.name, body)
    }
}
