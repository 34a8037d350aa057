// Written by rowan generate for the table three_keys: do not edit.
// swift-format-ignore-file

public import Foundation
public import Rowan

public struct ThreeKey: Codable, Equatable, FetchableRecord, TableRecord, PersistableRecord {
    public var a: Int
    public var b: String
    public var c: Date
    public var rest: Double?

    public static let databaseTableName = "three_keys"

    public enum CodingKeys: String, CodingKey {
        case a
        case b
        case c
        case rest
    }

    public enum Columns {
        public static let a = Column("a")
        public static let b = Column("b")
        public static let c = Column("c")
        public static let rest = Column("rest")
    }
}

extension ThreeKey {
    public static let threeReferences = hasMany(ThreeReference.self, key: "threeReferences", using: ForeignKey(["z", "x", "y"], to: ["c", "a", "b"]))
}
