// Written by rowan generate for the table strict_table: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("strict_table", memberwise: true) public struct StrictTable: Equatable {
    public var id: Int64?
    public var a: String?
    public var b: String
}
