// The models of the requests in this folder. Nothing here runs: Scripts/compile-time measures how long type checking
// takes.
import Foundation
import Rowan

struct Team: Codable, FetchableRecord, PersistableRecord, Identifiable {
    var id: Int64
    var name: String
    var city: String?

    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
        static let city = Column("city")
    }

    static let players = hasMany(Player.self)
    static let games = hasMany(Game.self, through: players, using: Player.games)
}

struct Player: Codable, FetchableRecord, PersistableRecord, Identifiable {
    var id: Int64
    var teamId: Int64?
    var name: String
    var score: Int
    var bonus: Int
    var weight: Double?
    var joined: Date
    var info: String

    enum Columns {
        static let id = Column("id")
        static let teamId = Column("teamId")
        static let name = Column("name")
        static let score = Column("score")
        static let bonus = Column("bonus")
        static let weight = Column("weight")
        static let joined = Column("joined")
        static let info = JSONColumn("info")
    }

    static let team = belongsTo(Team.self)
    static let games = hasMany(Game.self)
}

struct Game: Codable, FetchableRecord, PersistableRecord {
    var playerId: Int64
    var points: Int
    var date: Date

    enum Columns {
        static let playerId = Column("playerId")
        static let points = Column("points")
        static let date = Column("date")
    }

    static let player = belongsTo(Player.self)
}

struct Book: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var title: String
    var price: Double
    var pages: Int?
    var isbn: String?
    var published: Date?
    var isAvailable: Bool
    var isSold: Bool?
    var discount: Double

    enum Columns {
        static let id = TypedColumn<Int64>("id")
        static let title = TypedColumn<String>("title")
        static let price = TypedColumn<Double>("price")
        static let pages = TypedColumn<Int?>("pages")
        static let isbn = TypedColumn<String?>("isbn")
        static let published = TypedColumn<Date?>("published")
        static let isAvailable = TypedColumn<Bool>("isAvailable")
        static let isSold = TypedColumn<Bool?>("isSold")
        static let discount = TypedColumn<Double>("discount")
    }

    static let databaseTableName = "book"
}
