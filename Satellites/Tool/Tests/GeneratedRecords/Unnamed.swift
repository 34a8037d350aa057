// Written by rowan generate for the table ___: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("___", memberwise: true) public struct Unnamed: Equatable {
    @PrimaryKey @Column("_") public var column: Int64?
    @Column("__") public var column2: String?
    @Column("$dollar") public var dollar: String?
    @Column("%") public var column3: String?
    @Column("/*") public var column4: String?
    @Column("//") public var column5: String?
    @Column("\\(x)") public var x: String?
}
