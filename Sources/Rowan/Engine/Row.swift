// A row is a view: on the current row of a statement (live), or on values that were copied (owned). A copied row
// and an adapted row are owned; adapters and scopes are data (RowMapping), not more classes.
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
    /// The statement whose current row this is; nil for an owned row.
    @usableFromInline let liveStatement: SQLiteStatement?
    @usableFromInline let isStrict: Bool
    @usableFromInline let layout: ColumnLayout

    /// The number of columns.
    public let count: Int

    /// The number of columns that read straight from the statement: all of a live row, unless conversions are
    /// strict, and none of an owned row. One comparison settles it for each column.
    @usableFromInline let liveCount: Int

    /// Where the next name is expected. Touched at each lookup by name, in the loop: no exclusivity check.
    @exclusivity(unchecked) @usableFromInline var expectedIndex = 0

    /// The values of an owned row, and of the row it is a part of.
    @exclusivity(unchecked) @usableFromInline package var values: [DatabaseValue]

    /// The column of the statement, or the value, that is the first column of this row: a scope is a part of a row.
    @exclusivity(unchecked) @usableFromInline var offset: Int

    /// The value that is the first of the whole row, in values that several rows share.
    @exclusivity(unchecked) var base = 0

    /// Keeps the statement of a live row alive, and tells the SQL of errors.
    package let statement: Statement?

    /// What an adapted row is made from.
    package let adaptation: Adaptation?
    @usableFromInline package let isAdapted: Bool

    /// The columns of the coding keys of a record type whose keys do not have the names of columns.
    package var codingColumns: (record: ObjectIdentifier, columns: [String: String])?

    /// Whether a cursor moves this row object, and will end what it keeps for its decoder.
    @exclusivity(unchecked) package var keepsDecoding = false

    /// What the decoders of types keep from one row to the next. It may hold the row: `endDecoding` breaks the cycle.
    @exclusivity(unchecked) package var decoding: [(type: ObjectIdentifier, key: ObjectIdentifier, state: AnyObject)] =
        []

    /// The rows of scopes that were asked for. They move with this one.
    @exclusivity(unchecked) var keptScopes: [(name: String, row: Row)] = []

    /// The parts of the record that decode from this row or from a scope, once they were looked for.
    @exclusivity(unchecked) package var keptParts: [KeptPart] = []

    /// The prefetched rows of associations, of this row and of its scopes.
    @exclusivity(unchecked) package var prefetchedTree: PrefetchedRows?

    package enum Adaptation {
        /// Columns of the statement that stand side by side: the row reads them where they are.
        case slice(RowMapping, unadapted: ColumnLayout)
        /// Any columns of another row.
        case mapped(RowMapping, base: Row)

        var mapping: RowMapping {
            switch self {
            case .slice(let mapping, _), .mapped(let mapping, _): mapping
            }
        }
    }

    /// A view on the current row of a statement.
    @usableFromInline
    package init(statement: Statement) {
        self.statement = statement
        liveStatement = statement.sqliteStatement
        isStrict = statement.connection.isStrict
        layout = statement.layout
        count = layout.names.count
        liveCount = isStrict ? 0 : count
        values = []
        offset = 0
        adaptation = nil
        isAdapted = false
    }

    /// A part of a row: some of its columns, which stand side by side.
    init(_ mapping: RowMapping, _ range: Range<Int>, of row: Row, unadapted: ColumnLayout) {
        statement = row.statement
        liveStatement = row.liveStatement
        isStrict = row.isStrict
        layout = mapping.layout
        count = range.count
        base = row.base
        offset = row.base + range.lowerBound
        // The fast path reads the columns of the statement by the index in the row.
        liveCount = row.liveStatement != nil && !row.isStrict && range.lowerBound == 0 ? range.count : 0
        values = row.values
        adaptation = .slice(mapping, unadapted: unadapted)
        isAdapted = false
    }

    /// An owned row.
    package init(
        layout: ColumnLayout, values: [DatabaseValue], base: Int = 0, isStrict: Bool = false,
        statement: Statement? = nil, adaptation: Adaptation? = nil
    ) {
        self.layout = layout
        self.values = values
        self.count = layout.names.count
        self.isStrict = isStrict
        self.statement = statement
        self.adaptation = adaptation
        self.base = base
        offset = base
        isAdapted = adaptation != nil
        liveStatement = nil
        liveCount = 0
    }

    /// A row without columns.
    public convenience init() { self.init(layout: ColumnLayout(names: []), values: []) }

    /// An independent copy, which does not change when its cursor moves on.
    public func copy() -> Row {
        let copy: Row
        switch adaptation {
        case .slice(let mapping, let unadapted):
            guard liveStatement != nil || keepsDecoding else { return self }
            let values = copiedValues(count: unadapted.names.count)
            copy = Row(layout: unadapted, values: values, base: base, isStrict: isStrict).adapted(by: mapping)
        case .mapped(let mapping, let base):
            copy = base.copy().adapted(by: mapping)
        case nil:
            guard liveStatement != nil || keepsDecoding else { return self }
            copy = Row(layout: layout, values: copiedValues(count: count), base: base, isStrict: isStrict)
        }
        copy.prefetchedTree = prefetchedTree
        return copy
    }

    /// The values of the statement's current row, or those that this row is a part of.
    private func copiedValues(count: Int) -> [DatabaseValue] {
        guard let liveStatement else { return values }
        return (0..<CInt(count)).map { DatabaseValue(sqliteStatement: liveStatement, index: $0) }
    }

    /// The column, as decoders see it.
    ///
    /// - Precondition: the index is valid.
    @inlinable
    func column(atUncheckedIndex index: Int) -> ColumnValue {
        if let liveStatement {
            return .statement(liveStatement, index: CInt(truncatingIfNeeded: offset &+ index), strict: isStrict)
        }
        return .owned(values[offset &+ index], strict: isStrict)
    }

    /// The column of a live row.
    ///
    /// - Precondition: the index is below `liveCount`, which tells that there is a statement.
    @inlinable
    func liveColumn(_ index: Int) -> ColumnValue {
        .statement(liveStatement.unsafelyUnwrapped, index: CInt(truncatingIfNeeded: index), strict: false)
    }

    /// The index of the leftmost column with a name.
    @inlinable
    package func index(ofColumn name: String) -> Int? {
        let expected = expectedIndex
        if expected < count, layout.names[expected] == name, expected == 0 || hasUniqueNames {
            expectedIndex = expected &+ 1 == count ? 0 : expected &+ 1
            return expected
        }
        return searchIndex(ofColumn: name)
    }

    /// With two columns of one name, the prediction could skip the leftmost.
    @inlinable
    var hasUniqueNames: Bool { layout.hasUniqueNames }

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

