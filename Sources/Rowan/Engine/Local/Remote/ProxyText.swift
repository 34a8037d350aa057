// The SQL of a remote statement, as traces show it: SQLite knows the query that runs it, and the literals of its arguments.

import CSQLite

/// The texts of a remote statement.
struct ProxyText {
    private let statement: RemoteStatement
    private let handle: SQLiteStatement
    /// The length of the query before its arguments, in bytes.
    private let prefixLength: Int

    /// - Returns: nil for a statement that is no query of a remote one.
    init?(_ handle: SQLiteStatement, _ statements: RemoteStatements?) {
        guard let statements, let text = sqlite3_sql(handle).map({ String(cString: $0) }), text.hasPrefix("SELECT "),
            let start = text.lastRange(of: " FROM \(RemoteModule.name)(")
        else { return nil }
        let digits = text[start.upperBound...].prefix(while: \.isNumber)
        guard let number = Int(digits), let statement = statements.find(number) else { return nil }
        self.statement = statement
        self.handle = handle
        prefixLength = text[..<digits.endIndex].utf8.count
    }

    var sql: String { statement.sql }
    var isReadonly: Bool { statement.isReadonly }

    /// The SQL, with the arguments as literals.
    var expanded: String {
        guard let text = sqlite3_expanded_sql(handle) else { return sql }
        defer { sqlite3_free(text) }
        let bytes = String(cString: text).utf8.dropFirst(prefixLength)
        let literals = Self.literals(String(decoding: bytes, as: UTF8.self))
        let names = (0..<sqlite3_bind_parameter_count(handle)).map { index in
            sqlite3_bind_parameter_name(handle, index + 1).map { String(cString: $0) }
        }
        return Self.expand(sql, names, literals)
    }

    /// Splits `, 'a', 1)` or `, rowan_values('a', 1))` into its literals.
    private static func literals(_ text: String) -> [String] {
        var literals: [String] = []
        var current = ""
        var isQuoted = false
        var isAfterPack = false
        for character in text {
            if character == "'" { isQuoted.toggle() }
            if !isQuoted, character == "," || character == ")" {
                if !isAfterPack { literals.append(current.trimmingPrefix { $0 == " " }.description) }
                isAfterPack = character == ")"
                current = ""
            } else if !isQuoted, character == "(" {
                // The name of the function.
                current = ""
            } else {
                current.append(character)
            }
        }
        return Array(literals.dropFirst())
    }

    /// Replaces the parameters of a text.
    private static func expand(_ sql: String, _ names: [String?], _ literals: [String]) -> String {
        var result = ""
        var rest = sql[...]
        var position = 0
        while let first = rest.first {
            var end = rest.index(after: rest.startIndex)
            switch first {
            case "'", "\"", "`", "[":
                let closing: Character = first == "[" ? "]" : first
                end = rest[end...].firstIndex(of: closing).map(rest.index(after:)) ?? rest.endIndex
            case "-" where rest.hasPrefix("--"): end = rest.firstIndex(where: \.isNewline) ?? rest.endIndex
            case "/" where rest.hasPrefix("/*"):
                end = rest.dropFirst(2).firstRange(of: "*/")?.upperBound ?? rest.endIndex
            case "?", ":", "@", "$":
                end = rest[end...].firstIndex { !($0.isLetter || $0.isNumber || $0 == "_") } ?? rest.endIndex
                let name = String(rest[..<end])
                // A parameter without a number follows the one before it.
                let index = name == "?" ? position : names.firstIndex { $0 == name }
                if let index, index < literals.count, name != ":" {
                    position = max(position, index + 1)
                    result += literals[index]
                    rest = rest[end...]
                    continue
                }
            case _ where first.isLetter || first == "_":
                end = rest.firstIndex { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "$") } ?? rest.endIndex
            default: break
            }
            result += rest[..<end]
            rest = rest[end...]
        }
        return result
    }
}

extension String {
    fileprivate func lastRange(of text: String) -> Range<Index>? { ranges(of: text).last }
}
