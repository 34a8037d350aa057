// Written by rowan generate for the table people: do not edit.
// swift-format-ignore-file

public import Rowan

public struct People: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var parentID: Int?
    public var parent: String?

    public static let databaseTableName = "people"

    public enum CodingKeys: String, CodingKey {
        case id
        case parentID = "parent_id"
        case parent
    }

    public enum Columns {
        public static let id = Column("id")
        public static let parentID = Column("parent_id")
        public static let parent = Column("parent")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

extension People {
    public static let parent2 = belongsTo(People.self, key: "parent2", using: ForeignKey(["parent_id"], to: ["id"]))
    public static let peoples = hasMany(People.self, key: "peoples", using: ForeignKey(["parent_id"], to: ["id"]))
}
