// Written by rowan generate for the table 名前: do not edit.
// swift-format-ignore-file

public import Rowan

public struct 名前: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var 識別: Int64?
    public var 値: String?
    public var ünïcode: String?
    public var abC: String?

    public static let databaseTableName = "名前"

    public enum CodingKeys: String, CodingKey {
        case 識別
        case 値
        case ünïcode
        case abC = "ab👩‍👩‍👧c"
    }

    public enum Columns {
        public static let 識別 = Column("識別")
        public static let 値 = Column("値")
        public static let ünïcode = Column("ünïcode")
        public static let abC = Column("ab👩‍👩‍👧c")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        識別 = inserted.rowID
    }
}
