// Written by rowan generate for the table Foundation: do not edit.
// swift-format-ignore-file

public import Foundation
public import RowanRecords

@Record("Foundation", memberwise: true) public struct FoundationRecord: Equatable {
    public var id: Int64?
    @Column("Date") public var date: Date?
    @Column("URL") public var url: String?
}
