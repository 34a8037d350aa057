// Requests as JSON. The rows of SQLite are written directly, without intermediate records or an encoder.

public import RowanPlatform

extension FetchRequest {
    /// The fetched rows as a JSON array, in UTF-8.
    ///
    /// ```swift
    /// struct Player: Codable, FetchableRecord, TableRecord {
    ///     var id: Int64
    ///     var name: String
    ///     var isCaptain: Bool
    ///     var joined: Date
    /// }
    ///
    /// // SELECT * FROM "player" ORDER BY "name"
    /// let json = try Player.order(Column("name")).json(db)
    /// // [{"id":1,"name":"Arthur","isCaptain":true,"joined":"2024-01-31T10:00:00.000Z"}]
    /// ```
    ///
    /// The result is that of a `JSONEncoder` for the fetched records, with dates in ISO 8601, in UTC and with
    /// milliseconds. It takes a fraction of the time because no record is decoded: a `Decodable` record, or one with a
    /// macro, lists its properties once, and the columns are written by their types. Other columns are left out, as are
    /// properties that are nil. Records in included associations are nested objects, and prefetched records nested
    /// arrays. `Data` is Base64, and stored JSON is nested unchanged.
    ///
    /// A type whose values only its own code can determine is decoded and encoded row by row: a type with another date
    /// strategy, with its own conversion for a property, or whose `init(from:)` rejects placeholders. It must be
    /// `Encodable`. For other types, neither `init(from:)` nor `encode(to:)` runs for each row, so what they compute is
    /// not in the result.
    ///
    /// For rows, and for records that are neither `Decodable` nor `Encodable`, all columns are written under their
    /// names. A single value per row results in an array of values.
    ///
    /// - Throws: a ``DatabaseError``, whose code is SQLITE_MISUSE for a type that must be `Encodable`; a
    ///   ``RowDecodingError`` for NULL in a property that is not optional, an infinite number, or text that isn't valid
    ///   JSON where JSON is expected; an error of a type that is decoded and encoded.
    /// - Complexity: O(*n*) for *n* bytes of JSON, which are kept in memory.
    ///
    /// Source: <https://www.rfc-editor.org/rfc/rfc8259>
    public func json(_ db: Database) throws -> Data {
        try JSONOutput.data { text in
            let rows = try Row.fetchCursor(db, self)
            let writer = JSONRowWriter.Nested(RowDecoder.self)
            text.append(byte: UInt8(ascii: "["))
            var isFirst = true
            while let row = try rows.next() {
                if !isFirst { text.append(byte: UInt8(ascii: ",")) }
                isFirst = false
                try writer.write(row, to: text)
            }
            text.append(byte: UInt8(ascii: "]"))
        }
    }

    /// The first fetched row as a JSON object; nil without rows.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" = ?
    /// let json = try Player.filter(key: 1).jsonOne(db)
    /// // {"id":1,"name":"Arthur","isCaptain":true,"joined":"2024-01-31T10:00:00.000Z"}
    /// ```
    ///
    /// - Returns: what ``json(_:)`` writes for the row.
    /// - Throws: the errors of ``json(_:)``.
    ///
    /// Source: <https://www.rfc-editor.org/rfc/rfc8259>
    public func jsonOne(_ db: Database) throws -> Data? {
        guard let row = try Row.fetchOne(db, self) else { return nil }
        return try JSONOutput.data { text in try JSONRowWriter.Nested(RowDecoder.self).write(row, to: text) }
    }
}

/// Collects chunks of text.
private final class JSONOutput: TextOutputStream {
    private var data = Data()

    static func data(_ write: (TextBuffer) throws -> Void) rethrows -> Data {
        let output = JSONOutput()
        let text = TextBuffer(output)
        try write(text)
        text.flushAll()
        return output.data
    }

    func write(_ string: String) { data.append(contentsOf: string.utf8) }
}
