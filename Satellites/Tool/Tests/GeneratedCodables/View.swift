// Written by rowan generate for the table view: do not edit.
// swift-format-ignore-file

public import Rowan

public struct View: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?

    public static let databaseTableName = "view"

    public enum CodingKeys: String, CodingKey {
        case id
    }

    public enum Columns {
        public static let id = Column("id")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
