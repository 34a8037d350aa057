// Written by rowan generate for the table Int: do not edit.
// swift-format-ignore-file

public import Rowan

public struct IntRecord: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var int: Int
    public var optional: String?

    public static let databaseTableName = "Int"

    public enum CodingKeys: String, CodingKey {
        case id
        case int = "Int"
        case optional = "Optional"
    }

    public enum Columns {
        public static let id = Column("id")
        public static let int = Column("Int")
        public static let optional = Column("Optional")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
