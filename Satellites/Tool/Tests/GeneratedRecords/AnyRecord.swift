// Written by rowan generate for the table Any: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("Any", memberwise: true) public struct AnyRecord: Equatable {
    public var id: Int64?
    public var any: String?
    public var some: String?
}
