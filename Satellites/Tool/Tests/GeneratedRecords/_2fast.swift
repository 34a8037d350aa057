// Written by rowan generate for the table 2fast: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("2fast", memberwise: true) public struct _2fast: Equatable {
    public var x: String?
}
