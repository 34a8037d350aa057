// The values that a record stores, by column. A plan provides a container that expects the columns of the last record
// of the type in order; setting the expected column costs a comparison and a store. The setters are `@inlinable`
// because `encode(to:)` is in the user's module (benchmark insert-struct).

/// The values that a record stores, by column.
///
/// ```swift
/// func encode(to container: inout PersistenceContainer) {
///     container["id"] = id
///     container[Columns.name] = name
/// }
/// ```
///
/// Column names are case-insensitive. If a column is set twice, it keeps its position and takes the last value.
///
/// Article: <doc:CodableAndHandwrittenRecords>.
public struct PersistenceContainer: Sendable {
    /// The columns. The first `setCount` columns have been set, in this order.
    @usableFromInline package var columns: [String]
    @usableFromInline package var values: [DatabaseValue]
    /// The number of columns that have been set. The remaining columns are those that the plan expects.
    @usableFromInline package var setCount = 0

    /// An empty container.
    package init() {
        columns = []
        values = []
    }

    /// An empty container that expects columns and reuses the storage of values.
    package init(expecting columns: [String], reusing values: [DatabaseValue]) {
        self.columns = columns
        self.values = values
    }

    /// The values that a record stores.
    package init(_ record: some EncodableRecord) throws {
        self.init()
        try record.encode(to: &self)
        finish()
    }

    /// Sets a column.
    @inlinable
    package mutating func set(_ column: String, _ value: consuming DatabaseValue) {
        let index = setCount
        if index < values.count, columns[index] == column {
            values[index] = value
            setCount = index &+ 1
            return
        }
        setUnexpected(column, value)
    }

    /// Sets a column other than the expected one.
    @usableFromInline
    mutating func setUnexpected(_ column: String, _ value: DatabaseValue) {
        forgetExpectations()
        if let index = columns.firstIndex(where: { $0.isSameDatabaseName(as: column) }) {
            values[index] = value
            return
        }
        columns.append(column)
        values.append(value)
        setCount += 1
    }

    private mutating func forgetExpectations() {
        guard columns.count > setCount || values.count > setCount else { return }
        columns.removeSubrange(setCount...)
        values.removeSubrange(setCount...)
    }

    /// Removes the expected columns that have not been set.
    package mutating func finish() {
        if setCount < columns.count { forgetExpectations() }
    }

    /// Replaces the values and removes the columns whose new value is nil.
    package mutating func filterMap(_ transform: (String, DatabaseValue) -> DatabaseValue?) {
        finish()
        var removed: [Int] = []
        for index in columns.indices {
            if let value = transform(columns[index], values[index]) {
                values[index] = value
            } else {
                removed.append(index)
            }
        }
        for index in removed.reversed() {
            columns.remove(at: index)
            values.remove(at: index)
        }
        setCount = columns.count
    }

    /// The value of a column; nil if it has not been set.
    package func value(forColumn column: String) -> DatabaseValue? {
        index(ofColumn: column).map { values[$0] }
    }

    package func index(ofColumn column: String) -> Int? {
        columns[..<setCount].firstIndex(of: column)
            ?? columns[..<setCount].firstIndex { $0.isSameDatabaseName(as: column) }
    }
}

extension PersistenceContainer {
    /// The value of a column. Setting nil stores NULL.
    @_disfavoredOverload
    public subscript(_ column: String) -> (any DatabaseValueConvertible)? {
        get { value(forColumn: column)?.storage.value }
        set { set(column, newValue?.databaseValue ?? .null) }
    }

    /// The value of a column. Setting nil stores NULL.
    @_disfavoredOverload
    public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
        get { self[column.name] }
        set { self[column.name] = newValue }
    }

    /// The value of a column, with a known type. Setting nil stores NULL.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ column: String) -> Value? {
        get { storedValue(column) }
        set { set(column, newValue?.databaseValue ?? .null) }
    }

    /// The value of a column, with a known type. Setting nil stores NULL.
    @inlinable
    public subscript<Value: DatabaseValueConvertible, C: ColumnExpression>(_ column: C) -> Value? {
        get { storedValue(column.name) }
        set { set(column.name, newValue?.databaseValue ?? .null) }
    }

    @usableFromInline
    func storedValue<Value: DatabaseValueConvertible>(_ column: String) -> Value? {
        value(forColumn: column).flatMap { Value.fromDatabaseValue($0) }
    }
}

extension PersistenceContainer: RandomAccessCollection {
    /// The position of a column.
    public typealias Index = Int

    /// The position of the first column.
    public var startIndex: Int { 0 }
    /// The position after the last column.
    public var endIndex: Int { setCount }

    /// A column and its value.
    public subscript(position: Int) -> (String, DatabaseValue) { (columns[position], values[position]) }
}
