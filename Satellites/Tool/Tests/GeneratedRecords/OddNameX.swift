// Written by rowan generate for the table odd name; -- x: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("odd name; -- x", memberwise: true) public struct OddNameX: Equatable {
    @Column("a b") public var aB: String?
    @Column("a_b") public var aB2: String?
    @Column("a-b") public var aB3: String?
    @Column("1st") public var _1st: Int?
    @Column("") public var column: String?
    public var é: String?
    @Column("q\"uote") public var qUote: String?
    @Column("back\\slash") public var backSlash: String?
    @Column("emoji😀") public var emoji: String?
}
