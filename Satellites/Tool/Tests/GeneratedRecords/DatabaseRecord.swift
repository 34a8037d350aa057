// Written by rowan generate for the table Database: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("Database", memberwise: true) public struct DatabaseRecord: Equatable {
    public var id: Int64?
    public var db: String?
    @Column("Database") public var database: String?
}
