// Written by rowan generate for the table status: do not edit.
// swift-format-ignore-file

public import Rowan

public struct Status: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var text: String?

    public static let databaseTableName = "status"

    public enum CodingKeys: String, CodingKey {
        case id
        case text
    }

    public enum Columns {
        public static let id = Column("id")
        public static let text = Column("text")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
