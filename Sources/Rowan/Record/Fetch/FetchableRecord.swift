// Records that are decoded from rows.

public import RowanPlatform

/// A type that is decoded from a row.
///
/// ```swift
/// struct Player: FetchableRecord {
///     var id: Int64
///     var name: String
///     init(row: Row) throws {
///         id = row["id"]
///         name = try row.decode(forColumn: "name")   // throws an error for NULL; row["name"] stops the program
///     }
/// }
/// let players = try Player.fetchAll(db, sql: "SELECT * FROM player")
///
/// // A Decodable type needs no code:
/// struct Team: Decodable, FetchableRecord { var id: Int64; var name: String }
/// ```
///
/// A cursor uses the same row object for all records: copy the row if you keep it.
///
/// Article: <doc:DesigningRecordTypes>.
public protocol FetchableRecord: SendableMetatype {
    /// Decodes a record from a row.
    init(row: Row) throws

    /// The `userInfo` of decoders, for Decodable records.
    static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { get }

    /// The decoder of JSON columns, for Decodable records.
    static func databaseJSONDecoder(for column: String) -> JSONDecoder

    /// The decoding of data in a column, for Decodable records.
    static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy

    /// The decoding of dates in a column, for Decodable records.
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy

    /// The mapping from column names to coding keys, for Decodable records.
    static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { get }

    /// The columns if generated code reads them by position: see ``PositionalRecord``.
    static var _fetchLayout: RecordLayout? { get }
    /// Decodes a record from columns whose positions are known. For generated code: see ``PositionalRecord``.
    static func _element(of columns: RecordColumns) throws -> Self
}

extension FetchableRecord {
    /// By default, empty.
    public static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [:] }
    /// By default, a decoder with base64 data and dates in milliseconds since 1970.
    public static func databaseJSONDecoder(for column: String) -> JSONDecoder { .database }
    /// By default, data is decoded from blobs and text.
    public static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
        .deferredToData
    }
    /// By default, dates are decoded from SQLite's formats and from seconds since 1970.
    public static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .deferredToDate
    }
    /// By default, columns have the names of coding keys.
    public static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { .useDefaultKeys }

    /// By default, nil.
    @inlinable
    public static var _fetchLayout: RecordLayout? { nil }
    /// By default, decodes the row.
    public static func _element(of columns: RecordColumns) throws -> Self { try Self(row: columns.row) }
}

/// Decodes rows to records.
public enum RecordElements<Record: FetchableRecord>: RowDecoding {
    /// The record of a row.
    @inlinable
    public static func element(of row: Row) throws -> Record {
        do {
            // For types that are not generated, the optimizer removes this.
            if let layout = Record._fetchLayout, row.hasPositions(of: layout) {
                return try Record._element(of: RecordColumns(positionsOf: row, layout))
            }
            return try Record(row: row)
        } catch {
            throw RowDecodingError.naming(Record.self, error)
        }
    }
}

/// A cursor of records.
public typealias RecordCursor<Record: FetchableRecord> = FetchCursor<RecordElements<Record>>

/// The mapping from column names to coding keys.
public enum DatabaseColumnDecodingStrategy: Sendable {
    /// Columns have the names of coding keys.
    case useDefaultKeys
    /// The column `team_id` matches the key `teamId`.
    case convertFromSnakeCase
    /// A custom mapping from column names to keys.
    case custom(@Sendable (String) -> any CodingKey)
}

/// The decoding of dates. A number beyond the years -99,999,999 to 99,999,999 is a decoding error. Where a number is
/// expected, so is a blob or non-numeric text.
public enum DatabaseDateDecodingStrategy: Sendable {
    /// From SQLite's formats and seconds since 1970, as for `Date` itself.
    case deferredToDate
    /// From seconds since 2001-01-01 00:00:00 UTC.
    case timeIntervalSinceReferenceDate
    /// From seconds since 1970-01-01 00:00:00 UTC.
    case timeIntervalSince1970
    /// From milliseconds since 1970-01-01 00:00:00 UTC.
    case millisecondsSince1970
    /// From ISO 8601 text.
    case iso8601
    /// From text in the format of a formatter.
    case formatted(any DatabaseDateFormatter)
    /// A custom conversion; nil is a decoding error.
    case custom(@Sendable (DatabaseValue) -> Date?)
}

/// The decoding of data.
public enum DatabaseDataDecodingStrategy: Sendable {
    /// From blobs and text, as for `Data` itself.
    case deferredToData
    /// A custom conversion; nil is a decoding error.
    case custom(@Sendable (DatabaseValue) -> Data?)
}

extension DatabaseDateDecodingStrategy {
    func decode(_ column: ColumnValue) -> Date? {
        switch self {
        case .deferredToDate: Date.fromColumn(column)
        case .timeIntervalSinceReferenceDate:
            column.number.flatMap { Date(storedSeconds: $0, since: Date(timeIntervalSinceReferenceDate: 0)) }
        case .timeIntervalSince1970: column.number.flatMap { Date(storedSeconds: $0) }
        case .millisecondsSince1970: column.number.flatMap { Date(storedSeconds: $0 / 1_000) }
        case .iso8601: ISO8601Storage().value(from: column)
        case .formatted(let formatter): column.string.flatMap(formatter.date(from:))
        case .custom(let decode): decode(column.databaseValue)
        }
    }
}

// MARK: - Fetching by key, fetching all

