// Written by rowan generate for the table three_references: do not edit.
// swift-format-ignore-file

public import Foundation
public import RowanRecords

@Record("three_references", memberwise: true) public struct ThreeReference: Equatable {
    public var id: Int64?
    public var x: Int?
    public var y: String?
    public var z: Date?
}

extension ThreeReference {
    public static let threeKey = belongsTo(ThreeKey.self, key: "threeKey", using: ForeignKey(["z", "x", "y"], to: ["c", "a", "b"]))
}
