// Records that encode their columns, and comparisons of records.

public import RowanPlatform

/// A type that encodes its values for columns.
///
/// ```swift
/// struct Player: EncodableRecord {
///     var id: Int64
///     var name: String
///     func encode(to container: inout PersistenceContainer) {
///         container["id"] = id
///         container["name"] = name
///     }
/// }
/// // An Encodable type needs no code:
/// struct Team: Encodable, EncodableRecord { var id: Int64; var name: String }
/// ```
///
/// Article: <doc:StoringValues>.
public protocol EncodableRecord: SendableMetatype {
    /// Sets the values of the columns.
    func encode(to container: inout PersistenceContainer) throws

    /// The `userInfo` of encoders, for Encodable records.
    static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { get }

    /// The encoder of JSON columns, for Encodable records.
    static func databaseJSONEncoder(for column: String) -> JSONEncoder

    /// The storage of data in a column, for Encodable records.
    static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy

    /// The storage of dates in a column, for Encodable records.
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy

    /// The storage of UUIDs in a column, for Encodable records.
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy

    /// The mapping from coding keys to column names, for Encodable records.
    static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { get }
}

extension EncodableRecord {
    /// By default, empty.
    public static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [:] }
    /// By default, an encoder with base64 data, dates in milliseconds since 1970, and sorted keys.
    public static func databaseJSONEncoder(for column: String) -> JSONEncoder { .database }
    /// By default, data is stored as a blob.
    public static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
        .deferredToData
    }
    /// By default, dates are stored as text.
    public static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .deferredToDate
    }
    /// By default, identifiers are stored as blobs.
    public static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
        .deferredToUUID
    }
    /// By default, columns have the names of coding keys.
    public static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { .useDefaultKeys }
}

/// The mapping from coding keys to column names.
public enum DatabaseColumnEncodingStrategy: Sendable {
    /// Columns have the names of coding keys.
    case useDefaultKeys
    /// The key `teamId` is stored in the column `team_id`.
    case convertToSnakeCase
    /// A custom mapping from keys to column names.
    case custom(@Sendable (any CodingKey) -> String)
}

/// The storage of dates.
///
/// A date that is not finite is stored as NULL. For a date outside the years -99,999,999 to 99,999,999, which can't be
/// read back, the statement throws SQLITE_MISMATCH. The conversions of `formatted` and `custom` have their own rules.
///
/// Article: <doc:CodableAndHandwrittenRecords>.
public enum DatabaseDateEncodingStrategy: Sendable {
    /// The text form of `Date`: `YYYY-MM-DD HH:MM:SS.SSS` in UTC.
    case deferredToDate
    /// A double: seconds since 2001-01-01 00:00:00 UTC.
    case timeIntervalSinceReferenceDate
    /// A double: seconds since 1970-01-01 00:00:00 UTC.
    case timeIntervalSince1970
    /// An integer: seconds since 1970-01-01 00:00:00 UTC, rounded down.
    case secondsSince1970
    /// An integer: milliseconds since 1970-01-01 00:00:00 UTC, rounded down.
    case millisecondsSince1970
    /// ISO 8601 text in UTC. Dates before the year 0 or after the year 506712 are rejected.
    case iso8601
    /// Text created by a formatter.
    case formatted(any DatabaseDateFormatter)
    /// A custom conversion; nil is stored as NULL.
    case custom(@Sendable (Date) -> (any DatabaseValueConvertible)?)
}

/// The storage of data.
public enum DatabaseDataEncodingStrategy: Sendable {
    /// A blob, as for `Data` itself.
    case deferredToData
    /// Text if the data is valid UTF-8; otherwise a blob.
    case text
    /// A custom conversion; nil is stored as NULL.
    case custom(@Sendable (Data) -> (any DatabaseValueConvertible)?)
}

/// The storage of UUIDs.
///
/// Article: <doc:CodableAndHandwrittenRecords>.
public enum DatabaseUUIDEncodingStrategy: Sendable {
    /// A blob of 16 bytes, as for `UUID` itself.
    case deferredToUUID
    /// Upper-case text: `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`.
    case uppercaseString
    /// Lower-case text: `e621e1f8-c36c-495a-93fc-0c247a3e6e5f`.
    case lowercaseString
}

extension DatabaseDateEncodingStrategy {
    func encode(_ date: Date) -> DatabaseValue {
        switch self {
        case .deferredToDate: date.databaseValue
        case .timeIntervalSinceReferenceDate:
            date.stored { _ in date.timeIntervalSinceReferenceDate.databaseValue }
        case .timeIntervalSince1970: date.stored { $0.databaseValue }
        case .secondsSince1970: date.stored { Int64($0.rounded(.down)).databaseValue }
        case .millisecondsSince1970: date.stored { Int64(($0 * 1_000).rounded(.down)).databaseValue }
        case .iso8601: ISO8601Storage().databaseValue(of: date)
        case .formatted(let formatter): formatter.string(from: date).databaseValue
        case .custom(let encode): encode(date)?.databaseValue ?? .null
        }
    }
}

extension DatabaseDataEncodingStrategy {
    func encode(_ data: Data) -> DatabaseValue {
        switch self {
        case .deferredToData: data.databaseValue
        case .text: String(data: data, encoding: .utf8)?.databaseValue ?? data.databaseValue
        case .custom(let encode): encode(data)?.databaseValue ?? .null
        }
    }
}

