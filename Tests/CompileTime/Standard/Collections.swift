import Foundation

func collections(
    _ items: [Item], _ names: [String], _ numbers: [Int], _ lookup: [String: Int], _ groups: [String: [Item]],
    _ ids: Set<Int>, _ name: String, _ number: Int, _ optionals: [Int?], _ flags: [Bool], _ nested: [[Int]]
) throws {
    _ = ["x"].map { $0 != "x" }
    _ = ["x"].map { $0 == "x" }
    _ = ["x"].filter { $0 != "x" }
    _ = ["x"].contains { $0 != "x" }
    _ = ["x"].first { $0 != "y" }
    _ = ["x", "y"].allSatisfy { $0 != "z" }
    _ = names.map { $0 != name }
    _ = names.filter { $0 != name && $0 != "x" }
    _ = names.filter { $0 == "a" || $0 == "b" || $0 == "c" }
    _ = names.contains("x")
    _ = names.contains(name)
    _ = names.contains(name) || names.contains("y")
    _ = !names.contains(name)
    _ = names.contains { $0.hasPrefix("x") || $0 == "y" }
    _ = names.contains(where: { $0 != name })
    _ = ["a", "b"].contains(name)
    _ = [1, 2, 3].contains(number)
    _ = [1, 2, 3].contains(number) && ["a"].contains(name)
    _ = ![1, 2].contains(number)
    _ = ids.contains(number)
    _ = ids.contains(3) || ids.isEmpty
    _ = numbers.contains(number)
    _ = numbers.contains(1)
    _ = numbers.contains { $0 > 3 }
    _ = numbers.contains { $0 % 2 == 0 && $0 != 4 }
    _ = optionals.contains(nil)
    _ = optionals.contains(3)
    _ = flags.contains(true)
    _ = flags.contains(false) == false
    _ = lookup.keys.contains(name)
    _ = lookup.values.contains(3)
    _ = lookup[name] == 3
    _ = lookup[name] != nil
    _ = lookup[name] ?? 0
    _ = lookup[name, default: 0] + 1
    _ = lookup["a"] == nil && lookup["b"] != 3
    _ = groups[name]?.count ?? 0
    _ = groups[name]?.isEmpty != false
    _ = groups[name, default: []].map(\.id)
    _ = groups[name]?.first?.name == name
    _ = numbers.map { $0 + 1 }
    _ = numbers.map { $0 * 2 + 1 }
    _ = numbers.map { -$0 }
    _ = numbers.map { Double($0) / 2 }
    _ = numbers.map { $0 == 1 }
    _ = numbers.map { $0 != number }
    _ = numbers.map { $0 > 1 && $0 < 5 }
    _ = numbers.map { $0 < 3 ? "a" : "b" }
    _ = numbers.filter { $0 > 3 }
    _ = numbers.filter { $0 >= number || $0 == 0 }
    _ = numbers.filter { !ids.contains($0) }
    _ = numbers.reduce(0, +)
    _ = numbers.reduce(0) { $0 + $1 }
    _ = numbers.reduce(into: [:]) { (counts: inout [Int: Int], n) in counts[n, default: 0] += 1 }
    _ = numbers.sorted()
    _ = numbers.sorted(by: <)
    _ = numbers.sorted(by: >)
    _ = numbers.sorted { $0 > $1 }
    _ = numbers.sorted { $0 % 3 < $1 % 3 }
    _ = numbers.min() ?? 0
    _ = numbers.max { $0 < $1 }
    _ = numbers.first ?? 0 + 1
    _ = numbers.first { $0 > 3 } ?? -1
    _ = numbers.first == numbers.last
    _ = numbers.count == names.count
    _ = numbers.count > 3 && names.count != 2
    _ = numbers.firstIndex(of: 3) == 0
    _ = numbers.firstIndex { $0 != 3 } ?? numbers.endIndex
    _ = numbers[0] + numbers[1]
    _ = numbers[0] != numbers[1]
    _ = numbers + [1, 2]
    _ = [0] + numbers
    _ = numbers + numbers
    _ = numbers + numbers.map { $0 + 1 }
    _ = [1] + [2]
    _ = names + ["x"]
    _ = (flags.isEmpty ? ["x"] : []) + (number > 1 ? ["y"] : [])
    _ = (flags.isEmpty ? [1] : []) + [2] + (number > 1 ? [3] : [])
    _ = ["x"] + names + ["y"]
    _ = numbers.dropFirst() + numbers.prefix(2)
    _ = numbers.dropFirst(2).first == 3
    _ = numbers[1...] == [3]
    _ = numbers.elementsEqual([1, 2])
    _ = numbers.starts(with: [1])
    _ = numbers.enumerated().map { $0 + $1 }
    _ = numbers.enumerated().filter { $0.offset != $0.element }
    _ = numbers.indices.map { numbers[$0] + 1 }
    _ = zip(numbers, names).map { $0 + $1.count }
    _ = zip(numbers, names).filter { $0 != 3 && $1 != "x" }
    _ = zip(numbers, numbers).map(+)
    _ = zip(numbers, numbers).map { $0 == $1 }
    _ = zip(numbers, numbers).allSatisfy(==)
    _ = zip(numbers, numbers).allSatisfy { $0 != $1 }
    _ = optionals.compactMap { $0 }
    _ = optionals.compactMap { $0.map { $0 + 1 } }
    _ = optionals.filter { $0 != nil }
    _ = optionals.map { $0 ?? 0 }
    _ = optionals.map { $0 == 3 }
    _ = nested.flatMap { $0 }
    _ = nested.flatMap { $0.map { $0 * 2 } }
    _ = nested.map { $0.reduce(0, +) }.reduce(0, +)
    _ = nested.map { $0.count }.max() ?? 0
    _ = Array(nested.joined())
    _ = names.joined()
    _ = names.joined(separator: ", ")
    _ = names.map { $0 + "!" }.joined(separator: " ")
    _ = names.map { "\($0)" }.joined()
    _ = names.map(\.count).reduce(0, +)
    _ = names.map { $0.count }.filter { $0 != 3 }
    _ = names.sorted { $0.count < $1.count }
    _ = names.sorted { $0.lowercased() < $1.lowercased() }
    _ = names.sorted { ($0.count, $0) < ($1.count, $1) }
    _ = names.min { $0.count < $1.count } ?? ""
    _ = names.last != nil && names.last != "x"
    _ = names.first != names.last
    _ = names.isEmpty || names == ["a"] || names != ["b", "c"]
    _ = names.count { $0 != "x" }
    _ = names.drop { $0 == "x" }.count
    _ = names.split { $0 != "x" }.count
    _ = items.map(\.name)
    _ = items.map { $0.name != "x" }
    _ = items.filter { $0.name != "x" && $0.price > 3 }
    _ = items.filter { $0.isNew }
    _ = items.filter { !$0.isNew && $0.parent == nil }
    _ = items.filter { $0.kind == .small || $0.kind == .large }
    _ = items.filter { $0.isOld ?? false }
    _ = items.filter { $0.nickname?.isEmpty == false }
    _ = items.first { $0.id == number }?.name
    _ = items.first { $0.id == number && $0.name != name }?.parent ?? 0
    _ = items.contains { $0.id == number }
    _ = items.sorted { $0.price < $1.price }
    _ = items.sorted { $0.kind == $1.kind ? $0.id < $1.id : $0.kind.rawValue < $1.kind.rawValue }
    _ = items.map { $0.price * 1.2 + ($0.rate ?? 0) }.reduce(0, +)
    _ = items.reduce(0) { $0 + $1.price }
    _ = items.reduce(into: 0) { $0 += $1.id }
    _ = items.map { ($0.id, $0.name) }
    _ = items.map { [$0.id, $0.parent ?? 0] }
    _ = items.compactMap { $0.nickname ?? ($0.isNew ? $0.name : nil) }
    _ = items.flatMap(\.tags).filter { $0 != "x" }
    _ = Dictionary(grouping: items) { $0.kind }
    _ = Dictionary(grouping: items, by: { $0.price > 3 })
    _ = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0.name) })
    _ = Dictionary(items.map { ($0.name, 1) }, uniquingKeysWith: +)
    _ = lookup.filter { $0.value > 3 && $0.key != "x" }
    _ = lookup.map { $0.key + "=" + String($0.value) }
    _ = lookup.mapValues { $0 + 1 }
    _ = lookup.sorted { $0.value > $1.value }.first?.key ?? ""
    _ = lookup.contains { $0.key == "x" }
    _ = lookup.min { $0.value < $1.value }?.key == "x"
    _ = Set(names).subtracting(["x"]).isEmpty
    _ = Set(numbers).union([1, 2]) == ids
    _ = Set(numbers).isSubset(of: ids) && ids != [3]
    _ = numbers.lazy.map { $0 + 1 }.filter { $0 != 3 }.first ?? 0
    _ = numbers.reversed().map { $0 - 1 }
    _ = numbers.prefix { $0 != 0 }.count
    _ = (0..<number).map { $0 * $0 }
    _ = (0..<number).filter { $0 % 2 == 1 }.count
    _ = (1...3).map { "\($0)" }
    _ = Array(repeating: 0, count: number + 1)
    _ = try items.map { try JSONEncoder().encode($0).count + 1 }
    let inferred = names.map { $0 != "x" }
    let predicate: (String) -> Bool = { $0 != "x" }
    let comparison: (Int, Int) -> Bool = (<)
    let operation: (Int, Int) -> Int = (+)
    let pair = names.map { ($0, $0 != "x") }
    let table = ["a": 1 + 2, "b": number]
    let mixed: [Any] = [1, "x", name != "x"]
    let values: [String: Any] = ["a": 1, "b": name == "x"]
    let empty: [String] = []
    _ = (inferred, predicate, comparison, operation, pair, table, mixed, values, empty)
    for (index, value) in numbers.enumerated() where index != value && value > 3 { _ = index + value }
    for name in names where name != "x" { _ = name }
}
