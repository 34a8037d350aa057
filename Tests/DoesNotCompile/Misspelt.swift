// Misspelt names in ordinary expressions: the compiler names them, in well under a second (Scripts/compile-time).

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
}

struct Player: Codable, FetchableRecord, PersistableRecord, Identifiable {
    var id: Int64
    var teamId: Int64?
    var name: String
    var score: Int

    enum Columns {
        static let id = Column("id")
        static let teamId = Column("teamId")
        static let name = Column("name")
        static let score = TypedColumn<Int>("score")
    }

    static let team = belongsTo(Team.self)
}

struct Stadium: TableRecord {}

func undeclared() {
    _ = Stadium.filter { $0.name == "x" }  // error: add `enum Columns
    _ = Stadium.all().filter { $0.name == "x" && $0.city == "y" }  // error: add `enum Columns
    _ = Stadium.select { [$0.name, $0.city] }  // error: add `enum Columns
    _ = Stadium.filter { _ in Column("id") == 1 }
}

func misspelt(name: String, ids: [Int64]) {
    _ = Player.filter { $0.nmae == "x" && $0.score > 3 }  // error: no member 'nmae'
    _ = Player.filter { $0.name == "x" && $0.scroe > 3 && $0.teamId == 4 }  // error: no member 'scroe'
    _ = Player.filter { $0.name == "x" || $0.score > 3 && $0.taemId == 4 }  // error: no member 'taemId'
    _ = Player.all().filter { $0.nmae == "x" && $0.score > 3 && $0.teamId == 4 }  // error: no member 'nmae'
    _ = Table<Player>("player").filter { $0.nmae == "x" && $0.score > 3 }  // error: no member 'nmae'
    _ = Player.including(required: Player.team.filter { $0.ctiy == "x" && $0.name == name })  // error: no member 'ctiy'
    _ = Player.order { [$0.socre.desc, $0.name] }  // error: no member 'socre'
    _ = Player.select { [$0.name, $0.socre] }  // error: no member 'socre'
    _ = Team.annotated(with: Team.palyers.count, Team.players.sum(\.score))  // error: no member 'palyers'
    _ = Player.all().join(Team.all()) { p, t in p.temId == t.id && p.name == t.name }  // error: no member 'temId'
    _ = Player.all().join(Team.all()) { p, t in p.teamId == t.id && p.nmae == t.name && p.score > 1 }  // error: 'nmae'
    _ = Team.including(optional: Team.players.first { [$0.socre.desc, $0.name] })  // error: no member 'socre'
}
