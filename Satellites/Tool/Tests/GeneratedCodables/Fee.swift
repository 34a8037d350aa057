// Written by rowan generate for the table fees: do not edit.
// swift-format-ignore-file

public import Rowan

public struct Fee: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var player: Int
    public var club: String
    public var amount: Double?

    public static let databaseTableName = "fees"

    public enum CodingKeys: String, CodingKey {
        case id
        case player
        case club
        case amount
    }

    public enum Columns {
        public static let id = Column("id")
        public static let player = Column("player")
        public static let club = Column("club")
        public static let amount = Column("amount")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

extension Fee {
    public static let membership = belongsTo(Membership.self, key: "membership", using: ForeignKey(["player", "club"], to: ["player", "club"]))
}
