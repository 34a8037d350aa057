// Written by rowan generate for the table documents: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("documents", memberwise: true) public struct Document: Equatable {
    public var title: String?
    public var body: String?
}
