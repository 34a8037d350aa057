// Written by rowan generate for the table dogs records: do not edit.
// swift-format-ignore-file

public import Rowan

public struct DogsRecord: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var dogID: Int?

    public static let databaseTableName = "dogs records"

    public enum CodingKeys: String, CodingKey {
        case id
        case dogID = "dog id"
    }

    public enum Columns {
        public static let id = Column("id")
        public static let dogID = Column("dog id")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

extension DogsRecord {
    public static let dog = belongsTo(Dog.self, key: "dog", using: ForeignKey(["dog id"], to: ["id"]))
}
