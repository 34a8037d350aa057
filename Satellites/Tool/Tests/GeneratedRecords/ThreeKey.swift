// Written by rowan generate for the table three_keys: do not edit.
// swift-format-ignore-file

public import Foundation
public import RowanRecords

@Record("three_keys", memberwise: true) public struct ThreeKey: Equatable {
    @PrimaryKey public var a: Int
    @PrimaryKey public var b: String
    @PrimaryKey public var c: Date
    public var rest: Double?
}

extension ThreeKey {
    public static let threeReferences = hasMany(ThreeReference.self, key: "threeReferences", using: ForeignKey(["z", "x", "y"], to: ["c", "a", "b"]))
}
