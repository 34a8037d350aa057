// Written by rowan generate for the table teams: do not edit.
// swift-format-ignore-file

public import Foundation
public import Rowan

public struct Team: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var name: String
    public var founded: Date?

    public static let databaseTableName = "teams"

    public enum CodingKeys: String, CodingKey {
        case id
        case name
        case founded
    }

    public enum Columns {
        public static let id = Column("id")
        public static let name = Column("name")
        public static let founded = Column("founded")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

extension Team {
    public static let playersByTeam = hasMany(Player.self, key: "playersByTeam", using: ForeignKey(["team_id"], to: ["id"]))
    public static let playersByHomeTeam = hasMany(Player.self, key: "playersByHomeTeam", using: ForeignKey(["home_team_id"], to: ["id"]))
}
