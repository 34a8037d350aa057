// Written by rowan generate for the table Error: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("Error", memberwise: true) public struct ErrorRecord: Equatable {
    public var id: Int64?
    public var error: String?
    public var `throws`: String?
    public var `try`: String?
}
