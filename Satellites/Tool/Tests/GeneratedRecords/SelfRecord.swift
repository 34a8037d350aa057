// Written by rowan generate for the table Self: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("Self", memberwise: true) public struct SelfRecord: Equatable {
    public var id: Int64?
    @Column("Self") public var selfValue: String?
}
