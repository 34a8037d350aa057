// Misspelled names in ordinary expressions: the compiler names them in well under a second (Scripts/compile-time).

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

// Swift has no message that names the missing member of a key path.
func keyPaths(players: QueryInterfaceRequest<Player>) {
    _ = Player.order(\.socre)  // error 16: the record type has no such column or term: check the names in the key path
    _ = Player.order(\.socre.desc)  // error 16: the record type has no such column or term
    _ = Player.order(\.score.dsc)  // error 16: the record type has no such column or term
    _ = Player.select(\.socre)  // error 16: the record type has no such column or term
    _ = Player.select(\.socre, as: Int.self)  // error 16: the record type has no such column or term
    _ = Player.annotated(with: \.socre)  // error 16: the record type has no such column or term
    _ = Player.filter(\.socre)  // error 16: the record type has no such column or term
    _ = Table<Player>("player").order(\.socre)  // error 33: the record type has no such column or term
    _ = players.order(\.socre).limit(10)  // error 17: the record type has no such column or term
    _ = players.select(\.socre)  // error 17: the record type has no such column or term
    _ = players.select(\.socre, as: Int.self)  // error 17: the record type has no such column or term
    _ = players.annotated(with: \.socre)  // error 17: the record type has no such column or term
    _ = players.filter(\.socre)  // error 17: the record type has no such column or term
    _ = players.group(\.socre)  // error 17: the record type has no such column or term
    _ = players.group(\.name).having(\.socre)  // error 31: the record type has no such column or term
    _ = players.union(players).order(\.socre)  // error 32: the record type has no such column or term
    _ = Team.including(all: Team.players.order(\.socre))  // error 42: the record type has no such column or term
    _ = Team.annotated(with: Team.players.average(\.socre))  // error 43: the record type has no such column or term
    _ = Team.annotated(with: Team.players.sum(\.socre))  // error 43: the record type has no such column or term
    _ = Player.order(\.score).filter { $0.nmae == "x" }  // error: no member 'nmae'
    _ = Player.order(\.score.desc).select(\.name, as: String.self)
}
