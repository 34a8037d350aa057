// Written by rowan generate for the table keyed_by_uuid: do not edit.
// swift-format-ignore-file

public import Foundation
public import Rowan

public struct KeyedByUuid: Codable, Equatable, FetchableRecord, TableRecord, PersistableRecord {
    public var id: UUID
    public var name: String?

    public static let databaseTableName = "keyed_by_uuid"

    public enum CodingKeys: String, CodingKey {
        case id
        case name
    }

    public enum Columns {
        public static let id = Column("id")
        public static let name = Column("name")
    }
}
