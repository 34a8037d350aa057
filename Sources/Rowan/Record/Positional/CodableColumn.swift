// Codable properties of generated records and selections: a single value, or JSON.

/// The column of a Codable property.
struct CodableColumn {
    private let row: Row
    private let index: Int?
    private let name: String
    private let type: any FetchableRecord.Type

    /// - Parameter index: the index of the column; nil if the row has none.
    init(_ row: Row, _ index: Int?, _ name: String, _ type: any FetchableRecord.Type) {
        (self.row, self.index, self.name, self.type) = (row, index, name, type)
    }

    func decode<Value: Decodable>() throws -> Value {
        try decode { try $0.decode(Value.self, at: CodingPath(nil, PlainCodingKey(stringValue: name))) }
    }

    func decodeJSON<Value: Decodable>() throws -> Value { try decode { try $0.decodeJSON(Value.self) } }

    private func decode<Value: Decodable>(_ body: (PropertyDecoding) throws -> Value) throws -> Value {
        guard let index else {
            if let null = nullValue(Value.self) { return null }
            throw row.missingColumnError(name)
        }
        let property = PropertyDecoding(type, row, index)
        if property.isNull, let null = nullValue(Value.self) { return null }
        return try body(property)
    }

}

/// Nil as a value of an optional type; nil for another type.
func nullValue<Value>(_ type: Value.Type) -> Value? { (type as? any Nullable.Type)?.missing as? Value }

/// An optional type.
private protocol Nullable { static var missing: Self { get } }

extension Optional: Nullable { static var missing: Wrapped? { nil } }
