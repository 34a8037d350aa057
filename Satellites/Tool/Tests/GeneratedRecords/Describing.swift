// Written by rowan generate for the table describing: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("describing", memberwise: true) public struct Describing: Equatable {
    public var id: Int64?
    public var description: String?
    public var hashValue: Int?
    public var debugDescription: String?
    public var hash: String?
}
