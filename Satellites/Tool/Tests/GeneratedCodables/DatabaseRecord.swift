// Written by rowan generate for the table Database: do not edit.
// swift-format-ignore-file

public import Rowan

public struct DatabaseRecord: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var db: String?
    public var database: String?

    public static let databaseTableName = "Database"

    public enum CodingKeys: String, CodingKey {
        case id
        case db
        case database = "Database"
    }

    public enum Columns {
        public static let id = Column("id")
        public static let db = Column("db")
        public static let database = Column("Database")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
