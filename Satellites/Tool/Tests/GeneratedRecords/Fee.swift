// Written by rowan generate for the table fees: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("fees", memberwise: true) public struct Fee: Equatable {
    public var id: Int64?
    public var player: Int
    public var club: String
    public var amount: Double?
}

extension Fee {
    public static let membership = belongsTo(Membership.self, key: "membership", using: ForeignKey(["player", "club"], to: ["player", "club"]))
}
