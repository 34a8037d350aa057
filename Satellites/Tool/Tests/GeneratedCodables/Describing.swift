// Written by rowan generate for the table describing: do not edit.
// swift-format-ignore-file

public import Rowan

public struct Describing: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var description: String?
    public var hashValue: Int?
    public var debugDescription: String?
    public var hash: String?

    public static let databaseTableName = "describing"

    public enum CodingKeys: String, CodingKey {
        case id
        case description
        case hashValue
        case debugDescription
        case hash
    }

    public enum Columns {
        public static let id = Column("id")
        public static let description = Column("description")
        public static let hashValue = Column("hashValue")
        public static let debugDescription = Column("debugDescription")
        public static let hash = Column("hash")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
