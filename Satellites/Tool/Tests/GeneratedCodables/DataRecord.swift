// Written by rowan generate for the table Data: do not edit.
// swift-format-ignore-file

public import Rowan

public struct DataRecord: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var string: String?

    public static let databaseTableName = "Data"

    public enum CodingKeys: String, CodingKey {
        case id
        case string = "String"
    }

    public enum Columns {
        public static let id = Column("id")
        public static let string = Column("String")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