extension DatabaseUUIDEncodingStrategy {
    func encode(_ uuid: UUID) -> DatabaseValue {
        switch self {
        case .deferredToUUID: uuid.databaseValue
        case .uppercaseString: uuid.uuidString.uppercased().databaseValue
        case .lowercaseString: uuid.uuidString.lowercased().databaseValue
        }
    }
}

extension EncodableRecord {
    /// The stored form of a value, for a column, with the strategies of the record.
    static func storedValue(_ value: any DatabaseValueConvertible, forColumn column: String) -> DatabaseValue {
        switch value {
        case let date as Date: databaseDateEncodingStrategy(for: column).encode(date)
        case let data as Data: databaseDataEncodingStrategy(for: column).encode(data)
        case let uuid as UUID: databaseUUIDEncodingStrategy(for: column).encode(uuid)
        default: value.databaseValue
        }
    }
}

extension RecordStorage {
    /// The storage of a type, which may be a record type.
    init(_ type: any Any.Type, _ layout: RecordLayout? = nil) {
        self.init(
            type: type, encode: layout == nil ? storedByStrategy : storedByLayout,
            convert: layout?.hasStorages == true ? convertedByLayout : nil)
    }
}

/// The stored form of a value, with the strategies of a record type. They apply only to `Codable` records: other
/// records encode their values themselves.
@Sendable
private func storedByStrategy(_ type: any Any.Type, _ value: StorableValue, _ column: String) -> DatabaseValue {
    guard let type = type as? any (EncodableRecord & Encodable).Type else { return value.databaseValue }
    return type.storedValue(value.value, forColumn: column)
}

/// The stored form of a value, with the storages of a generated record type, which has no strategies.
@Sendable
private func storedByLayout(_ type: any Any.Type, _ value: StorableValue, _ column: String) -> DatabaseValue {
    let layout = (type as? any TableRecord.Type)?._tableLayout
    return layout?.storedValue(value.value, forColumn: column) ?? value.databaseValue
}

/// The stored form of a value that is already in the form of its own type; nil if it doesn't change.
@Sendable
private func convertedByLayout(_ type: any Any.Type, _ value: DatabaseValue, _ column: String) -> DatabaseValue? {
    (type as? any TableRecord.Type)?._tableLayout?.storedValue(value, ofColumn: column)
}

extension TableRecord {
    /// The stored form of a key, for a column.
    package static func storedKey(
        _ key: some DatabaseValueConvertible, forColumn column: String
    ) -> DatabaseValue {
        if let layout = _tableLayout { return layout.storedValue(key, forColumn: column) ?? key.databaseValue }
        guard let type = Self.self as? any (EncodableRecord & Encodable).Type else { return key.databaseValue }
        return type.storedValue(key, forColumn: column)
    }
}

// MARK: - Comparison

extension EncodableRecord {
    /// The columns and values that the record stores.
    public var databaseDictionary: [String: DatabaseValue] {
        get throws {
            Dictionary(try PersistenceContainer(self).map { ($0, $1) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// The columns whose values differ from those of another record, with the other record's values.
    ///
    /// If the other record does not store a column, its value is unknown: the column is among the changes with the
    /// value `NULL`, whatever its value here.
    ///
    /// ```swift
    /// let oldPlayer = Player(id: 1, name: "Arthur", score: 100)
    /// let newPlayer = Player(id: 1, name: "Arthur", score: 1000)
    /// try newPlayer.databaseChanges(from: oldPlayer)   // ["score": 100]
    /// ```
    public func databaseChanges(from record: some EncodableRecord) throws -> [String: DatabaseValue] {
        try PersistenceContainer(self).changes(from: PersistenceContainer(record))
    }

    /// The columns whose values the closure changes, with their previous values.
    public mutating func databaseChanges(
        modify: (inout Self) throws -> Void
    ) throws -> [String: DatabaseValue] {
        let previous = try PersistenceContainer(self)
        try modify(&self)
        return try PersistenceContainer(self).changes(from: previous)
    }

    /// Whether two records store the same columns, with the same values.
    public func databaseEquals(_ record: Self) -> Bool {
        // A record that can't be encoded differs from all records.
        guard let container = try? PersistenceContainer(self), let other = try? PersistenceContainer(record) else {
            return false
        }
        return container.setCount == other.setCount && container.changes(from: other).isEmpty
    }
}

extension PersistenceContainer {
    func changes(from previous: PersistenceContainer) -> [String: DatabaseValue] {
        var changes: [String: DatabaseValue] = [:]
        // Both records usually have the same columns in the same order, and no column is looked up.
        let isParallel = setCount == previous.setCount && columns.isIdentical(to: previous.columns)
        for index in 0..<setCount {
            let previousValue = isParallel ? previous.values[index] : previous.value(forColumn: columns[index])
            if previousValue.map(values[index].isStored(as:)) != true {
                changes[columns[index]] = previousValue ?? .null
            }
        }
        return changes
    }
}

extension DatabaseValue {
    /// Whether SQLite stores both values in the same way, with the same storage class.
    func isStored(as other: DatabaseValue) -> Bool { storage == other.storage }

    /// Whether both values may be stored as the same number: a column may convert the numbers that it stores.
    func isSameNumber(as other: DatabaseValue) -> Bool {
        switch (storage, other.storage) {
        case (.int64(let integer), .double(let double)), (.double(let double), .int64(let integer)):
            Int64(exactly: double) == integer
        case (.null, _), (.int64, _), (.double, _), (.string, _), (.blob, _): false
        }
    }
}
