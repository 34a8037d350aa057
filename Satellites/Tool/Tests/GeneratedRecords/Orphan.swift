// Written by rowan generate for the table orphan: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("orphan", memberwise: true) public struct Orphan: Equatable {
    public var id: Int64?
    @Column("missing_id") public var missingID: Int?
}
