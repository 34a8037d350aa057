// Written by rowan generate for the table dogs records: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("dogs records", memberwise: true) public struct DogsRecord: Equatable {
    public var id: Int64?
    @Column("dog id") public var dogID: Int?
}

extension DogsRecord {
    public static let dog = belongsTo(Dog.self, key: "dog", using: ForeignKey(["dog id"], to: ["id"]))
}
