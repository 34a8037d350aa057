// Written by rowan generate for the table Foundation: do not edit.
// swift-format-ignore-file

public import Foundation
public import Rowan

public struct FoundationRecord: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var date: Date?
    public var url: String?

    public static let databaseTableName = "Foundation"

    public enum CodingKeys: String, CodingKey {
        case id
        case date = "Date"
        case url = "URL"
    }

    public enum Columns {
        public static let id = Column("id")
        public static let date = Column("Date")
        public static let url = Column("URL")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
