// Written by rowan generate for the table class: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("class", memberwise: true) public struct Class: Equatable {
    @PrimaryKey public var `default`: Int64?
    @Column("self") public var selfValue: String?
    public var `in`: String?
    public var `init`: String?
    @Column("Type") public var type: String?
    public var `func`: String?
}

extension Class {
    public static let `class` = belongsTo(Class.self, key: "class", using: ForeignKey(["func"], to: ["default"]))
    public static let classes = hasMany(Class.self, key: "classes", using: ForeignKey(["func"], to: ["default"]))
}
