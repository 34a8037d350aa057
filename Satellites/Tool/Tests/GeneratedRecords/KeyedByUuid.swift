// Written by rowan generate for the table keyed_by_uuid: do not edit.
// swift-format-ignore-file

public import Foundation
public import RowanRecords

@Record("keyed_by_uuid", memberwise: true) public struct KeyedByUuid: Equatable {
    public var id: UUID
    public var name: String?
}
