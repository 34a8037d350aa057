import Foundation
import Rowan

/// Joins of requests on any condition.
func joins(name: String, minimum: Int) {
    _ = Player.all().join(Team.all()) { player, team in player.teamId == team.id }
    _ = Player.all().join(Team.all()) { $0.teamId == $1.id }
    _ = Player.all().join(Team.all()) { player, team in
        player.teamId == team.id && team.name == name && player.score > minimum
    }
    _ = Player.all().join(Team.all()) { p, t in p.teamId == t.id && p.name == t.name && p.score == t.id }
    _ = Player.all().join(Player.all()) { one, other in
        one.teamId == other.teamId && one.score == other.score && one.id < other.id && one.name != other.name
    }
    _ = Player.all()
        .join(Team.all()) { p, t in p.teamId == t.id }
        .leftJoin(Game.all()) { p, t, g in g.playerId == p.id && g.points > 3 && t.name == name }
    _ = Player.all()
        .join(Team.all()) { p, t in p.teamId == t.id && t.city == "Paris" && p.score > 10 }
        .leftJoin(Game.all()) { p, t, g in g.playerId == p.id && g.points == p.score && t.name == name }
        .join(Book.all()) { p, t, g, b in b.id == p.id && b.title == t.name && g.points == b.pages }
        .filter(Column("score") > 3)
        .limit(10)
    _ = Book.all().join(Book.all()) { a, b in a.id == b.id && a.title == b.title && a.price == b.price }
    _ = Book.all().leftJoin(Player.all()) { b, p in b.title == p.name && b.isbn == nil && b.pages == 3 }
    _ = Player.including(required: Player.team).filter { $0.score > 1 && $0.name == "x" && $0.teamId == 3 }
}
