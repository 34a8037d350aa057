// Written by rowan generate for the table memberships: do not edit.
// swift-format-ignore-file

public import Foundation
public import Rowan

public struct Membership: Codable, Equatable, FetchableRecord, TableRecord, PersistableRecord {
    public var player: Int
    public var club: String
    public var since: Date?

    public static let databaseTableName = "memberships"

    public enum CodingKeys: String, CodingKey {
        case player
        case club
        case since
    }

    public enum Columns {
        public static let player = Column("player")
        public static let club = Column("club")
        public static let since = Column("since")
    }
}

extension Membership {
    public static let playerRecord = belongsTo(Player.self, key: "playerRecord", using: ForeignKey(["player"], to: ["id"]))
    public static let fees = hasMany(Fee.self, key: "fees", using: ForeignKey(["player", "club"], to: ["player", "club"]))
}
