// Written by rowan generate for the table categories: do not edit.
// swift-format-ignore-file

public import Rowan

public struct Category: Codable, Equatable, FetchableRecord, TableRecord, PersistableRecord {
    public var name: String
    public var parent: String?

    public static let databaseTableName = "categories"

    public enum CodingKeys: String, CodingKey {
        case name
        case parent
    }

    public enum Columns {
        public static let name = Column("name")
        public static let parent = Column("parent")
    }
}

extension Category {
    public static let category = belongsTo(Category.self, key: "category", using: ForeignKey(["parent"], to: ["name"]))
    public static let categories = hasMany(Category.self, key: "categories", using: ForeignKey(["parent"], to: ["name"]))
}
