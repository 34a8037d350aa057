import Foundation

func strings(
    _ name: String, _ other: String, _ optional: String?, _ number: Int, _ ratio: Double, _ item: Item,
    _ names: [String],
    _ lines: [Substring]
) {
    _ = "\(name != "x")"
    _ = "\(name == "x")"
    _ = "\(number + 1)"
    _ = "\(number == 1 ? "" : "s")"
    _ = "\(name): \(number * 2 + 1), \(ratio / 2)"
    _ = "\(optional ?? "none")"
    _ = "\(optional ?? name) and \(names.count - 1) more"
    _ = "a" + "b"
    _ = "a" + name
    _ = name + "b"
    _ = name + other
    _ = name + " " + other
    _ = name + ", " + other + ": " + String(number) + "."
    _ = "<" + name + ">" + "</" + name + ">"
    _ = name + "=" + "\(number)"
    _ = name + (optional ?? "")
    _ = (optional ?? "") + name
    _ = optional.map { $0 + "!" } ?? ""
    _ = optional ?? other
    _ = optional ?? optional ?? "x"
    _ = String(number) + "/" + String(number + 1)
    _ = String(repeating: " ", count: max(0, 10 - name.count)) + name
    _ = name.uppercased() + name.lowercased()
    _ = name.prefix(1).uppercased() + name.dropFirst()
    _ = name.replacingOccurrences(of: "a", with: "b") != name
    _ = name.trimmingCharacters(in: .whitespaces) == ""
    _ = name.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    _ = name.split(separator: ",").map(String.init)
    _ = name.split(separator: "=", maxSplits: 1).last ?? ""
    _ = name.split { $0 == "," || $0 == ";" }
    _ = name.split(whereSeparator: { $0 != "a" && $0 != "b" })
    _ = name.components(separatedBy: "/").filter { $0 != "" }
    _ = name.filter { $0 != " " }
    _ = name.filter { $0.isLetter || $0 == "_" || $0 == "-" }
    _ = name.map { $0 == "a" ? "b" : $0 }
    _ = name.contains("x")
    _ = name.contains("x") || name.contains("y")
    _ = name.contains { $0 == "x" }
    _ = name.contains { $0.isNumber && $0 != "0" }
    _ = name.firstIndex(of: "x") ?? name.endIndex
    _ = name.first.map { $0 == "x" } ?? false
    _ = name.unicodeScalars.allSatisfy { $0 != "x" && $0.value < 128 }
    _ = name.utf8.map { $0 ^ 0x20 }
    _ = name.utf8.contains(0)
    _ = name.utf8.reduce(0) { $0 &* 31 &+ Int($1) }
    _ = name.isEmpty ? "empty" : name
    _ = name.isEmpty || name == "x" ? nil : name
    _ = name.count == 3 ? name : name + "…"
    _ = lines.filter { $0 != "" && !$0.hasPrefix("#") }
    _ = lines.first { $0.hasPrefix("x") }?.dropFirst() ?? ""
    _ = lines.map { String($0) + "\n" }.joined()
    _ = lines.first == "x"
    _ = lines.last != "x"
    _ = names.joined(separator: ",") + ";"
    _ = names.map { "\"" + $0 + "\"" }.joined(separator: ", ")
    _ = "(" + names.map { $0.uppercased() }.joined(separator: ", ") + ")"
    _ = names.reduce("") { $0 + $1 }
    _ = names.reduce("") { $0.isEmpty ? $1 : $0 + ", " + $1 }
    _ = item.name + (item.nickname.map { " (\($0))" } ?? "")
    _ = item.kind.rawValue + "-" + item.uuid.uuidString
    _ = item.tags.first ?? item.name
    _ = String(format: "%.2f", ratio * 100) + "%"
    _ = "a" == "b" || "c" != "d"
    _ = "a" != "b" && "c" != "d" && "e" != "f"
    _ = "line 1\nline 2" + "\n"
    _ = """
        text \(name != "x") and \(number)
        """ + name
    _ = ["a", "b"].joined(separator: "+") == "a+b"
    _ = Substring("a") + "b"
    _ = Substring("a") != "b"
    _ = Character("a") == Character("b")
    _ = Data("a".utf8) + Data("b".utf8)
    _ = Data("a".utf8) == Data(name.utf8)
    _ = (name as NSString).pathExtension != "txt"
    _ = URL(fileURLWithPath: "/tmp").appendingPathComponent(name + ".txt").path
    let text = name + "x"
    let inferred = "\(name)" != "x"
    let typed: String = "a" + name + "b"
    let optionalText: String? = "a" + name
    let substring: Substring = "a" + name.prefix(2)
    _ = (text, inferred, typed, optionalText, substring)
    var builder = ""
    builder += name
    builder += "x" + other
    builder += number == 1 ? "one" : "many"
    print(name != "x", "y" != "x", number != 3, builder)
    debugPrint("\(name != other)", separator: ", ")
}
