// Written by rowan generate for the table players: do not edit.
// swift-format-ignore-file

public import Foundation
public import Rowan

public struct Player: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var teamID: Int?
    public var homeTeamID: Int
    public var name: String
    public var score: Int?
    public var height: Double?
    public var isActive: Bool
    public var photo: Data?
    public var uid: UUID?
    public var label: String?
    public var short: String?

    public static let databaseTableName = "players"

    public enum CodingKeys: String, CodingKey {
        case id
        case teamID = "team_id"
        case homeTeamID = "home_team_id"
        case name
        case score
        case height
        case isActive
        case photo
        case uid
        case label
        case short
    }

    public enum Columns {
        public static let id = Column("id")
        public static let teamID = Column("team_id")
        public static let homeTeamID = Column("home_team_id")
        public static let name = Column("name")
        public static let score = Column("score")
        public static let height = Column("height")
        public static let isActive = Column("isActive")
        public static let photo = Column("photo")
        public static let uid = Column("uid")
        public static let label = Column("label")
        public static let short = Column("short")
    }

    /// Without the generated columns.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(teamID, forKey: .teamID)
        try container.encode(homeTeamID, forKey: .homeTeamID)
        try container.encode(name, forKey: .name)
        try container.encode(score, forKey: .score)
        try container.encode(height, forKey: .height)
        try container.encode(isActive, forKey: .isActive)
        try container.encode(photo, forKey: .photo)
        try container.encode(uid, forKey: .uid)
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

extension Player {
    public static let team = belongsTo(Team.self, key: "team", using: ForeignKey(["team_id"], to: ["id"]))
    public static let homeTeam = belongsTo(Team.self, key: "homeTeam", using: ForeignKey(["home_team_id"], to: ["id"]))
    public static let memberships = hasMany(Membership.self, key: "memberships", using: ForeignKey(["player"], to: ["id"]))
}
