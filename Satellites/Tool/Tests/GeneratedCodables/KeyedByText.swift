// Written by rowan generate for the table keyed_by_text: do not edit.
// swift-format-ignore-file

public import Rowan

public struct KeyedByText: Codable, Equatable, FetchableRecord, TableRecord, PersistableRecord {
    public var key: String
    public var value: String?

    public static let databaseTableName = "keyed_by_text"

    public enum CodingKeys: String, CodingKey {
        case key
        case value
    }

    public enum Columns {
        public static let key = Column("key")
        public static let value = Column("value")
    }
}
