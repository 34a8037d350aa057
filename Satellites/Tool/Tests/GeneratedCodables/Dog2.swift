// Written by rowan generate for the table dogs: do not edit.
// swift-format-ignore-file

public import Rowan

public struct Dog2: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var dogID: Int?
    public var dogsID: Int?

    public static let databaseTableName = "dogs"

    public enum CodingKeys: String, CodingKey {
        case id
        case dogID = "dog_id"
        case dogsID = "dogs_id"
    }

    public enum Columns {
        public static let id = Column("id")
        public static let dogID = Column("dog_id")
        public static let dogsID = Column("dogs_id")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

extension Dog2 {
    public static let dog = belongsTo(Dog.self, key: "dog", using: ForeignKey(["dog_id"], to: ["id"]))
    public static let dogs = belongsTo(Dog2.self, key: "dogs", using: ForeignKey(["dogs_id"], to: ["id"]))
    public static let dog2s = hasMany(Dog2.self, key: "dog2s", using: ForeignKey(["dogs_id"], to: ["id"]))
}
