// Written by rowan generate for the table dog: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("dog", memberwise: true) public struct Dog: Equatable {
    public var id: Int64?
    public var name: String?
}

extension Dog {
    public static let dog2s = hasMany(Dog2.self, key: "dog2s", using: ForeignKey(["dog_id"], to: ["id"]))
    public static let dogsRecords = hasMany(DogsRecord.self, key: "dogsRecords", using: ForeignKey(["dog id"], to: ["id"]))
}
