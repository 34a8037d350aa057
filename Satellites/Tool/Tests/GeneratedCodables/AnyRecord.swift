// Written by rowan generate for the table Any: do not edit.
// swift-format-ignore-file

public import Rowan

public struct AnyRecord: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var any: String?
    public var some: String?

    public static let databaseTableName = "Any"

    public enum CodingKeys: String, CodingKey {
        case id
        case any
        case some
    }

    public enum Columns {
        public static let id = Column("id")
        public static let any = Column("any")
        public static let some = Column("some")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
