// The parts of a Decodable record that are records: those of the same row, of scopes, of prefetched rows. Where a part
// comes from is looked for once for all the rows of a cursor (benchmark join-belongs-to-codable).

extension Row {
    /// The part of a record that was found for a previous row.
    func keptPart(_ key: String, _ type: any Any.Type, of owner: RowMemory.Owner) -> RowMemory.Part? {
        memory?.part(key, ObjectIdentifier(type), of: owner)
    }

    /// A part of a record, remembered for the next rows if the row object moves to them.
    func keepPart(_ key: String, _ type: any Any.Type, of owner: RowMemory.Owner, scope: Row?) -> RowMemory.Part {
        let part = RowMemory.Part(
            key: key, type: ObjectIdentifier(type), owner: owner, scope: scope,
            record: type as? any FetchableRecord.Type)
        if isMoved, scope?.isMoved ?? true { remembering().keep(part) }
        return part
    }
}

extension RowDecodable {
    /// The element of a row, as what it is: a type that is known by another name.
    static func element<T>(of row: Row, as type: T.Type) throws -> T {
        let element = try element(of: row)
        guard Self.self == T.self else { return element as! T }
        // Not `as!`: the types are the same one.
        return withUnsafePointer(to: element) {
            $0.withMemoryRebound(to: T.self, capacity: 1) { $0.pointee }
        }
    }
}

/// The decoder of prefetched rows: an array of records.
struct PrefetchedRowsDecoder: Decoder {
    let decoder: RecordDecoder
    let rows: PrefetchedGroup.Rows
    let path: String
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { decoder.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw DecodingError.typeMismatch(
            [Row].self, .init(codingPath: [], debugDescription: "\(path) has several rows: decode an array"))
    }
    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        PrefetchedRowsContainer(decoder: decoder, rows: rows, path: path)
    }
    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        throw DecodingError.typeMismatch(
            [Row].self, .init(codingPath: [], debugDescription: "\(path) has several rows: decode an array"))
    }
}

struct PrefetchedRowsContainer: UnkeyedDecodingContainer {
    let decoder: RecordDecoder
    let path: String
    private let walk: PrefetchedGroup.Walk
    private(set) var currentIndex = 0
    /// The type of the last record, if it builds itself from rows.
    private var record: (type: ObjectIdentifier, record: (any RowDecodable.Type)?)?
    var codingPath: [any CodingKey] { [] }
    var count: Int? { walk.rows.count }
    var isAtEnd: Bool { currentIndex == walk.rows.count }

    init(decoder: RecordDecoder, rows: PrefetchedGroup.Rows, path: String) {
        self.decoder = decoder
        walk = PrefetchedGroup.Walk(rows, of: decoder.row)
        self.path = path
    }

    private mutating func nextRow() throws -> Row {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Row.self, .init(codingPath: [], debugDescription: "\(path) has \(walk.rows.count) rows"))
        }
        defer { currentIndex += 1 }
        return walk.row(at: currentIndex)
    }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let row = try nextRow()
        let id = ObjectIdentifier(type)
        if record?.type != id { record = (id, type as? any FetchableRecord.Type) }
        if let record = record?.record { return try record.element(of: row, as: type) }
        return try decoder.on(row).decode(type)
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(RecordKeyedDecodingContainer<Key>(decoder.on(try nextRow())))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw DecodingError.typeMismatch(
            [Row].self, .init(codingPath: [], debugDescription: "a row of \(path) can't be decoded as an array"))
    }

    mutating func superDecoder() throws -> any Decoder { decoder.on(try nextRow()) }
}
