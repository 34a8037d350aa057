// Written by rowan generate for the table dogs: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("dogs", memberwise: true) public struct Dog2: Equatable {
    public var id: Int64?
    @Column("dog_id") public var dogID: Int?
    @Column("dogs_id") public var dogsID: Int?
}

extension Dog2 {
    public static let dog = belongsTo(Dog.self, key: "dog", using: ForeignKey(["dog_id"], to: ["id"]))
    public static let dogs = belongsTo(Dog2.self, key: "dogs", using: ForeignKey(["dogs_id"], to: ["id"]))
    public static let dog2s = hasMany(Dog2.self, key: "dog2s", using: ForeignKey(["dogs_id"], to: ["id"]))
}
