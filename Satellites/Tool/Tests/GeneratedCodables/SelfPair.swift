// Written by rowan generate for the table self_pairs: do not edit.
// swift-format-ignore-file

public import Rowan

public struct SelfPair: Codable, Equatable, FetchableRecord, TableRecord, PersistableRecord {
    public var a: Int
    public var b: Int
    public var c: Int?
    public var d: Int?

    public static let databaseTableName = "self_pairs"

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
}

extension SelfPair {
    public static let selfPair = belongsTo(SelfPair.self, key: "selfPair", using: ForeignKey(["c", "d"], to: ["a", "b"]))
    public static let selfPairs = hasMany(SelfPair.self, key: "selfPairs", using: ForeignKey(["c", "d"], to: ["a", "b"]))
}
