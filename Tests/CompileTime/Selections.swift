import Foundation
import Rowan

/// Selections, aggregates, windows, CASE, JSON, dates, subqueries.
func selections(name: String, minimum: Int, maximum: Int, ids: [Int64], day: Date) {
    _ = Player.select { max($0.score) }.filter { $0.name == "a" && $0.score > 3 && $0.bonus < 10 }
    _ = Player.select(Column("name")).filter { $0.score > 3 && $0.bonus > 3 }
        .filter { $0.name != nil || $0.bonus != nil }
    _ = Player.select { [(1 - $0.score).forKey("a"), ($0.score * 2).forKey("b"), ($0.bonus / 2).forKey("c")] }
    _ = Player.select(\.name, as: String.self)
    _ = Player.select({ [$0.id, $0.name] })
    _ = Player.select({ max($0.score) }, as: Int.self)
    _ = Player.select({ [min($0.score), max($0.score), average($0.score), sum($0.bonus)] })
    _ = Player.select({ [count(.allColumns).forKey("n"), total($0.score).forKey("total")] })
    _ = Player.select({ count(distinct: $0.name) }, as: Int.self)
    _ = Player.select({ ($0.score + $0.bonus).forKey("points") }, as: Int.self)
    _ = Player.select({ [$0.name, ($0.score * 2 + $0.bonus).forKey("points"), length($0.name).forKey("length")] })
    _ = Player.select({ max($0.score) - min($0.score) }, as: Int.self)
    _ = Player.select({ [sum($0.score + $0.bonus) / count(.allColumns), average($0.weight ?? 70.5)] })
    _ = Player.annotated(with: { [($0.score + $0.bonus).forKey("total")] })
    _ = Player.annotated(with: { [($0.score + $0.bonus).forKey("total"), ($0.score > 100).forKey("isGood")] })
    _ = Player.select({ coalesce([$0.weight, $0.score, $0.bonus]) }, as: Double.self)
    _ = Player.select({ $0.name.uppercased }, as: String.self)
    _ = Player.select({ cast($0.score, as: .real) }, as: Double.self)
    _ = Player.select({ sum($0.score, filter: $0.bonus > 0) }, as: Int.self)
    _ = Player.select({ [$0.teamId, count(.allColumns).forKey("n")] }).group(\.teamId)
    _ = Player.select({ [$0.teamId, max($0.score).forKey("best")] }).group(\.teamId).having { max($0.score) > 1000 }
    _ = Player.select({ [$0.teamId, sum($0.score)] }).group { [$0.teamId, $0.bonus] }.having { _ in
        count(.allColumns) > 3
    }
    _ = Player.select({ rank().over(orderBy: [$0.score.desc]) }, as: Int.self)
    _ = Player.select({ [$0.name, rowNumber().over(partitionBy: [$0.teamId], orderBy: [$0.score.desc, $0.id])] })
    _ = Player.select({
        [$0.name, sum($0.score).over(partitionBy: [$0.teamId], orderBy: [$0.joined]).forKey("running")]
    })
    _ = Player.select(
        { average($0.score).over(orderBy: [$0.joined], frame: .rows(from: .preceding(6))) }, as: Double.self)
    _ = Player.select({ ($0.score - lag($0.score).over(orderBy: [$0.joined])).forKey("change") }, as: Int.self)
    _ = Player.select({ lag($0.score, offset: 2, default: 0).over(orderBy: [$0.id]) }, as: Int.self)
    _ = Player.select({ count(.allColumns).filter($0.score > 100) }, as: Int.self)
    _ = Player.select(
        {
            CaseExpression().when($0.score >= 1000, then: "gold").when($0.score >= 100, then: "silver").otherwise(
                "bronze")
        }, as: String.self)
    _ = Player.select(
        { CaseExpression($0.bonus).when(1, then: "one").when(2, then: "two").otherwise(nil) }, as: String.self)
    _ = Player.select(
        { sum(CaseExpression().when($0.score > 100 && $0.bonus > 0, then: 1).otherwise(0)) }, as: Int.self)
    _ = Player.order { CaseExpression($0.teamId).when(1, then: 0).otherwise(1).sqlExpression.asc }
    _ = Player.select({ $0.info["name"] }, as: String.self)
    _ = Player.select({ [$0.info["name"].forKey("name"), $0.info["age"].forKey("age")] })
    _ = Player.select({ $0.info.jsonExtract(atPaths: ["$.name", "$.age"]) }, as: String.self)
    _ = Player.select({ Database.jsonArray([$0.name, $0.score]) }, as: String.self)
    _ = Player.select({ Database.jsonGroupArray($0.name) }, as: String.self)
    _ = Player.select({ Database.jsonObject(["name": $0.name, "score": $0.score]) }, as: String.self)
    _ = Player.select({ date($0.joined, .startOfMonth) }, as: String.self)
    _ = Player.select({ strftime("%Y", $0.joined) }, as: String.self)
    _ = Player.select({ [strftime("%Y", $0.joined).forKey("year"), count(.allColumns).forKey("n")] }).group {
        strftime("%Y", $0.joined)
    }
    _ = Player.select(sql: "MAX(score)", as: Int.self)
    _ = Player.select(literal: "\(Column("score")) + \(minimum)", as: Int.self)
    _ = Player.selectID()
    _ = Player.filter { $0.score == Player.select({ max($0.score) }) }
    _ = Player.filter { Team.select(\.id).filter { $0.name == name }.contains($0.teamId) }
    _ = Player.filter { $0.score > Player.select({ average($0.score) }) && $0.bonus > 0 }
    _ = Player.filter { Team.filter { $0.city == "Paris" }.selectID().contains($0.teamId) && $0.score > minimum }
    _ = Player.filter { _ in Game.filter { $0.points > 10 }.exists() }
    _ = Team.filter { ($0.city ?? "none") == name }.select(\.name, as: String.self)
    _ = Team.select({ $0.name + $0.city }, as: String.self)
    _ = Team.select({ [$0.name, $0.city].joined(operator: .concat) }, as: String.self)
}
