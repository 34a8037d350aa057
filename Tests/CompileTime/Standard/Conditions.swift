import Foundation

func conditions(
    _ name: String, _ other: String, _ path: String, _ optional: String?, _ number: Int, _ maybe: Int?, _ ratio: Double,
    _ flag: Bool, _ unsure: Bool?, _ item: Item, _ items: [Item], _ node: Node, _ wide: Int64, _ byte: UInt8,
    _ date: Date
) {
    _ = name != "x"
    _ = name == "x"
    _ = "y" != "x"
    _ = "y" == "x"
    _ = "x" != name
    _ = "x" == name
    _ = name != other
    _ = name == other
    _ = optional != "x"
    _ = optional == "x"
    _ = "x" != optional
    _ = optional != nil
    _ = optional == nil
    _ = nil == optional
    _ = nil != optional
    _ = optional != name
    _ = name == optional
    _ = optional?.isEmpty == true
    _ = optional?.isEmpty != false
    _ = optional?.count != 0
    _ = maybe == 1
    _ = maybe != 1
    _ = 1 != maybe
    _ = maybe == nil
    _ = maybe != nil
    _ = maybe == number
    _ = number != maybe
    _ = number == 1
    _ = number != 1
    _ = 1 == 1
    _ = 1 != 2
    _ = 1.0 == 1
    _ = ratio == 1
    _ = ratio != 0.5
    _ = ratio < 1
    _ = ratio >= 0.5 && ratio <= 1.5
    _ = number < 10
    _ = number <= 10 && number > 0
    _ = number > 0 || number < -10
    _ = number >= 0
    _ = 0 <= number
    _ = 0 < number && number < 10
    _ = wide == 0
    _ = wide != 7 && wide < 100
    _ = byte == 0x20 || byte == 0x09 || byte == 0x0A
    _ = byte >= 48 && byte <= 57
    _ = !flag
    _ = !flag && !(unsure ?? false)
    _ = flag == true
    _ = flag != false
    _ = flag == flag
    _ = flag != flag
    _ = unsure == true
    _ = unsure != true
    _ = unsure ?? false
    _ = flag && number > 3
    _ = flag || number > 3
    _ = flag && flag && flag || !flag
    _ = path == "a" || path == "b"
    _ = path == "a" || path == "b" || path == "c" || path == "d"
    _ = !flag || path == "a" || path == "b" || path == "c" || path == "d" || path == "e" || path == "f"
    _ = !flag && path != "a" && path != "b" && path != "c" && path != "d" && path != "e" && path != "f"
    _ = path.hasPrefix("/a") || path.hasSuffix(".b") || path == "/" || flag
    _ = (path == "a" || path == "b") && (name == "c" || name != "d") && number == 3
    _ = number == 1 || number == 2 || number == 3 || number == 4 || number == 5 || number == 6
    _ = number == 1 && ratio == 2 && name == "3" && flag == true && optional == "5"
    _ = name < other
    _ = name < "m"
    _ = "a" < "b"
    _ = "a" <= name && name < "n"
    _ = name > "a" && name != "z"
    _ = item == item
    _ = item != item
    _ = items == []
    _ = items != []
    _ = items.isEmpty == false
    _ = item.kind == .small
    _ = item.kind != .large
    _ = item.kind == .small || item.kind == .huge
    _ = item.level < .high
    _ = item.level >= .middle && item.level != .high
    _ = item.parent == item.id
    _ = item.parent != nil && item.parent != item.id
    _ = item.name != "x" && item.nickname != "x" && item.nickname != nil
    _ = item.nickname ?? item.name == "x"
    _ = (item.nickname ?? "") != ""
    _ = item.isNew && item.isOld != true
    _ = item.isOld == nil || item.isOld == false
    _ = item.date < date
    _ = item.date != date
    _ = item.date <= Date() && item.date > .distantPast
    _ = item.uuid == UUID()
    _ = item.uuid != item.uuid
    _ = item.data == Data()
    _ = item.data != Data([1, 2])
    _ = item.amount == 1
    _ = item.amount > 0 && item.amount != 10
    _ = item.url == nil
    _ = item.url != URL(string: "https://example.com")
    _ = item.url?.host == "example.com"
    _ = item.tags == ["a"]
    _ = item.tags != ["a", "b"]
    _ = item.tags.first == "a"
    _ = item.tags.first != "a"
    _ = node === node
    _ = node !== node.next
    _ = node.next === node
    _ = node.next == nil
    _ = node.next != nil
    _ = node.next === nil
    _ = node.next?.value == 3
    _ = Shape.point == .circle(1)
    _ = Shape.point != .box(width: 1, height: 2)
    _ = type(of: item) == Item.self
    _ = type(of: item) != Item.self
    _ = ObjectIdentifier(node) == ObjectIdentifier(node)
    _ = (number, name) == (1, "x")
    _ = (number, name) != (1, "x")
    _ = (number, name) < (2, "y")
    _ = number.isMultiple(of: 2) == false
    _ = Int(name) == 3
    _ = Int(name) != nil
    _ = Int(name) ?? 0 > 3
    _ = Double(name) ?? 0 < 0.5
    _ = name.count > 3 && name.count < 10 && name.count != 7
    _ = name.first == "a"
    _ = name.first != "a"
    _ = name.first?.isLetter == true && name.last != "."
    _ = name.utf8.first == 0x61
    _ = name.prefix(2) == "ab"
    _ = name.prefix(2) != "ab"
    _ = "ab" == name.prefix(2)
    _ = name.dropFirst() != name.dropLast()
    _ = name.lowercased() == other.lowercased()
    _ = name.lowercased() != "x" && !name.isEmpty
    _ = Character("a") != "b"
    _ = "a" == Character("b")
    _ = Set([1, 2]) == [2, 1]
    _ = Set(["a"]) != ["b"]
    _ = ["a": 1] == ["a": 2]
    _ = ["a": 1] != ["b": 2]
    _ = [1, 2] == [1, 2]
    _ = [1, 2] != [2, 1]
    _ = ["a", "b"] == ["a", "b"]
    _ = ["a", "b"] != [name, other]
    _ = 1...3 == 1...4
    _ = (1...3) != (1...4)
    _ = (1...3).contains(number)
    _ = (0..<10).contains(number) && !(3...4).contains(number)
    _ = (1...).contains(number)
    _ = ("a"..."f").contains(name)
    _ = 1...3 ~= number
    _ = 0.0..<1.0 ~= ratio
    _ = flag ? name != "x" : name == "y"
    _ = flag ? number : 0
    _ = flag ? 1 : 2.5
    _ = name == "x" ? "y" : "z"
    _ = name != "x" ? nil : optional
    _ = number == 0 ? ratio : ratio / 2
    let inferred = name != "x"
    let typed: Bool = name != "x"
    let negated = !(name != "x")
    let both = name != "x" && other != "y"
    let whether: Bool? = name != "x"
    _ = (inferred, typed, negated, both, whether)
    if name != "x", other == "y", number != 3 { return }
    guard name != "x" || optional != nil else { return }
    while number != number { break }
    switch name {
    case "x" where other != "y": break;
    default: break
    }
    switch number {
    case 1...5: break;
    case let n where n != 7 && n < 100: break;
    default: break
    }
    assert(name != "x" && number != 3)
    precondition(number >= 0 && ratio != 3, "a \(name != "x") b")
    _ = check(name != "x")
    _ = check(name != "x" || number == 3 && flag)
    _ = use(name != "x")
    _ = use(number == 3)
    _ = show(name != "x")
    _ = show(number < 3)
}
