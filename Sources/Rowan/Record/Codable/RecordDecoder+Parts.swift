// The properties of Decodable records that are records themselves, decoded from the same row, from scopes, or from
// prefetched rows. The source of each part is determined once for all rows of a cursor (benchmark
// join-belongs-to-codable).

extension Row {
    /// The part of a record that was found in a previous row.
    func keptPart(_ key: String, _ type: any Any.Type, of owner: RowMemory.Owner) -> RecordPart? {
        // All parts are created below.
        memory?.part(key, ObjectIdentifier(type), of: owner).map { $0 as! RecordPart }
    }

    /// Stores a part of a record for the next rows if the row object moves to them.
    func keep(_ part: RecordPart) {
        if isMoved, part.scope?.isMoved ?? true { remembering().keep(part) }
    }
}

/// A property that is a record.
final class RecordPart: RowMemory.Part {
    /// The type of the property, if it decodes itself from rows.
    let record: (any FetchableRecord.Type)?

    override init(
        _ key: some CodingKey, _ type: any Any.Type, of owner: RowMemory.Owner, scope: Row?, path: CodingPath?
    ) {
        record = type as? any FetchableRecord.Type
        super.init(key, type, of: owner, scope: scope, path: path)
    }
}

extension FetchableRecord {
    /// Decodes a row to a record whose type is known as `T`.
    static func element<T>(of row: Row, as type: T.Type) throws -> T {
        let element = try RecordElements<Self>.element(of: row)
        guard Self.self == T.self else { return element as! T }
        // Not `as!`: the types are identical.
        return withUnsafePointer(to: element) {
            $0.withMemoryRebound(to: T.self, capacity: 1) { $0.pointee }
        }
    }
}

/// The decoder of prefetched rows: an array of records.
struct PrefetchedRowsDecoder: Decoder {
    /// The decoder of the record that owns the rows, at the key of the rows.
    let decoder: RecordDecoder
    let rows: PrefetchedGroup.Rows
    let name: String
    var codingPath: [any CodingKey] { decoder.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { decoder.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw DecodingError.typeMismatch(
            [Row].self, .init(codingPath: codingPath, debugDescription: "\(name) has several rows: decode an array"))
    }
    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        PrefetchedRowsContainer(decoder: decoder, rows: rows, name: name)
    }
    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        throw DecodingError.typeMismatch(
            [Row].self, .init(codingPath: codingPath, debugDescription: "\(name) has several rows: decode an array"))
    }
}

struct PrefetchedRowsContainer: UnkeyedDecodingContainer {
    /// The decoder of the record that owns the rows, at the key of the rows.
    let decoder: RecordDecoder
    let name: String
    private let walk: PrefetchedGroup.Walk
    private(set) var currentIndex = 0
    /// The last record type, if it decodes itself from rows.
    private var record: (type: ObjectIdentifier, record: (any FetchableRecord.Type)?)?
    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { walk.rows.count }
    var isAtEnd: Bool { currentIndex == walk.rows.count }

    init(decoder: RecordDecoder, rows: PrefetchedGroup.Rows, name: String) {
        self.decoder = decoder
        walk = PrefetchedGroup.Walk(rows, of: decoder.row)
        self.name = name
    }

    private mutating func nextRow() throws -> Row {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Row.self, .init(codingPath: codingPath, debugDescription: "\(name) has \(walk.rows.count) rows"))
        }
        defer { currentIndex += 1 }
        return walk.row(at: currentIndex)
    }

    /// The decoder of the next row, for a type that is only Decodable.
    private mutating func nextDecoder() throws -> RecordDecoder {
        let key = PlainCodingKey(intValue: currentIndex)
        return decoder.on(try nextRow(), CodingPath(decoder.path, key))
    }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let id = ObjectIdentifier(type)
        if record?.type != id { record = (id, type as? any FetchableRecord.Type) }
        if let record = record?.record { return try record.element(of: nextRow(), as: type) }
        return try nextDecoder().decodeAssociated(type)
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(RecordKeyedDecodingContainer<Key>(try nextDecoder()))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw DecodingError.typeMismatch(
            [Row].self, .init(codingPath: codingPath, debugDescription: "a row of \(name) can't be decoded as an array")
        )
    }

    mutating func superDecoder() throws -> any Decoder { try nextDecoder() }
}
