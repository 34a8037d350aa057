// Written by rowan generate for the table Column: do not edit.
// swift-format-ignore-file

public import Rowan

public struct ColumnRecord: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var column: String?
    public var columns2: String?
    public var codingKeys: String?

    public static let databaseTableName = "Column"

    public enum CodingKeys: String, CodingKey {
        case id
        case column
        case columns2 = "Columns"
        case codingKeys = "CodingKeys"
    }

    public enum Columns {
        public static let id = Column("id")
        public static let column = Column("column")
        public static let columns2 = Column("Columns")
        public static let codingKeys = Column("CodingKeys")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
