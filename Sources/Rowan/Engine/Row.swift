// A row is a view in three parts: a layout (which columns), a storage (where their values are) and an offset (which of
// the storage's rows). Adapted rows, scopes and copies are rows with another layout, storage or offset.
// Whoever moves the object to other rows, a cursor, says so with `isMoved`: decoders remember then (RowMemory).
// A name is looked for first where it is expected: in the column after the last one that was found.

import CSQLite
public import Foundation

/// A row of the database.
///
/// ```swift
/// if let row = try Row.fetchOne(db, sql: "SELECT * FROM player WHERE id = ?", arguments: [1]) {
///     let name: String = row["name"]        // by name, case-insensitive
///     let score: Int? = row[Column("score")]  // by column; ask for an optional when it may be NULL
///     let id: Int64 = row[0]                // by index, the fastest
/// }
/// ```
///
/// A cursor gives the same row object at each step: copy a row that you keep. Rows of `fetchAll`, `fetchSet` and
/// `fetchOne` are copies.
public final class Row {
    /// Which columns the row shows.
    @usableFromInline let layout: ColumnLayout

    /// Where their values are.
    @usableFromInline let storage: RowStorage

    /// The position of the first column in the storage; that of the whole row if the columns are not side by side.
    @exclusivity(unchecked) @usableFromInline var offset: Int

    /// The number of columns that read straight from the statement, at their own index: all of a live row, and none of
    /// an owned row, of a scope, or with strict conversions. One comparison settles it for each column.
    @usableFromInline let liveCount: Int

    /// Where the next name is expected. Touched at each lookup by name, in the loop: no exclusivity check.
    @exclusivity(unchecked) @usableFromInline var expectedIndex = 0

    /// Whether a cursor makes this object one row after the other, and will end what is remembered.
    @exclusivity(unchecked) package var isMoved = false

    /// What decoders remember, made when there is something.
    @exclusivity(unchecked) package var memory: RowMemory?

    /// - Parameter base: the position of the whole row in the storage.
    init(layout: ColumnLayout, storage: RowStorage, base: Int = 0) {
        self.layout = layout
        self.storage = storage
        offset = base &+ layout.start
        liveCount = storage.readsStatement ? layout.leadingCount : 0
    }

    /// An owned row.
    convenience init(layout: ColumnLayout, values: [DatabaseValue]) {
        self.init(layout: layout, storage: RowStorage(values, columns: layout))
    }

    /// A row without columns.
    public convenience init() { self.init(layout: ColumnLayout(names: []), values: []) }

    /// The number of columns.
    @inlinable
    public var count: Int { layout.names.count }

    /// Tells the SQL of errors; nil for an owned row.
    package var statement: Statement? { storage.statement }

    /// The position of the whole row in the storage.
    var base: Int { offset &- layout.start }

    /// Whether an adapter has chosen the columns.
    var isAdapted: Bool { layout !== storage.columns }

    /// An independent copy, which does not change when its cursor moves on.
    public func copy() -> Row {
        guard storage.pointer != nil || isMoved else { return self }
        return Row(layout: layout, storage: storage.detached(), base: base)
    }

    /// The column, as decoders see it. It is valid as long as the row: whoever reads it keeps the row alive.
    ///
    /// - Precondition: the index is valid.
    @inlinable
    func column(atUncheckedIndex index: Int) -> ColumnValue { storage.column(at: position(ofColumn: index)) }

    /// The value of a column, nil if it does not convert. The row lives while it is read.
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
    /// - Precondition: the index is below `liveCount`, which tells that there is a statement.
    @inlinable
    func liveColumn(_ index: Int) -> ColumnValue {
        .statement(storage.pointer.unsafelyUnwrapped, index: CInt(truncatingIfNeeded: index), strict: false)
    }

    /// The index of the leftmost column with a name.
    @inlinable
    package func index(ofColumn name: String) -> Int? {
        let expected = expectedIndex
        let names = layout.names
        // With two columns of one name, the prediction could skip the leftmost.
        if expected < names.count, names[expected] == name, expected == 0 || layout.hasUniqueNames {
            expectedIndex = expected &+ 1 == names.count ? 0 : expected &+ 1
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

    /// Whether some column is not NULL, in this row or in its scopes.
    public var containsNonNullValue: Bool {
        (0..<count).contains { !column(atUncheckedIndex: $0).isNull }
            || scopes.contains { $0.row.containsNonNullValue }
            || prefetchedTree?.containsRows ?? false
    }

    @inlinable
    func checkIndex(_ index: Int) {
        precondition(index >= 0 && index < count, "row index out of range")
    }
}

// MARK: - Data without copy

extension Row {
    /// Calls the closure with the bytes of the column at an index, which are not copied: don't keep them.
    ///
    /// - Throws: ``RowDecodingError`` for a missing column, and the errors of the closure.
    public func withUnsafeData<T>(atIndex index: Int, _ body: (Data?) throws -> T) throws -> T {
        guard index >= 0, index < count else { throw indexError(index) }
        guard let liveStatement = storage.pointer else { return try body(column(atUncheckedIndex: index).data) }
        let column = CInt(position(ofColumn: index))
        guard sqlite3_column_type(liveStatement, column) != SQLITE_NULL else { return try body(nil) }
        guard let bytes = sqlite3_column_blob(liveStatement, column) else { return try body(Data()) }
        let count = Int(sqlite3_column_bytes(liveStatement, column))
        // SQLite owns the bytes until the next step; the closure is told not to keep them.
        return try body(
            Data(bytesNoCopy: UnsafeMutableRawPointer(mutating: bytes), count: count, deallocator: .none))
    }

    /// Calls the closure with the bytes of a column, which are not copied; nil for NULL and for a missing column.
    public func withUnsafeData<T>(named columnName: String, _ body: (Data?) throws -> T) throws -> T {
        guard let index = index(ofColumn: columnName) else { return try body(nil) }
        return try withUnsafeData(atIndex: index, body)
    }

    /// Calls the closure with the bytes of a column, which are not copied; nil for NULL and for a missing column.
    public func withUnsafeData<T>(at column: some ColumnExpression, _ body: (Data?) throws -> T) throws -> T {
        try withUnsafeData(named: column.name, body)
    }
}
