// Written by rowan generate for the table self_pairs: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("self_pairs", memberwise: true) public struct SelfPair: Equatable {
    @PrimaryKey public var a: Int
    @PrimaryKey public var b: Int
    public var c: Int?
    public var d: Int?
}

extension SelfPair {
    public static let selfPair = belongsTo(SelfPair.self, key: "selfPair", using: ForeignKey(["c", "d"], to: ["a", "b"]))
    public static let selfPairs = hasMany(SelfPair.self, key: "selfPairs", using: ForeignKey(["c", "d"], to: ["a", "b"]))
}
