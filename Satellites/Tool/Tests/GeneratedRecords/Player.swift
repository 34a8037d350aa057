// Written by rowan generate for the table players: do not edit.
// swift-format-ignore-file

public import Foundation
public import RowanRecords

@Record("players", memberwise: true) public struct Player: Equatable {
    public var id: Int64?
    @Column("team_id") public var teamID: Int?
    @Column("home_team_id") public var homeTeamID: Int
    public var name: String
    public var score: Int?
    public var height: Double?
    public var isActive: Bool
    public var photo: Data?
    public var uid: UUID?
    @Column(generated: true) public var label: String?
    @Column(generated: true) public var short: String?
}

extension Player {
    public static let team = belongsTo(Team.self, key: "team", using: ForeignKey(["team_id"], to: ["id"]))
    public static let homeTeam = belongsTo(Team.self, key: "homeTeam", using: ForeignKey(["home_team_id"], to: ["id"]))
    public static let memberships = hasMany(Membership.self, key: "memberships", using: ForeignKey(["player"], to: ["id"]))
}
