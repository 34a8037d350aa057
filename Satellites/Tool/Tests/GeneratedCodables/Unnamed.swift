// Written by rowan generate for the table ___: do not edit.
// swift-format-ignore-file

public import Rowan

public struct Unnamed: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var column: Int64?
    public var column2: String?
    public var dollar: String?
    public var column3: String?
    public var column4: String?
    public var column5: String?
    public var x: String?

    public static let databaseTableName = "___"

    public enum CodingKeys: String, CodingKey {
        case column = "_"
        case column2 = "__"
        case dollar = "$dollar"
        case column3 = "%"
        case column4 = "/*"
        case column5 = "//"
        case x = "\\(x)"
    }

    public enum Columns {
        public static let column = Column("_")
        public static let column2 = Column("__")
        public static let dollar = Column("$dollar")
        public static let column3 = Column("%")
        public static let column4 = Column("/*")
        public static let column5 = Column("//")
        public static let x = Column("\\(x)")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        column = inserted.rowID
    }
}
