// Written by rowan generate for the table types: do not edit.
// swift-format-ignore-file

public import Foundation
public import Rowan

public struct TypeRecord: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var a: String
    public var b: Double?
    public var c: Int?
    public var d: String?
    public var e: Double?
    public var f: Date?
    public var g: Int?
    public var h: String?
    public var i: Double?
    public var j: Bool?
    public var k: String?

    public static let databaseTableName = "types"

    public enum CodingKeys: String, CodingKey {
        case id
        case a
        case b
        case c
        case d
        case e
        case f
        case g
        case h
        case i
        case j
        case k
    }

    public enum Columns {
        public static let id = Column("id")
        public static let a = Column("a")
        public static let b = Column("b")
        public static let c = Column("c")
        public static let d = Column("d")
        public static let e = Column("e")
        public static let f = Column("f")
        public static let g = Column("g")
        public static let h = Column("h")
        public static let i = Column("i")
        public static let j = Column("j")
        public static let k = Column("k")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
