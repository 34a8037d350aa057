// Written by rowan generate for the table Data: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("Data", memberwise: true) public struct DataRecord: Equatable {
    public var id: Int64?
    @Column("String") public var string: String?
}
