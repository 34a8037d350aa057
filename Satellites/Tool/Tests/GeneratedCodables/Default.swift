// Written by rowan generate for the table defaults: do not edit.
// swift-format-ignore-file

public import Rowan

public struct Default: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var a: String
    public var b: Int
    public var c: String?

    public static let databaseTableName = "defaults"

    public enum CodingKeys: String, CodingKey {
        case id
        case a
        case b
        case c
    }

    public enum Columns {
        public static let id = Column("id")
        public static let a = Column("a")
        public static let b = Column("b")
        public static let c = Column("c")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
