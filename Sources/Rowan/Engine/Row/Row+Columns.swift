// The values of columns by index, by name and by column expression, converted to the requested type or untyped.
// `@inlinable`: benchmarks fetch-index and fetch-name; the conversion is specialized in the user's module.

extension Row {
    /// The value of the column at an index, where the leftmost column has index 0.
    ///
    /// - Precondition: the value can be converted to the type; NULL can only be converted to an optional.
    ///   ``decode(_:atIndex:)`` throws an error instead.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value {
        if UInt(bitPattern: index) < UInt(bitPattern: liveCount) {
            if let value = Value.fromColumn(liveColumn(index)) { return value }
        } else {
            checkIndex(index)
            if let value = value(Value.self, at: index) { return value }
        }
        decodingFailed(Value.self, at: index)
    }

    /// The value of the leftmost column with this name, case-insensitively. A missing column gives nil for an optional.
    ///
    /// - Precondition: the value can be converted to the type. `decode(_:forColumn:)` throws an error instead.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ columnName: String) -> Value {
        if let index = index(ofColumn: columnName) {
            if index < liveCount {
                if let value = Value.fromColumn(liveColumn(index)) { return value }
            } else if let value = value(Value.self, at: index) {
                return value
            }
            decodingFailed(Value.self, at: index)
        }
        if let value = Value.fromMissingColumn() { return value }
        missingColumn(columnName)
    }

    /// The value of the column given by a column expression. A missing column gives nil for an optional.
    ///
    /// - Precondition: the value can be converted to the type. `decode(_:forColumn:)` throws an error instead.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ column: some ColumnExpression) -> Value {
        self[column.name]
    }

    /// The untyped value of the column at an index: an Int64, Double, String or Data, or nil for NULL.
    public subscript(_ index: Int) -> (any DatabaseValueConvertible)? {
        checkIndex(index)
        return column(atUncheckedIndex: index).databaseValue.storage.value
    }

    /// The untyped value of the leftmost column with this name; nil for NULL or a missing column.
    public subscript(_ columnName: String) -> (any DatabaseValueConvertible)? {
        index(ofColumn: columnName).flatMap { column(atUncheckedIndex: $0).databaseValue.storage.value }
    }

    /// The untyped value of the column given by a column expression; nil for NULL or a missing column.
    public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? { self[column.name] }

    /// The first non-NULL value of several columns. Missing columns and values that can't be converted count as NULL.
    public func coalesce<T: DatabaseValueConvertible>(_ columns: some Collection<String>) -> T? {
        for name in columns {
            guard let index = index(ofColumn: name) else { continue }
            if !column(atUncheckedIndex: index).isNull, let value = value(T.self, at: index) { return value }
        }
        return nil
    }

    /// The first non-NULL value of several column expressions.
    public func coalesce<T: DatabaseValueConvertible>(_ columns: [any ColumnExpression]) -> T? {
        coalesce(columns.map(\.name))
    }

    /// Decodes the column at an index.
    ///
    /// - Throws: ``RowDecodingError`` for a missing column or a value that can't be converted.
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, atIndex index: Int
    ) throws -> Value {
        guard index >= 0, index < count else { throw indexError(index) }
        guard let value = value(Value.self, at: index) else {
            throw decodingError(Value.self, at: index)
        }
        return value
    }

    /// Decodes the leftmost column with this name.
    ///
    /// - Throws: ``RowDecodingError`` for a missing column or a value that can't be converted.
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, forColumn columnName: String
    ) throws -> Value {
        guard let index = index(ofColumn: columnName) else {
            if let value = Value.fromMissingColumn() { return value }
            throw missingColumnError(columnName)
        }
        return try decode(type, atIndex: index)
    }

    /// Decodes the column given by a column expression.
    ///
    /// - Throws: ``RowDecodingError`` for a missing column or a value that can't be converted.
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
            reason: "could not decode \(type) from \(value.errorOutline)",
            expandedReason: "could not decode \(type) from database value \(value.errorDescription)",
            column: layout.names[index], columnIndex: index, databaseValue: value, row: self)
    }

    func indexError(_ index: Int) -> RowDecodingError {
        RowDecodingError(
            reason: "column index \(index) is out of range: the row has \(count) columns, numbered from 0",
            columnIndex: index, row: self)
    }

    package func missingColumnError(_ name: String) -> RowDecodingError {
        RowDecodingError(reason: "column not found: \(name.debugDescription)", column: name, row: self)
    }

    /// Whether the connection's configuration lets errors show values. A copied row has no connection.
    package var showsValues: Bool { statement?.connection.publicStatementArguments ?? false }

    /// The start of the row, for an error message: at most 20 columns, with 20 bytes of each value.
    var errorDescription: String { start { $0.errorDescription(limit: 20) } }

    /// The start of the row for an error message, with storage classes instead of values.
    var errorOutline: String { start(\.storageClass) }

    private func start(_ text: (DatabaseValue) -> String) -> String {
        let columns = layout.names.prefix(20).enumerated().map { index, name in
            "\(name.prefix(utf8Count: 40)):\(text(column(atUncheckedIndex: index).databaseValue))"
        }
        return "[\((columns + (count > 20 ? ["…"] : [])).joined(separator: " "))]"
    }

    // Never inlined: building the message would slow down each column (benchmark fetch-index).
    @inline(never) @usableFromInline
    func decodingFailed(_ type: any Any.Type, at index: Int) -> Never {
        fatalError("\(decodingError(type, at: index))")
    }

    @inline(never) @usableFromInline
    func missingColumn(_ name: String) -> Never {
        fatalError("\(missingColumnError(name))")
    }
}
