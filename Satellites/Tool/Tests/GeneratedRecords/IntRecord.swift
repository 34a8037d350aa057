// Written by rowan generate for the table Int: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("Int", memberwise: true) public struct IntRecord: Equatable {
    public var id: Int64?
    @Column("Int") public var int: Int
    @Column("Optional") public var optional: String?
}
