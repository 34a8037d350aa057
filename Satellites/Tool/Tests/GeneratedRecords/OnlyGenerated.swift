// Written by rowan generate for the table only_generated: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("only_generated", memberwise: true) public struct OnlyGenerated: Equatable {
    public var a: Int?
    @Column(generated: true) public var b: Int?
    @Column(generated: true) public var c: Int?
    @Column(generated: true) public var d: String?
}
