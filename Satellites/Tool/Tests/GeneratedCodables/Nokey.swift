// Written by rowan generate for the table nokey: do not edit.
// swift-format-ignore-file

public import Rowan

public struct Nokey: Codable, Equatable, FetchableRecord, TableRecord, PersistableRecord {
    public var value: String?

    public static let databaseTableName = "nokey"

    public enum CodingKeys: String, CodingKey {
        case value
    }

    public enum Columns {
        public static let value = Column("value")
    }
}
