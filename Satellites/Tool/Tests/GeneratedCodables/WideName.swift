// Written by rowan generate for the table wide_names: do not edit.
// swift-format-ignore-file

public import Rowan

public struct WideName: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var aVeryLongNameOfAColumnThatAPersonHasWrittenAsASentenceWithAComma: String?

    public static let databaseTableName = "wide_names"

    public enum CodingKeys: String, CodingKey {
        case id
        case aVeryLongNameOfAColumnThatAPersonHasWrittenAsASentenceWithAComma = "a very long name of a column that a person has written as a sentence, with a comma"
    }

    public enum Columns {
        public static let id = Column("id")
        public static let aVeryLongNameOfAColumnThatAPersonHasWrittenAsASentenceWithAComma = Column("a very long name of a column that a person has written as a sentence, with a comma")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
