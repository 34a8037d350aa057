// Written by rowan generate for the table rowan: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("rowan", memberwise: true) public struct RowanRecord: Equatable {
    public var id: Int64?
    @Column("Rowan") public var rowan: String?
}
