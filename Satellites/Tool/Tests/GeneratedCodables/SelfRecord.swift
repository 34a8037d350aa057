// Written by rowan generate for the table Self: do not edit.
// swift-format-ignore-file

public import Rowan

public struct SelfRecord: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var selfValue: String?

    public static let databaseTableName = "Self"

    public enum CodingKeys: String, CodingKey {
        case id
        case selfValue = "Self"
    }

    public enum Columns {
        public static let id = Column("id")
        public static let selfValue = Column("Self")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
