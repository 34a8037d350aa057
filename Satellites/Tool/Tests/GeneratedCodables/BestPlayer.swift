// Written by rowan generate for the view best_players: do not edit.
// swift-format-ignore-file

public import Rowan

public struct BestPlayer: Codable, Equatable, FetchableRecord, TableRecord {
    public var id: Int?
    public var name: String?
    public var score: Int?
    public var twice: String?

    public static let databaseTableName = "best_players"

    public enum CodingKeys: String, CodingKey {
        case id
        case name
        case score
        case twice
    }

    public enum Columns {
        public static let id = Column("id")
        public static let name = Column("name")
        public static let score = Column("score")
        public static let twice = Column("twice")
    }
}
