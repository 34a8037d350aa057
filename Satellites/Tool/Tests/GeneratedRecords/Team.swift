// Written by rowan generate for the table teams: do not edit.
// swift-format-ignore-file

public import Foundation
public import RowanRecords

@Record("teams", memberwise: true) public struct Team: Equatable {
    public var id: Int64?
    public var name: String
    public var founded: Date?
}

extension Team {
    public static let playersByTeam = hasMany(Player.self, key: "playersByTeam", using: ForeignKey(["team_id"], to: ["id"]))
    public static let playersByHomeTeam = hasMany(Player.self, key: "playersByHomeTeam", using: ForeignKey(["home_team_id"], to: ["id"]))
}
