// Written by rowan generate for the table people: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("people", memberwise: true) public struct People: Equatable {
    public var id: Int64?
    @Column("parent_id") public var parentID: Int?
    public var parent: String?
}

extension People {
    public static let parent2 = belongsTo(People.self, key: "parent2", using: ForeignKey(["parent_id"], to: ["id"]))
    public static let peoples = hasMany(People.self, key: "peoples", using: ForeignKey(["parent_id"], to: ["id"]))
}
