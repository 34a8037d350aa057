// Written by rowan generate for the table Row: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("Row", memberwise: true) public struct RowRecord: Equatable {
    public var id: Int64?
    public var row: String?
    public var rows: String?
}
