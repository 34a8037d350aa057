// Written by rowan generate for the table addresses: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("addresses", memberwise: true) public struct Address: Equatable {
    public var id: Int64?
    @Column("columns") public var columns2: String?
    @Column("databaseTableName") public var databaseTableName2: String?
    public var inserted: Int?
    public var container: String?
    public var encoder: String?
    public var row: String?
}
