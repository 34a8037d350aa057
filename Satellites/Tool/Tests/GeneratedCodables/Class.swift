// Written by rowan generate for the table class: do not edit.
// swift-format-ignore-file

public import Rowan

public struct Class: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var `default`: Int64?
    public var selfValue: String?
    public var `in`: String?
    public var `init`: String?
    public var type: String?
    public var `func`: String?

    public static let databaseTableName = "class"

    public enum CodingKeys: String, CodingKey {
        case `default`
        case selfValue = "self"
        case `in`
        case `init`
        case type = "Type"
        case `func`
    }

    public enum Columns {
        public static let `default` = Column("default")
        public static let selfValue = Column("self")
        public static let `in` = Column("in")
        public static let `init` = Column("init")
        public static let type = Column("Type")
        public static let `func` = Column("func")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        `default` = inserted.rowID
    }
}

extension Class {
    public static let `class` = belongsTo(Class.self, key: "class", using: ForeignKey(["func"], to: ["default"]))
    public static let classes = hasMany(Class.self, key: "classes", using: ForeignKey(["func"], to: ["default"]))
}
