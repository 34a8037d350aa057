// Rows read by typed columns.

extension Row {
    /// The value of a column, of the column's type.
    ///
    /// ```swift
    /// let score = row[Player.Columns.score]   // Int
    /// ```
    ///
    /// - Precondition: the value converts to the type. ``decode(_:)`` throws instead.
    public subscript<Value: DatabaseValueConvertible>(_ column: TypedColumn<Value>) -> Value { self[column.name] }

    /// Decodes the value of a column, of the column's type.
    ///
    /// - Throws: ``RowDecodingError`` for a missing column, or a value that does not convert.
    public func decode<Value: DatabaseValueConvertible>(_ column: TypedColumn<Value>) throws -> Value {
        try decode(Value.self, forColumn: column.name)
    }
}
