// Written by rowan generate for the table status: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("status", memberwise: true) public struct Status: Equatable {
    public var id: Int64?
    public var text: String?
}
