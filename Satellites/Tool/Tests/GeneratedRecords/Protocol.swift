// Written by rowan generate for the table protocol: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("protocol", memberwise: true) public struct `Protocol`: Equatable {
    public var id: Int64?
    public var `protocol`: String?
    public var `associatedtype`: String?
    public var `await`: String?
    public var async: String?
    public var `actor`: String?
}
