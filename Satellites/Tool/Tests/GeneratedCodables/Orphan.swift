// Written by rowan generate for the table orphan: do not edit.
// swift-format-ignore-file

public import Rowan

public struct Orphan: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var missingID: Int?

    public static let databaseTableName = "orphan"

    public enum CodingKeys: String, CodingKey {
        case id
        case missingID = "missing_id"
    }

    public enum Columns {
        public static let id = Column("id")
        public static let missingID = Column("missing_id")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
