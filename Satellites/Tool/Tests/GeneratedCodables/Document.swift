// Written by rowan generate for the table documents: do not edit.
// swift-format-ignore-file

public import Rowan

public struct Document: Codable, Equatable, FetchableRecord, TableRecord, PersistableRecord {
    public var title: String?
    public var body: String?

    public static let databaseTableName = "documents"

    public enum CodingKeys: String, CodingKey {
        case title
        case body
    }

    public enum Columns {
        public static let title = Column("title")
        public static let body = Column("body")
    }
}
