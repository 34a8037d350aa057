// Written by rowan generate for the table norowid: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("norowid", memberwise: true) public struct Norowid: Equatable {
    @PrimaryKey public var code: String
    public var n: Int?
}
