// Written by rowan generate for the table three_references: do not edit.
// swift-format-ignore-file

public import Foundation
public import Rowan

public struct ThreeReference: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var x: Int?
    public var y: String?
    public var z: Date?

    public static let databaseTableName = "three_references"

    public enum CodingKeys: String, CodingKey {
        case id
        case x
        case y
        case z
    }

    public enum Columns {
        public static let id = Column("id")
        public static let x = Column("x")
        public static let y = Column("y")
        public static let z = Column("z")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

extension ThreeReference {
    public static let threeKey = belongsTo(ThreeKey.self, key: "threeKey", using: ForeignKey(["z", "x", "y"], to: ["c", "a", "b"]))
}
