// Written by rowan generate for the table view: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("view", memberwise: true) public struct View: Equatable {
    public var id: Int64?
}
