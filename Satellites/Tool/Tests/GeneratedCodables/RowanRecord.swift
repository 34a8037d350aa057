// Written by rowan generate for the table rowan: do not edit.
// swift-format-ignore-file

public import Rowan

public struct RowanRecord: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var rowan: String?

    public static let databaseTableName = "rowan"

    public enum CodingKeys: String, CodingKey {
        case id
        case rowan = "Rowan"
    }

    public enum Columns {
        public static let id = Column("id")
        public static let rowan = Column("Rowan")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
