// Typed columns as row subscripts.

extension Row {
    /// The value of a typed column, with the type of the column.
    ///
    /// ```swift
    /// let score = row[Player.Columns.score]   // Int
    /// ```
    ///
    /// - Precondition: the value converts to the type. ``decode(_:)`` throws an error instead.
    public subscript<Value: DatabaseValueConvertible>(_ column: TypedColumn<Value>) -> Value { self[column.name] }

    /// Decodes a typed column, with the type of the column.
    ///
    /// - Throws: ``RowDecodingError`` for a missing column, or a value that does not convert.
    public func decode<Value: DatabaseValueConvertible>(_ column: TypedColumn<Value>) throws -> Value {
        try decode(Value.self, forColumn: column.name)
    }
}
