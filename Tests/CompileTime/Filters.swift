import Foundation
import Rowan

/// Filters and orders.
func filters(name: String, minimum: Int, maximum: Int, ids: [Int64], day: Date) {
    _ = Player.filter { 2 * $0.score + 3 * $0.bonus > 10 }
    _ = Player.filter { 2 * $0.score + 3 * $0.bonus > 10 * $0.weight + 4 }
    _ = Player.filter { 2.5 * $0.bonus + 1 > 3 * (1 - $0.score / 2.0) }
    _ = Player.filter { $0.score - $0.bonus - 3 > 2 * $0.weight + 3 * $0.score - 4 * $0.bonus }
    _ = Player.filter { 3 < $0.score && 10 >= $0.bonus + 2 || 4 <= $0.weight }
    _ = Player.filter { $0.score > 1000 }
    _ = Player.filter { $0.score >= 10 && $0.score < 100 }
    _ = Player.filter { $0.score > minimum && $0.name == name }
    _ = Player.filter { $0.name == name || $0.name == name.uppercased() }
    _ = Player.filter { $0.teamId == nil }
    _ = Player.filter { $0.teamId != nil && $0.weight != nil }
    _ = Player.filter { $0.joined > day }
    _ = Player.filter { $0.joined > day && $0.joined < day.addingTimeInterval(86_400) }
    _ = Player.filter { $0.score + $0.bonus > 1000 }
    _ = Player.filter { $0.score * 2 + $0.bonus / 3 > minimum }
    _ = Player.filter { ($0.score - $0.bonus) * 2 <= minimum || $0.bonus == 0 }
    _ = Player.filter { !($0.score > 100) }
    _ = Player.filter { !($0.score > 100 && $0.bonus > 0) || $0.teamId == nil }
    _ = Player.filter { $0.name.like("A%") }
    _ = Player.filter { $0.name.like("100!%", escape: "!") && $0.score > 0 }
    _ = Player.filter { $0.name.glob("A*") }
    _ = Player.filter { $0.name.collating(.nocase) == name }
    _ = Player.filter { [1, 2, 3].contains($0.id) }
    _ = Player.filter { ids.contains($0.id) && $0.score > minimum }
    _ = Player.filter { (1...10).contains($0.score) }
    _ = Player.filter { (0..<100).contains($0.score) && !(5...6).contains($0.bonus) }
    _ = Player.filter { length($0.name) > 10 }
    _ = Player.filter { length($0.name) > 10 && abs($0.bonus) < 5 }
    _ = Player.filter { $0.weight ?? 70 > 60.5 }
    _ = Player.filter { ($0.weight ?? 0) * 2 > 100.5 && $0.score > 1 }
    _ = Player.filter {
        $0.score > minimum && $0.score < maximum && $0.bonus > 0 && $0.teamId != nil && $0.name != name
    }
    _ = Player.filter { $0.score > 1 || $0.score > 2 || $0.score > 3 || $0.score > 4 || $0.score > 5 || $0.score > 6 }
    _ = Player.filter {
        ($0.score > 1 && $0.bonus > 1) || ($0.score > 2 && $0.bonus > 2) || ($0.score > 3 && $0.bonus > 3)
    }
    _ = Player.filter { $0.score + $0.bonus + 1 > $0.id * 2 && $0.name == name && $0.teamId == 1 }
    _ = Player.filter { $0.name != "" && ($0.teamId == 1 || $0.teamId == 2) && !($0.bonus < 0) }
    _ = Player.filter(id: 1)
    _ = Player.filter(ids: ids)
    _ = Player.filter(key: 1).order(\.name)
    _ = Player.filter(keys: ids).filter { $0.score > 0 }
    _ = Player.filter(key: ["name": name])
    _ = Player.filter(sql: "score > ?", arguments: [minimum])
    _ = Player.filter(literal: "score > \(minimum) AND name = \(name)")
    _ = Player.order(\.score.desc)
    _ = Player.order { [$0.score.desc, $0.name] }
    _ = Player.order { [$0.score.desc, $0.name.asc, $0.id] }.limit(10)
    _ = Player.order { [($0.score + $0.bonus).desc, $0.name.collating(.nocase).asc] }
    _ = Player.order(\.weight.descNullsFirst).limit(10, offset: 20)
    _ = Player.filter { $0.score > minimum && $0.name == name }.order(\.score.desc).limit(10)
    _ = Player.filter { $0.score > minimum }.filter { $0.bonus > 0 }.filter { $0.teamId == 1 }.order(\.name).reversed()
    _ = Player.all().filter { $0.bonus == $0.score }.order(\.id)
    _ = Player.filter { $0.bonus << 1 == 4 || $0.score >> 2 != 1 }
    _ = Player.filter { $0.score & 1 == 1 || $0.score | 2 == 3 }
    _ = Player.filter { dateTime($0.joined) == "2024-01-01 00:00:00" }
    _ = Player.filter { julianDay($0.joined) - julianDay($0.joined, .startOfMonth) < 10 }
    _ = Player.filter { $0.info["city"] == "Paris" }
    _ = Player.filter { $0.info["city"] == "Paris" && $0.score > 0 }
    _ = Player.filter { $0.info.jsonExtract(atPath: "$.age") > 18 }
    _ = Player.filter { rowValue($0.score, $0.id) > rowValue(minimum, 1) }
    _ = Player.filter { $0.score > 10 }.distinct().limit(5)
}
