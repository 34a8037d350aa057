// Written by rowan generate for the table Column: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("Column", memberwise: true) public struct ColumnRecord: Equatable {
    public var id: Int64?
    public var column: String?
    @Column("Columns") public var columns2: String?
    @Column("CodingKeys") public var codingKeys: String?
}
