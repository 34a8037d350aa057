// Written by rowan generate for the table Optional: do not edit.
// swift-format-ignore-file

public import Rowan

public struct OptionalRecord: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var some: String?
    public var none: String?

    public static let databaseTableName = "Optional"

    public enum CodingKeys: String, CodingKey {
        case id
        case some
        case none
    }

    public enum Columns {
        public static let id = Column("id")
        public static let some = Column("some")
        public static let none = Column("none")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
