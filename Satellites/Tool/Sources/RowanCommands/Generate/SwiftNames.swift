// Names of tables and columns as names in Swift.

enum SwiftNames {
    /// The words of a name: `team_id` and `teamID` have two.
    private static func words(_ name: String) -> [String] {
        var words: [String] = [""]
        var previous: Character?
        for character in name {
            if !character.isLetter && !character.isNumber {
                words.append("")
            } else {
                if character.isUppercase, previous?.isLowercase == true { words.append("") }
                words[words.count - 1].append(character)
            }
            previous = character
        }
        return words.filter { !$0.isEmpty }
    }

    /// `teamID`
    static func property(_ name: String) -> String {
        let words = words(name)
        guard let first = words.first else { return "column" }
        let isUpper = first.allSatisfy { !$0.isLowercase }
        let start = isUpper ? first.lowercased() : first.prefix(1).lowercased() + first.dropFirst()
        let name = valid(start + words.dropFirst().map(capitalized).joined())
        // A property can't be called like this, not even in backticks.
        return name == "self" ? "selfValue" : name
    }

    /// `TeamMember`, singular.
    static func type(_ name: String) -> String {
        var words = words(name)
        guard let last = words.popLast() else { return "Unnamed" }
        return valid((words + [singular(last)]).map(capitalized).joined())
    }

    private static func capitalized(_ word: String) -> String {
        word.lowercased() == "id" ? "ID" : word.prefix(1).uppercased() + word.dropFirst()
    }

    static func singular(_ word: String) -> String {
        let lower = word.lowercased()
        if lower.count > 3, lower.hasSuffix("ies") { return word.dropLast(3) + "y" }
        for ending in ["sses", "xes", "ches", "shes"] where lower.hasSuffix(ending) { return String(word.dropLast(2)) }
        let isSingular = ["ss", "us", "is", "news", "series"].contains { lower.hasSuffix($0) }
        return lower.count > 2 && lower.hasSuffix("s") && !isSingular ? String(word.dropLast()) : word
    }

    static func plural(_ word: String) -> String {
        let lower = word.lowercased()
        if lower.hasSuffix("y"), let before = lower.dropLast().last, !"aeiou".contains(before) {
            return word.dropLast() + "ies"
        }
        return ["s", "x", "ch", "sh"].contains { lower.hasSuffix($0) } ? word + "es" : word + "s"
    }

    /// A name that does not begin with a digit.
    private static func valid(_ name: String) -> String {
        name.first.map { $0.isNumber || $0 == "_" } ?? true ? "_" + name : name
    }

    static func isIdentifier(_ name: String) -> Bool {
        name.first?.isNumber == false && name != "_" && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }

    /// The name where it is declared or used.
    static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// Source: <https://docs.swift.org/swift-book/documentation/the-swift-programming-language/lexicalstructure>
    private static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "actor", "as", "associatedtype", "await", "break", "case", "catch", "class",
        "continue",
        "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
        "func",
        "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup",
        "private",
        "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super",
        "switch",
        "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// A name that is not taken, which it then is.
    static func unique(_ name: String, _ taken: inout Set<String>) -> String {
        var result = name
        var number = 2
        while !taken.insert(result.lowercased()).inserted {
            result = "\(name)\(number)"
            number += 1
        }
        return result
    }
}
