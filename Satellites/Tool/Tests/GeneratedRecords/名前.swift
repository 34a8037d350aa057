// Written by rowan generate for the table 名前: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("名前", memberwise: true) public struct 名前: Equatable {
    @PrimaryKey public var 識別: Int64?
    public var 値: String?
    public var ünïcode: String?
    @Column("ab👩‍👩‍👧c") public var abC: String?
}
