// Typed columns as row subscripts.

extension Row {
    /// The value of a typed column, in the type of the column.
    ///
    /// ```swift
    /// let score = row[Player.Columns.score]   // Int
    /// ```
    ///
    /// - Precondition: the value can be converted to the type. ``decode(_:)`` throws an error instead.
    public subscript<Value: DatabaseValueConvertible>(_ column: TypedColumn<Value>) -> Value {
        guard column.decode != nil else { return self[column.name] }
        do { return try decode(column) } catch { fatalError("\(error)") }
    }

    /// Decodes a typed column to the type of the column.
    ///
    /// - Throws: ``RowDecodingError`` for a missing column or a value that can't be converted.
    public func decode<Value: DatabaseValueConvertible>(_ column: TypedColumn<Value>) throws -> Value {
        guard let decode = column.decode else { return try self.decode(Value.self, forColumn: column.name) }
        guard let index = index(ofColumn: column.name) else {
            if let value = Value.fromMissingColumn() { return value }
            throw missingColumnError(column.name)
        }
        if let value = decode(self.column(atUncheckedIndex: index)) { return value }
        throw decodingError(Value.self, at: index)
    }

    /// Not available: the column determines the type.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message:
            "the column has another type than the value: declare the value with the type of the column, or use `row[Columns.score.untyped]`"
    )
    public subscript<Value, Other>(_ column: TypedColumn<Value>) -> Other { fatalError() }
}
