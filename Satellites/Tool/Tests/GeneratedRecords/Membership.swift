// Written by rowan generate for the table memberships: do not edit.
// swift-format-ignore-file

public import Foundation
public import RowanRecords

@Record("memberships", memberwise: true) public struct Membership: Equatable {
    @PrimaryKey public var player: Int
    @PrimaryKey public var club: String
    public var since: Date?
}

extension Membership {
    public static let playerRecord = belongsTo(Player.self, key: "playerRecord", using: ForeignKey(["player"], to: ["id"]))
    public static let fees = hasMany(Fee.self, key: "fees", using: ForeignKey(["player", "club"], to: ["player", "club"]))
}
