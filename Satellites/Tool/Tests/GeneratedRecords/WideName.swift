// Written by rowan generate for the table wide_names: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("wide_names", memberwise: true) public struct WideName: Equatable {
    public var id: Int64?
    @Column("a very long name of a column that a person has written as a sentence, with a comma") public var aVeryLongNameOfAColumnThatAPersonHasWrittenAsASentenceWithAComma: String?
}
