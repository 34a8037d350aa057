// Written by rowan generate for the table record: do not edit.
// swift-format-ignore-file

public import Rowan

public struct RecordRecord: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var record: String?

    public static let databaseTableName = "record"

    public enum CodingKeys: String, CodingKey {
        case id
        case record
    }

    public enum Columns {
        public static let id = Column("id")
        public static let record = Column("record")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