extension FetchableRecord where Self: TableRecord {
    /// A cursor over all records of the table.
    public static func fetchCursor(_ db: Database) throws -> RecordCursor<Self> { try all().fetchCursor(db) }

    /// All records of the table.
    public static func fetchAll(_ db: Database) throws -> [Self] { try all().fetchAll(db) }

    /// The first record that SQLite returns, or nil.
    public static func fetchOne(_ db: Database) throws -> Self? { try all().fetchOne(db) }

    /// A cursor over the records with some primary keys.
    public static func fetchCursor<Keys: Collection>(_ db: Database, keys: Keys) throws -> RecordCursor<Self>
    where Keys.Element: DatabaseValueConvertible {
        try filter(keys: keys).fetchCursor(db)
    }

    /// The records with some primary keys.
    public static func fetchAll<Keys: Collection>(_ db: Database, keys: Keys) throws -> [Self]
    where Keys.Element: DatabaseValueConvertible {
        try keys.isEmpty ? [] : filter(keys: keys).fetchAll(db)
    }

    /// A cursor over the records with some primary or unique keys.
    public static func fetchCursor(
        _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
    ) throws -> RecordCursor<Self> {
        try filter(keys: keys).fetchCursor(db)
    }

    /// The records with some primary or unique keys.
    public static func fetchAll(
        _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
    ) throws -> [Self] {
        try keys.isEmpty ? [] : filter(keys: keys).fetchAll(db)
    }

    /// The record with a primary key, or nil. The statement stays prepared, so the next call compiles nothing.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" = ?
    /// let player = try Player.fetchOne(db, key: 1)
    /// ```
    ///
    /// - Throws: a ``DatabaseError``, or a decoding error.
    @inlinable
    public static func fetchOne<Key: DatabaseValueConvertible>(_ db: Database, key: Key?) throws -> Self? {
        guard let key else { return nil }
        if let layout = Self._fetchLayout {
            var record: Self?
            if try readRow(db, key, layout, { record = try _element(of: $0) }) { return record }
        }
        let use = try keyStatement(db, key)
        let epoch = db.connection.schemaEpoch
        do {
            let record = try RecordElements<Self>.first(FetchCursor(use, adapter: nil))
            if db.connection.schemaEpoch == epoch { return record }
        } catch  where db.connection.hasMovedSchema(since: epoch) {}
        // Another connection has changed the schema, so the table may have a different key.
        return try RecordElements<Self>.first(FetchCursor(keyStatement(db, key), adapter: nil))
    }

    /// The record with a primary or unique key, or nil.
    ///
    /// - Throws: SQLITE_MISUSE if the columns are not those of a primary or unique key.
    public static func fetchOne(
        _ db: Database, key: [String: (any DatabaseValueConvertible)?]?
    ) throws -> Self? {
        guard let key else { return nil }
        return try filter(key: key).fetchOne(db)
    }

    /// The record with a primary key.
    ///
    /// - Throws: a ``RecordError`` if the record does not exist.
    public static func find(_ db: Database, key: some DatabaseValueConvertible) throws -> Self {
        guard let record = try fetchOne(db, key: key) else { throw recordNotFound(db, key: key) }
        return record
    }

    /// The record with a primary or unique key.
    ///
    /// - Throws: a ``RecordError`` if the record does not exist.
    public static func find(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Self {
        guard let record = try fetchOne(db, key: key) else { throw recordNotFound(key: key) }
        return record
    }
}

extension FetchableRecord where Self: TableRecord & Hashable {
    /// The set of all records of the table.
    public static func fetchSet(_ db: Database) throws -> Set<Self> { try all().fetchSet(db) }

    /// The set of the records with some primary keys.
    public static func fetchSet<Keys: Collection>(_ db: Database, keys: Keys) throws -> Set<Self>
    where Keys.Element: DatabaseValueConvertible {
        try keys.isEmpty ? [] : filter(keys: keys).fetchSet(db)
    }

    /// The set of the records with some primary or unique keys.
    public static func fetchSet(
        _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
    ) throws -> Set<Self> {
        try keys.isEmpty ? [] : filter(keys: keys).fetchSet(db)
    }
}

extension FetchableRecord where Self: TableRecord & Identifiable, ID: DatabaseValueConvertible {
    /// A cursor over the records with some ids.
    public static func fetchCursor<IDS: Collection>(_ db: Database, ids: IDS) throws -> RecordCursor<Self>
    where IDS.Element == ID {
        try fetchCursor(db, keys: ids)
    }

    /// The records with some ids.
    public static func fetchAll<IDS: Collection>(_ db: Database, ids: IDS) throws -> [Self]
    where IDS.Element == ID {
        try fetchAll(db, keys: ids)
    }

    /// The record with an id, or nil. A nil id returns nil: `Author.fetchOne(db, id: book.authorId)`.
    @inlinable
    public static func fetchOne(_ db: Database, id: ID?) throws -> Self? { try fetchOne(db, key: id) }

    /// The record with an id.
    ///
    /// - Throws: a ``RecordError`` if the record does not exist.
    public static func find(_ db: Database, id: ID) throws -> Self { try find(db, key: id) }
}

extension FetchableRecord where Self: TableRecord & Identifiable & Hashable, ID: DatabaseValueConvertible {
    /// The set of the records with some ids.
    public static func fetchSet<IDS: Collection>(_ db: Database, ids: IDS) throws -> Set<Self>
    where IDS.Element == ID {
        try fetchSet(db, keys: ids)
    }
}
