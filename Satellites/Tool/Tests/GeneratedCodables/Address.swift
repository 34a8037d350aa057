// Written by rowan generate for the table addresses: do not edit.
// swift-format-ignore-file

public import Rowan

public struct Address: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var columns2: String?
    public var databaseTableName2: String?
    public var inserted: Int?
    public var container: String?
    public var encoder: String?
    public var row: String?

    public static let databaseTableName = "addresses"

    public enum CodingKeys: String, CodingKey {
        case id
        case columns2 = "columns"
        case databaseTableName2 = "databaseTableName"
        case inserted
        case container
        case encoder
        case row
    }

    public enum Columns {
        public static let id = Column("id")
        public static let columns2 = Column("columns")
        public static let databaseTableName2 = Column("databaseTableName")
        public static let inserted = Column("inserted")
        public static let container = Column("container")
        public static let encoder = Column("encoder")
        public static let row = Column("row")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
