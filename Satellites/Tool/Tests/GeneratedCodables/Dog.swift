// Written by rowan generate for the table dog: do not edit.
// swift-format-ignore-file

public import Rowan

public struct Dog: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var name: String?

    public static let databaseTableName = "dog"

    public enum CodingKeys: String, CodingKey {
        case id
        case name
    }

    public enum Columns {
        public static let id = Column("id")
        public static let name = Column("name")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

extension Dog {
    public static let dog2s = hasMany(Dog2.self, key: "dog2s", using: ForeignKey(["dog_id"], to: ["id"]))
    public static let dogsRecords = hasMany(DogsRecord.self, key: "dogsRecords", using: ForeignKey(["dog id"], to: ["id"]))
}
