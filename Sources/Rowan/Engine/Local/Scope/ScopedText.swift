// The text of a statement that runs in a scope, and its version for the scope. In this version, common tables stand for
// the tables of the scope, and the names in the statement refer to them, because no statement may name a schema.
// ScopeRestriction checks SQLite's report of what the statement reads.

import RowanSQLText

/// A statement of a scoped access.
struct ScopedText {
    /// The statement, without what follows it.
    let sql: String
    /// The bytes of the whole text that the statement takes, with its semicolon.
    let length: Int
    /// All words, names and texts, in lower case: a text can stand for a name.
    private(set) var names: Set<String> = []
    /// The names that may be those of common tables, in lower case.
    private(set) var commonTableNames: Set<String> = []
    /// Whether values are concatenated, which fails if the result is too long.
    private(set) var concatenates = false
    private(set) var selectCount = 0
    /// Where the names of common tables go.
    private var start = 0
    /// Whether the statement has common tables.
    private var hasCommonTables = false

    /// - Parameter schemas: the names of the schemas, in lower case.
    /// - Throws: SQLITE_AUTH for texts that no scope accepts.
    init(_ text: UnsafeBufferPointer<UInt8>, schemas: Set<String>) throws {
        var bytes = SQLBytes(text)
        var tokens: [SQLScanner.Token] = []
        var length = text.count
        while let token = bytes.next() {
            if text[token.range.lowerBound] == UInt8(ascii: ";"), token.kind == .symbol {
                length = token.range.upperBound
                break
            }
            if !token.isComment { tokens.append(token) }
        }
        self.length = length
        sql = String(decoding: text[..<(tokens.last?.range.upperBound ?? 0)], as: UTF8.self)
        try read(tokens, SQLScanner(sql), schemas)
    }

    /// The statement is blank.
    var isEmpty: Bool { sql.isEmpty }

    private mutating func read(_ tokens: [SQLScanner.Token], _ scanner: SQLScanner, _ schemas: Set<String>) throws {
        guard let first = tokens.first else { return }
        start = first.range.lowerBound
        func symbol(_ index: Int) -> String? {
            tokens.indices.contains(index) && tokens[index].kind == .symbol ? scanner[tokens[index]] : nil
        }
        var previous: String?
        for (index, token) in tokens.enumerated() {
            guard let name = scanner.name(token)?.foldedDatabaseName else {
                if symbol(index) == "|", symbol(index + 1) == "|" { concatenates = true }
                if symbol(index) == "(", let previous { commonTableNames.insert(previous) }
                if symbol(index) == ".", let previous, schemas.contains(previous) {
                    throw refusal("a scope's tables have no schema: write the name without \"\(previous).\"")
                }
                previous = nil
                continue
            }
            names.insert(name)
            if token.kind == .word {
                switch name {
                case "explain" where index == 0: throw refusal("a scope can't show plans, which name what it hides")
                // It compiles without a report.
                case "vacuum" where index == 0: throw refusal(ScopeRestriction.schemaRefusal)
                case "with" where index == 0: (hasCommonTables, start) = (true, token.range.upperBound)
                case "recursive" where hasCommonTables && index == 1: start = token.range.upperBound
                case "as": if let previous { commonTableNames.insert(previous) }
                case "select": selectCount += 1
                default: break
                }
            }
            previous = name
        }
        if !hasCommonTables { commonTableNames = [] }
    }

    private func refusal(_ message: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_AUTH, message: message, sql: sql)
    }

    /// The statement with other common tables before its own.
    func version(commonTables: [String]) -> String {
        guard !commonTables.isEmpty else { return sql }
        let utf8 = sql.utf8
        let position = utf8.index(utf8.startIndex, offsetBy: start)
        let list = commonTables.joined(separator: ", ")
        return String(sql[..<position]) + (hasCommonTables ? " \(list), " : "WITH \(list) ") + sql[position...]
    }
}
