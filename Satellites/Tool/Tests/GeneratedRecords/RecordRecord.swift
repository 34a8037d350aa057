// Written by rowan generate for the table record: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("record", memberwise: true) public struct RecordRecord: Equatable {
    public var id: Int64?
    public var record: String?
}
