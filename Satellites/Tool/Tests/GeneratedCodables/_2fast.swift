// Written by rowan generate for the table 2fast: do not edit.
// swift-format-ignore-file

public import Rowan

public struct _2fast: Codable, Equatable, FetchableRecord, TableRecord, PersistableRecord {
    public var x: String?

    public static let databaseTableName = "2fast"

    public enum CodingKeys: String, CodingKey {
        case x
    }

    public enum Columns {
        public static let x = Column("x")
    }
}
