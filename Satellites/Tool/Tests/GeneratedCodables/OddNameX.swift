// Written by rowan generate for the table odd name; -- x: do not edit.
// swift-format-ignore-file

public import Rowan

public struct OddNameX: Codable, Equatable, FetchableRecord, TableRecord, PersistableRecord {
    public var aB: String?
    public var aB2: String?
    public var aB3: String?
    public var _1st: Int?
    public var column: String?
    public var é: String?
    public var qUote: String?
    public var backSlash: String?
    public var emoji: String?

    public static let databaseTableName = "odd name; -- x"

    public enum CodingKeys: String, CodingKey {
        case aB = "a b"
        case aB2 = "a_b"
        case aB3 = "a-b"
        case _1st = "1st"
        case column = ""
        case é
        case qUote = "q\"uote"
        case backSlash = "back\\slash"
        case emoji = "emoji😀"
    }

    public enum Columns {
        public static let aB = Column("a b")
        public static let aB2 = Column("a_b")
        public static let aB3 = Column("a-b")
        public static let _1st = Column("1st")
        public static let column = Column("")
        public static let é = Column("é")
        public static let qUote = Column("q\"uote")
        public static let backSlash = Column("back\\slash")
        public static let emoji = Column("emoji😀")
    }
}
