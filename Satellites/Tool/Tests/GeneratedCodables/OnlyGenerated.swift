// Written by rowan generate for the table only_generated: do not edit.
// swift-format-ignore-file

public import Rowan

public struct OnlyGenerated: Codable, Equatable, FetchableRecord, TableRecord, PersistableRecord {
    public var a: Int?
    public var b: Int?
    public var c: Int?
    public var d: String?

    public static let databaseTableName = "only_generated"

    public enum CodingKeys: String, CodingKey {
        case a
        case b
        case c
        case d
    }

    public enum Columns {
        public static let a = Column("a")
        public static let b = Column("b")
        public static let c = Column("c")
        public static let d = Column("d")
    }

    /// Without the generated columns.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(a, forKey: .a)
    }
}
