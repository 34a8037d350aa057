// Written by rowan generate for the table protocol: do not edit.
// swift-format-ignore-file

public import Rowan

public struct `Protocol`: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var `protocol`: String?
    public var `associatedtype`: String?
    public var `await`: String?
    public var async: String?
    public var `actor`: String?

    public static let databaseTableName = "protocol"

    public enum CodingKeys: String, CodingKey {
        case id
        case `protocol`
        case `associatedtype`
        case `await`
        case async
        case `actor`
    }

    public enum Columns {
        public static let id = Column("id")
        public static let `protocol` = Column("protocol")
        public static let `associatedtype` = Column("associatedtype")
        public static let `await` = Column("await")
        public static let async = Column("async")
        public static let `actor` = Column("actor")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
