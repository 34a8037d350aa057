// Written by rowan generate for the table quoted: do not edit.
// swift-format-ignore-file

public import Rowan

public struct Quoted: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var single: Int64?
    public var bracket: String?
    public var tick: String?
    public var double: String?

    public static let databaseTableName = "quoted"

    public enum CodingKeys: String, CodingKey {
        case single
        case bracket
        case tick
        case double
    }

    public enum Columns {
        public static let single = Column("single")
        public static let bracket = Column("bracket")
        public static let tick = Column("tick")
        public static let double = Column("double")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        single = inserted.rowID
    }
}
