// Written by rowan generate for the table defaults: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("defaults", memberwise: true) public struct Default: Equatable {
    public var id: Int64?
    public var a: String
    public var b: Int
    public var c: String?
}
