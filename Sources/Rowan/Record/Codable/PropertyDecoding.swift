// Properties of Codable records: a column as a value or as JSON.

import RowanPlatform

extension DatabaseValueConvertible {
    fileprivate static func decodeColumn(_ row: Row, _ index: Int) throws -> Self {
        try row.decode(Self.self, atIndex: index)
    }
}

/// Decodes a property of a record from its column.
struct PropertyDecoding: SingleValueSource {
    let record: any FetchableRecord.Type
    let row: Row
    let index: Int

    init(_ record: any FetchableRecord.Type, _ row: Row, _ index: Int) {
        self.record = record
        self.row = row
        self.index = index
    }

    private var column: ColumnValue { row.column(atUncheckedIndex: index) }
    private var name: String { row.layout.names[index] }

    /// - Parameter path: the path of the property, evaluated only for types that need it.
    func decode<T: Decodable>(_ type: T.Type, at path: @autoclosure () -> CodingPath) throws -> T {
        // Not `as!`, which costs as much as the rest of the decoding: the types are identical (benchmark
        // fetch-place-codable).
        if T.self == Date.self { return unsafeBitCast(try date(), to: T.self) }
        if T.self == Data.self { return try data() as! T }
        if let type = type as? any DatabaseValueConvertible.Type { return try type.decodeColumn(row, index) as! T }
        do {
            if let value = try SingleValueDecoder.decode(T.self, from: self, at: path()) { return value }
        } catch let error as DecodingError where !row.showsValues {
            throw error.withoutValues
        }
        return try decodeJSON(type)
    }

    /// The value, or nil for a JSON null, unless the column of the type may contain this text.
    func decodeIfPresent<T: Decodable>(_ type: T.Type, at path: @autoclosure () -> CodingPath) throws -> T? {
        guard column.isJSONNull, !(type is any DatabaseValueConvertible.Type) else {
            return try decode(type, at: path())
        }
        return try decode(T?.self, at: path())
    }

    func decodeJSON<T: Decodable>(_ type: T.Type) throws -> T {
        do {
            if let value = try row.jsonDecoder(of: record, at: index).decode(T.self, from: column) { return value }
        } catch {
            let cause = "\(error)".prefix(utf8Count: 400)
            throw RowDecodingError(
                reason:
                    "could not decode \(T.self) from JSON: \((error as? DecodingError)?.summary ?? "\(Swift.type(of: error))")",
                expandedReason:
                    "could not decode \(T.self) from JSON \(column.databaseValue.errorDescription): \(cause)",
                column: name, columnIndex: index, databaseValue: column.databaseValue, row: row)
        }
        throw row.decodingError(T.self, at: index)
    }

    var userInfo: [CodingUserInfoKey: Any] { row.jsonDecoder(of: record, at: index).userInfo }

    func jsonDocument() -> JSONDocument? { row.jsonDecoder(of: record, at: index).document(column) }

    /// A value that is the whole content of a property and is decoded like the property.
    func decode<T: Decodable>(_ type: T.Type, in decoder: SingleValueDecoder<Self>) throws -> T {
        if T.self == Date.self { return unsafeBitCast(try date(), to: T.self) }
        if T.self == Data.self { return try data() as! T }
        if let type = type as? any DatabaseValueConvertible.Type { return try type.decodeColumn(row, index) as! T }
        return try decoder.decodePart(type)
    }

    private func date() throws -> Date {
        if let date = record.databaseDateDecodingStrategy(for: name).decode(column) { return date }
        throw row.decodingError(Date.self, at: index)
    }

    private func data() throws -> Data {
        let data: Data? =
            switch record.databaseDataDecodingStrategy(for: name) {
            case .deferredToData: Data.fromColumn(column)
            case .custom(let decode): column.isNull ? nil : decode(column.databaseValue)
            }
        if let data { return data }
        throw row.decodingError(Data.self, at: index)
    }

    var isNull: Bool { column.isNull }
}

extension Row {
    /// The decoder of a JSON column, stored for the next rows if the row object moves to them.
    fileprivate func jsonDecoder(of record: any FetchableRecord.Type, at index: Int) -> JSONColumnDecoder {
        if let decoder = memory?.jsonDecoder(of: ObjectIdentifier(record), at: index) { return decoder }
        let decoder = JSONColumnDecoder(
            record.databaseJSONDecoder(for: layout.names[index]), userInfo: record.databaseDecodingUserInfo)
        if isMoved { remembering().keep(decoder, of: ObjectIdentifier(record), at: index) }
        return decoder
    }
}
