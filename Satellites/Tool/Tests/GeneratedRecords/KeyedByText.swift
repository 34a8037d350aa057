// Written by rowan generate for the table keyed_by_text: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("keyed_by_text", memberwise: true) public struct KeyedByText: Equatable {
    @PrimaryKey public var key: String
    public var value: String?
}
