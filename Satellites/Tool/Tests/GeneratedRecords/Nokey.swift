// Written by rowan generate for the table nokey: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("nokey", memberwise: true) public struct Nokey: Equatable {
    public var value: String?
}
