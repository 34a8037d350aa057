// A copy of a row for other threads. A row caches its last lookup and the findings of decoders, so only one thread may
// use it. The copied values behind it never change, so any number of rows, each on its own thread, can share them.

/// A copy of a row that can leave its access and be used on any thread.
///
/// ```swift
/// let rows = try await dbPool.read { db in
///     try DetachedRow.fetchAll(db, sql: "SELECT name, score FROM player")
/// }
/// for row in rows {
///     let name: String = row["name"]
///     let score: Int? = row["score"]
/// }
/// ```
///
/// It includes the scopes and the prefetched rows of the row. See ``row`` for everything that a ``Row`` can do.
public struct DetachedRow: @unchecked Sendable {
    // `@unchecked Sendable` without a lock, because everything these refer to is complete and never changes.
    private let layout: ColumnLayout
    private let storage: RowStorage
    private let base: Int

    fileprivate init(_ row: Row) {
        let copy = row.copy()
        (layout, base) = (copy.layout, copy.base)
        storage = copy.storage.separated()
    }

    /// A row with the same content, for this thread.
    ///
    /// Complexity: O(1) without prefetched rows; otherwise O(N), where N is the number of prefetched associations.
    public var row: Row { Row(layout: layout, storage: storage.separated(), base: base) }
}

extension Row {
    /// A copy that can leave the access and be used on any thread.
    ///
    /// ```swift
    /// let row = try await dbPool.read { db in
    ///     try Row.fetchOne(db, sql: "SELECT * FROM player WHERE id = 1")?.detached()
    /// }
    /// ```
    ///
    /// The copy may share memory with the rows fetched together with this one.
    public func detached() -> DetachedRow { DetachedRow(self) }
}

extension RowStorage {
    /// The same values, with separate objects for the state that decoders change.
    fileprivate func separated() -> RowStorage {
        guard let prefetched = source.prefetched else { return self }
        return RowStorage(
            RowSource(
                source.values, columns: source.columns, isStrict: source.isStrict, prefetched: prefetched.separated()))
    }
}

extension DetachedRow {
    /// The number of columns.
    public var count: Int { layout.names.count }

    /// The names of the columns, from left to right.
    public var columnNames: [String] { layout.names }

    /// The value of the column at an index, where the leftmost column has index 0.
    ///
    /// - Precondition: the value can be converted to the type; NULL can only be converted to an optional.
    ///   ``Row/decode(_:atIndex:)`` throws an error instead.
    public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value { row[index] }

    /// The value of the leftmost column with this name, case-insensitively. A missing column gives nil for an optional.
    ///
    /// - Precondition: the value can be converted to the type.
    public subscript<Value: DatabaseValueConvertible>(_ columnName: String) -> Value { row[columnName] }

    /// The value of the column given by a column expression.
    ///
    /// - Precondition: the value can be converted to the type.
    public subscript<Value: DatabaseValueConvertible>(_ column: some ColumnExpression) -> Value { row[column.name] }
}

extension DetachedRow: Hashable, CustomStringConvertible {
    /// Whether both rows have the same columns in the same order, with the same values, scopes and prefetched rows.
    public static func == (lhs: DetachedRow, rhs: DetachedRow) -> Bool { lhs.row == rhs.row }

    /// Hashes the names and values of the columns.
    public func hash(into hasher: inout Hasher) { hasher.combine(row) }

    /// The names and values of the columns: `[id:1 name:"Arthur" score:NULL]`.
    public var description: String { row.description }
}
