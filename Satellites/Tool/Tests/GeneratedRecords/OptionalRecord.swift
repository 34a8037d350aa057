// Written by rowan generate for the table Optional: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("Optional", memberwise: true) public struct OptionalRecord: Equatable {
    public var id: Int64?
    public var some: String?
    public var none: String?
}
