// Written by rowan generate for the view counts: do not edit.
// swift-format-ignore-file

public import Rowan

public struct Count: Codable, Equatable, FetchableRecord, TableRecord {
    public var n: Int?

    public static let databaseTableName = "counts"

    public enum CodingKeys: String, CodingKey {
        case n
    }

    public enum Columns {
        public static let n = Column("n")
    }
}
