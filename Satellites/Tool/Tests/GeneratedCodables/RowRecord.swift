// Written by rowan generate for the table Row: do not edit.
// swift-format-ignore-file

public import Rowan

public struct RowRecord: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var row: String?
    public var rows: String?

    public static let databaseTableName = "Row"

    public enum CodingKeys: String, CodingKey {
        case id
        case row
        case rows
    }

    public enum Columns {
        public static let id = Column("id")
        public static let row = Column("row")
        public static let rows = Column("rows")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
