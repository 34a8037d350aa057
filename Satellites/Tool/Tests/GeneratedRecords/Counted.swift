// Written by rowan generate for the table counted: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("counted", memberwise: true) public struct Counted: Equatable {
    public var id: Int64?
    public var n: Int
}
