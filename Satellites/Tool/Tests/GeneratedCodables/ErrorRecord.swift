// Written by rowan generate for the table Error: do not edit.
// swift-format-ignore-file

public import Rowan

public struct ErrorRecord: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var error: String?
    public var `throws`: String?
    public var `try`: String?

    public static let databaseTableName = "Error"

    public enum CodingKeys: String, CodingKey {
        case id
        case error
        case `throws`
        case `try`
    }

    public enum Columns {
        public static let id = Column("id")
        public static let error = Column("error")
        public static let `throws` = Column("throws")
        public static let `try` = Column("try")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
