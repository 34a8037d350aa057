// Written by rowan generate for the table counted: do not edit.
// swift-format-ignore-file

public import Rowan

public struct Counted: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var n: Int

    public static let databaseTableName = "counted"

    public enum CodingKeys: String, CodingKey {
        case id
        case n
    }

    public enum Columns {
        public static let id = Column("id")
        public static let n = Column("n")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
