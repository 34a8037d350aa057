// Written by rowan generate for the table norowid: do not edit.
// swift-format-ignore-file

public import Rowan

public struct Norowid: Codable, Equatable, FetchableRecord, TableRecord, PersistableRecord {
    public var code: String
    public var n: Int?

    public static let databaseTableName = "norowid"

    public enum CodingKeys: String, CodingKey {
        case code
        case n
    }

    public enum Columns {
        public static let code = Column("code")
        public static let n = Column("n")
    }
}