// MARK: - Column values

extension Row {
    /// The value of the column at an index, from 0 for the leftmost.
    ///
    /// - Precondition: the value converts to the type; a NULL only does to an optional.
    ///   ``decode(_:atIndex:)`` throws instead.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value {
        if UInt(bitPattern: index) < UInt(bitPattern: liveCount) {
            if let value = Value.fromColumn(liveColumn(index)) { return value }
        } else {
            checkIndex(index)
            if let value = Value.fromColumn(column(atUncheckedIndex: index)) { return value }
        }
        decodingFailed(Value.self, at: index)
    }

    /// The value of the leftmost column with a name, case-insensitively. A missing column gives nil to an optional.
    ///
    /// - Precondition: the value converts to the type. ``decode(_:forColumn:)`` throws instead.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ columnName: String) -> Value {
        if let index = index(ofColumn: columnName) {
            if index < liveCount {
                if let value = Value.fromColumn(liveColumn(index)) { return value }
            } else if let value = Value.fromColumn(column(atUncheckedIndex: index)) {
                return value
            }
            decodingFailed(Value.self, at: index)
        }
        if let value = Value.fromMissingColumn() { return value }
        missingColumn(columnName)
    }

    /// The value of the leftmost column with the name of a column expression.
    ///
    /// - Precondition: the value converts to the type. ``decode(_:forColumn:)`` throws instead.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ column: some ColumnExpression) -> Value {
        self[column.name]
    }

    /// The Int64, Double, String, Data or nil of the column at an index.
    public subscript(_ index: Int) -> (any DatabaseValueConvertible)? {
        checkIndex(index)
        return column(atUncheckedIndex: index).databaseValue.storage.value
    }

    /// The Int64, Double, String, Data or nil of the leftmost column with a name.
    public subscript(_ columnName: String) -> (any DatabaseValueConvertible)? {
        index(ofColumn: columnName).flatMap { column(atUncheckedIndex: $0).databaseValue.storage.value }
    }

    /// The Int64, Double, String, Data or nil of the leftmost column with the name of a column expression.
    public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? { self[column.name] }

    /// The first value that is not NULL among columns; missing columns, and values that don't convert, count as NULL.
    public func coalesce<T: DatabaseValueConvertible>(_ columns: some Collection<String>) -> T? {
        for name in columns {
            guard let index = index(ofColumn: name) else { continue }
            let column = column(atUncheckedIndex: index)
            if !column.isNull, let value = T.fromColumn(column) { return value }
        }
        return nil
    }

    /// The first value that is not NULL among columns; missing columns, and values that don't convert, count as NULL.
    public func coalesce<T: DatabaseValueConvertible>(_ columns: [any ColumnExpression]) -> T? {
        coalesce(columns.map(\.name))
    }

    /// Decodes the column at an index.
    ///
    /// - Throws: ``RowDecodingError`` for a missing column, or a value that does not convert.
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, atIndex index: Int
    ) throws -> Value {
        guard index >= 0, index < count else { throw indexError(index) }
        guard let value = Value.fromColumn(column(atUncheckedIndex: index)) else {
            throw decodingError(Value.self, at: index)
        }
        return value
    }

    /// Decodes the leftmost column with a name.
    ///
    /// - Throws: ``RowDecodingError`` for a missing column, or a value that does not convert.
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, forColumn columnName: String
    ) throws -> Value {
        guard let index = index(ofColumn: columnName) else {
            if let value = Value.fromMissingColumn() { return value }
            throw missingColumnError(columnName)
        }
        return try decode(type, atIndex: index)
    }

    /// Decodes the leftmost column with the name of a column expression.
    ///
    /// - Throws: ``RowDecodingError`` for a missing column, or a value that does not convert.
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, forColumn column: some ColumnExpression
    ) throws -> Value {
        try decode(type, forColumn: column.name)
    }
}

