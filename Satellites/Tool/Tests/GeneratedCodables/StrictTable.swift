// Written by rowan generate for the table strict_table: do not edit.
// swift-format-ignore-file

public import Rowan

public struct StrictTable: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var a: String?
    public var b: String

    public static let databaseTableName = "strict_table"

    public enum CodingKeys: String, CodingKey {
        case id
        case a
        case b
    }

    public enum Columns {
        public static let id = Column("id")
        public static let a = Column("a")
        public static let b = Column("b")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
