// Written by rowan generate for the table quoted: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("quoted", memberwise: true) public struct Quoted: Equatable {
    @PrimaryKey public var single: Int64?
    public var bracket: String?
    public var tick: String?
    public var double: String?
}