// MARK: - Errors

extension Row {
    package func decodingError(_ type: any Any.Type, at index: Int) -> RowDecodingError {
        let value = column(atUncheckedIndex: index).databaseValue
        return RowDecodingError(
            reason: "could not decode \(type) from database value \(value.errorDescription)",
            column: layout.names[index], columnIndex: index, databaseValue: value, sql: statement?.sql)
    }

    private func indexError(_ index: Int) -> RowDecodingError {
        RowDecodingError(
            reason: "row index out of range: the row has \(count) columns, numbered from 0", columnIndex: index,
            sql: statement?.sql)
    }

    package func missingColumnError(_ name: String) -> RowDecodingError {
        RowDecodingError(
            reason: "column not found: \"\(name)\" (the row has: \(layout.names.joined(separator: ", ")))",
            column: name, sql: statement?.sql)
    }

    @usableFromInline
    func decodingFailed(_ type: any Any.Type, at index: Int) -> Never {
        fatalError("\(decodingError(type, at: index))")
    }

    @usableFromInline
    func missingColumn(_ name: String) -> Never {
        fatalError("\(missingColumnError(name))")
    }
}

// MARK: - Data without copy

extension Row {
    /// Calls the closure with the bytes of the column at an index, which are not copied: don't keep them.
    ///
    /// - Throws: ``RowDecodingError`` for a missing column, and the errors of the closure.
    public func withUnsafeData<T>(atIndex index: Int, _ body: (Data?) throws -> T) throws -> T {
        guard index >= 0, index < count else { throw indexError(index) }
        guard let liveStatement else { return try body(column(atUncheckedIndex: index).data) }
        let column = CInt(offset + index)
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
