// Written by rowan generate for the table nokey: do not edit.

public import RowanRecords

@Record("nokey", memberwise: true) public struct Nokey: Equatable {
    public var value: String?
}
