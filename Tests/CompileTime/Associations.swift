import Foundation
import Rowan

/// Joined, prefetched and counted associations.
func associations(name: String, minimum: Int, maximum: Int, ids: [Int64], day: Date) {
    let team = TableAlias<Team>()
    let player = TableAlias<Player>()
    let best = CommonTableExpression<Player>(named: "best", request: Player.order(\.score.desc).limit(10))
    _ = Player.including(required: Player.team)
    _ = Player.including(optional: Player.team)
    _ = Player.including(optional: Player.team.select(\.name))
    _ = Player.joining(required: Player.team.filter { $0.city == "Paris" })
    _ = Player.joining(optional: Player.team).filter { $0.score > 0 }
    _ = Player.including(required: Player.team.filter { $0.name == name && $0.city != nil }).order(\.score.desc)
    _ = Player.including(all: Player.games)
    _ = Player.including(all: Player.games.filter { $0.points > 10 }.order(\.date.desc))
    _ = Player.including(all: Player.games.order { [$0.points.desc, $0.date] }.forKey("bestGames"))
    _ = Player.including(required: Player.team).including(all: Player.games)
    _ = Player.including(required: Player.team).including(all: Player.games).filter { $0.score > minimum }.limit(10)
    _ = Team.including(all: Team.players)
    _ = Team.including(all: Team.players.including(all: Player.games))
    _ = Team.including(
        all: Team.players.filter { $0.score > 100 }.including(all: Player.games.filter { $0.points > 1 }))
    _ = Team.including(all: Team.players.order(\.score.desc).forKey("ranking"))
    _ = Team.including(all: Team.games)
    _ = Team.annotated(with: Team.players.count)
    _ = Team.annotated(with: Team.players.count, Team.players.sum(\.score))
    _ = Team.annotated(with: Team.players.max(\.score), Team.players.min(\.score), Team.players.average(\.weight))
    _ = Team.annotated(with: Team.players.filter { $0.score > 1000 }.count.forKey("goodPlayers"))
    _ = Team.annotated(with: Team.players.filter { $0.bonus > 0 }.forKey("lucky").count, Team.games.sum(\.points))
    _ = Team.having(Team.players.isEmpty)
    _ = Team.having(Team.players.isEmpty == false)
    _ = Team.having(Team.players.count > 3)
    _ = Team.having(Team.players.count >= 2 && Team.players.sum(\.score) > 1000)
    _ = Team.having(Team.players.filter { $0.score > 10 }.count > 3 || Team.players.isEmpty)
    _ = Team.having(!Team.players.isEmpty).annotated(with: Team.players.average(\.score).forKey("mean"))
    _ = Team.joining(required: Team.players.filter { $0.score > minimum }).distinct()
    _ = Team.annotated(with: (Team.players.sum(\.score) + Team.players.sum(\.bonus)).forKey("points"))
    _ = Team.annotated(with: Team.players.count).order(\.name).limit(10)
    _ = Player.annotated(withRequired: Player.team.select { $0.name.forKey("teamName") })
    _ = Player.annotated(withOptional: Player.team.select { [$0.name.forKey("teamName"), $0.city.forKey("city")] })
    _ = Player.annotated(withRequired: Player.team.select { $0.name.forKey("teamName") }).order(\.score.desc)
    _ = Player.annotated(with: Player.games.sum(\.points), Player.games.count)
    _ = Player.annotated(with: Player.games.max(\.points).forKey("record")).filter { $0.score > 10 }
    _ = Player.having(Player.games.max(\.points) > 100)
    _ = Player.having(Player.games.count == 0 || Player.games.total(\.points) > 10.5)
    _ = Game.including(required: Game.player)
    _ = Game.including(required: Game.player.including(required: Player.team))
    _ = Game.including(required: Game.player.including(optional: Player.team).filter { $0.score > 10 })
    _ = Game.joining(required: Game.player.joining(required: Player.team.filter { $0.city == "Paris" }))
    _ = Game.annotated(withRequired: Game.player.select(\.name))
    _ = Game.filter { $0.points > 3 }.including(required: Game.player.aliased(player)).order(player[Column("name")])
    _ = Player.including(required: Player.team.aliased(team)).filter {
        $0.score > 10 && team[Column("city")] == "Paris"
    }
    _ = Player.joining(required: Player.team.aliased(team)).order { [team[Column("name")].asc, $0.score.desc] }
    _ = Player.with(best).filter { $0.score > 10 }
    _ = Player.filter { Table("team").select(Column("id")).contains($0.teamId) }
    _ = Table<Row>("player").filter(Column("score") > minimum && Column("name") == name)
    _ = Table<Row>("player").order(Column("score").desc, Column("name")).limit(3)
    _ = Player.including(required: Player.team).asRequest(of: Row.self)
    _ = Team.including(all: Team.players).filter { $0.city != nil && $0.name != name }.order { [$0.city, $0.name] }
}
