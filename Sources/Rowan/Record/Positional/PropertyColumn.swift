// The columns of generated records and selections that are not read directly from a statement: by name, as JSON, and
// their errors.

/// The column of a property in a row.
@usableFromInline
struct PropertyColumn {
    private let row: Row
    /// The index of the column; nil if the row has none.
    private let index: Int?
    private let name: String
    private let record: any Any.Type

    init(_ row: Row, _ index: Int?, _ name: String, of record: any Any.Type) {
        (self.row, self.index, self.name, self.record) = (row, index, name, record)
    }

    @usableFromInline
    func decode<Value: DatabaseValueConvertible>() throws -> Value {
        if let index { return try row.decode(Value.self, atIndex: index) }
        if let value = Value.fromMissingColumn() { return value }
        throw error(Value.self)
    }

    /// The value with its own storage; nil for NULL and for a missing column.
    @usableFromInline
    func decodeIfPresent<Storage: ColumnStorage>(as storage: Storage) throws -> Storage.Value? {
        guard let index, !row.column(atUncheckedIndex: index).isNull else { return nil }
        if let value = storage.value(from: row.column(atUncheckedIndex: index)) { return value }
        throw error(Storage.Value.self)
    }

    /// A single value, or JSON.
    func decode<Value: Decodable>(codable: Value.Type) throws -> Value {
        try decode(Value.self) { try $0.decode(Value.self, at: CodingPath(nil, PlainCodingKey(stringValue: name))) }
    }

    func decodeJSON<Value: Decodable>() throws -> Value { try decode(Value.self) { try $0.decodeJSON(Value.self) } }

    private func decode<Value>(_ type: Value.Type, _ body: (PropertyDecoding) throws -> Value) throws -> Value {
        guard let index else { return try nullValue(type).orThrow(error(type)) }
        // Only record types that are fetched have properties to read.
        let property = PropertyDecoding(record as! any FetchableRecord.Type, row, index)
        if property.isNull, let null = nullValue(type) { return null }
        return try body(property)
    }

    /// The error of a missing column or of a value that can't be converted.
    @usableFromInline
    func error(_ type: any Any.Type) -> any Error {
        guard let index else { return row.missingColumnError(name) }
        return row.decodingError(type, at: index)
    }
}

/// Nil as a value of an optional type; nil for another type.
func nullValue<Value>(_ type: Value.Type) -> Value? { (type as? any OptionalType.Type)?.none as? Value }
