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
    /// The names with other characters than those of ASCII, as written.
    private(set) var nonASCIINames: [String] = []
    /// The names that may be those of common tables, in lower case.
    private(set) var commonTableNames: Set<String> = []
    /// The names of the statement's own common tables, in lower case, without those inside parentheses.
    private(set) var ownCommonTables: Set<String> = []
    /// Whether terms may fail that SQLite does not report as functions: a concatenation, if its result is too long, and a
    /// subquery, by its limit, its window, its sum, or by what it costs.
    private(set) var mayFail = false
    /// The table that the statement writes, in lower case.
    private(set) var target: String?
    /// Where the names of common tables go.
    private var start = 0
    /// Whether the statement has common tables.
    private var hasCommonTables = false
    private var acceptsCommonTables = false
    /// Those of the rows that the statement updates or deletes, in the order of the text: an INSERT may have several.
    private var conditions: [Condition] = []

    private static let verbs: Set<String> = ["select", "values", "insert", "update", "delete"]

    /// Whether the statement is an INSERT, which may update rows on a conflict.
    private(set) var insertsRows = false

    private enum Condition {
        /// The place of a WHERE clause.
        case missing(at: Int)
        /// The condition after WHERE.
        case present(Range<Int>)
    }

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
        func word(_ index: Int) -> String? {
            tokens.indices.contains(index) && tokens[index].kind == .word ? scanner[tokens[index]].lowercased() : nil
        }
        // AS in front of the query of a common table, not of another name.
        func introducesQuery(_ index: Int) -> Bool {
            word(index) == "as"
                && (symbol(index + 1) == "(" || ["materialized", "not"].contains(word(index + 1)))
        }
        var previous: String?
        // The names before the open parentheses.
        var opened: [String?] = []
        for (index, token) in tokens.enumerated() {
            switch symbol(index) {
            case "(": opened.append(previous)
            case ")":
                // What is put around a condition must not end inside it.
                guard let name = opened.popLast() else {
                    throw DatabaseError(message: "near \")\": syntax error", sql: sql)
                }
                if let name, introducesQuery(index + 1) { commonTableNames.insert(name) }
            default: break
            }
            guard let name = scanner.name(token)?.foldedDatabaseName else {
                if symbol(index) == "|", symbol(index + 1) == "|" { mayFail = true }
                if symbol(index) == ".", let previous, schemas.contains(previous) {
                    throw refusal("a scope's tables have no schema: write the name without \"\(previous).\"")
                }
                previous = nil
                continue
            }
            names.insert(name)
            if let name = scanner.name(token), !name.utf8.allSatisfy({ $0 < 0x80 }) { nonASCIINames.append(name) }
            if name == ScopeRestriction.function { throw refusal("a scope can't call the function \(name)") }
            if token.kind == .word {
                switch name {
                case "explain" where index == 0: throw refusal("a scope can't show plans, which name what it hides")
                // It compiles without a report.
                case "vacuum" where index == 0: throw refusal(ScopeRestriction.schemaRefusal)
                case "with" where index == 0: (hasCommonTables, start) = (true, token.range.upperBound)
                case "recursive" where hasCommonTables && index == 1: start = token.range.upperBound
                case "as" where introducesQuery(index): if let previous { commonTableNames.insert(previous) }
                case "select" where !opened.isEmpty, "values" where !opened.isEmpty: mayFail = true
                case "replace" where symbol(index + 1) != "(":
                    throw refusal("a scope can't replace rows, which may be outside of it: update or delete them")
                default: break
                }
            }
            previous = name
        }
        if !hasCommonTables { commonTableNames = [] }
        let word = first.kind == .word ? scanner[first].lowercased() : ""
        acceptsCommonTables = word == "with" || Self.verbs.contains(word)
        let words = Words(tokens: tokens, scanner: scanner)
        if hasCommonTables { ownCommonTables = words.commonTables }
        try readTarget(words)
    }

    /// The tokens outside parentheses, and what they stand for: a word or symbol in lower case, a name.
    private struct Words {
        private(set) var tokens: [(token: SQLScanner.Token, word: String?, name: String?)] = []

        init(tokens: [SQLScanner.Token], scanner: SQLScanner) {
            var depth = 0
            for token in tokens {
                let text = scanner[token]
                if token.kind == .symbol, text == ")" { depth -= 1 }
                if depth == 0 {
                    let word = token.kind == .word || token.kind == .symbol ? text.lowercased() : nil
                    self.tokens.append((token, word, scanner.name(token)))
                }
                if token.kind == .symbol, text == "(" { depth += 1 }
            }
        }

        /// The names of the common tables in a WITH clause.
        var commonTables: Set<String> {
            var names: Set<String> = []
            var isName = false
            for (_, word, name) in tokens {
                // WITH RECURSIVE a AS (...), b AS (...) SELECT
                if isName, word != "recursive" {
                    if let name { names.insert(name.foldedDatabaseName) }
                    isName = false
                }
                if let word, ScopedText.verbs.contains(word) { break }
                if word == "with" || word == "," { isName = true }
            }
            return names
        }

        func index(of words: Set<String>, from start: Int, to end: Int? = nil) -> Int? {
            tokens.indices.prefix(end ?? tokens.count).dropFirst(start).first {
                tokens[$0].word.map(words.contains) ?? false
            }
        }

        /// The condition of a clause.
        func condition(from start: Int, to end: Int) -> Condition {
            guard let place = index(of: ["where"], from: start, to: end) else { return .missing(at: position(end)) }
            return .present(tokens[place].token.range.upperBound..<position(end))
        }

        /// Where a token starts; after the last one, where that ends.
        private func position(_ index: Int) -> Int {
            tokens.indices.contains(index)
                ? tokens[index].token.range.lowerBound : tokens.last?.token.range.upperBound ?? 0
        }
    }

    private mutating func readTarget(_ words: Words) throws {
        guard let verb = words.index(of: Self.verbs, from: 0), hasCommonTables || verb == 0 else { return }
        let kind = words.tokens[verb].word
        guard kind != "select", kind != "values" else { return }
        var index = verb + 1
        func word(_ index: Int) -> String? {
            words.tokens.indices.contains(index) ? words.tokens[index].word : nil
        }
        if word(index) == "or" {
            guard word(index + 1) != "rollback" else { throw refusal(ScopeRestriction.transactionRefusal) }
            index += 2
        }
        if kind != "update" { index += 1 }  // INTO, FROM
        guard words.tokens.indices.contains(index), let name = words.tokens[index].name else { return }
        target = name.foldedDatabaseName
        index += 1
        insertsRows = kind == "insert"
        guard !insertsRows else {
            guard word(index) != "as" else { throw renamed }
            // DO UPDATE SET ... WHERE ...: outside parentheses, UPDATE has no other meaning.
            while let update = words.index(of: ["update"], from: index) {
                index = words.index(of: ["on", "returning"], from: update) ?? words.tokens.count
                conditions.append(words.condition(from: update, to: index))
            }
            return
        }
        let following: Set<String> = ["set", "where", "returning", "order", "limit", "indexed", "not"]
        guard !words.tokens.indices.contains(index) || word(index).map(following.contains) == true else {
            throw renamed
        }
        guard words.index(of: ["limit"], from: index) == nil else {
            // SQLite makes a subquery of it, which finds no rowids.
            throw refusal("in a scope, an UPDATE or a DELETE can't have a LIMIT")
        }
        let start = words.index(of: ["where"], from: index)
        let end = words.index(of: ["returning", "order", "limit"], from: start ?? index) ?? words.tokens.count
        conditions = [words.condition(from: index, to: end)]
    }

    private var renamed: DatabaseError {
        refusal("in a scope, a statement can't give the table that it writes another name")
    }

    func refusal(_ message: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_AUTH, message: message, sql: sql)
    }

    /// The statement for a scope.
    ///
    /// - Parameters:
    ///   - commonTables: common tables before those of the statement.
    ///   - condition: the condition of the rows that it may update or delete.
    ///   - isFenced: whether no term may be evaluated for other rows.
    func version(commonTables: [String], condition scope: String?, isFenced: Bool) -> String {
        var edits: [(position: Int, text: String)] = []
        if acceptsCommonTables, !commonTables.isEmpty {
            let list = commonTables.joined(separator: ", ")
            edits.append((start, hasCommonTables ? " \(list), " : "WITH \(list) "))
        }
        if let scope {
            for condition in conditions {
                switch condition {
                case .missing(let position): edits.append((position, " WHERE (\(scope)) "))
                case .present(let range):
                    // CASE evaluates its terms in order. The first condition can use an index.
                    // Source: https://sqlite.org/lang_expr.html#the_case_expression
                    edits.append(
                        (range.lowerBound, " (\(scope)) AND " + (isFenced ? "CASE WHEN (\(scope)) THEN (" : "(")))
                    edits.append((range.upperBound, isFenced ? "\n) END " : "\n) "))
                }
            }
        }
        let utf8 = Array(sql.utf8)
        var (result, position) = ([UInt8](), 0)
        for edit in edits {
            result += utf8[position..<edit.position] + Array(edit.text.utf8)
            position = edit.position
        }
        return String(decoding: result + utf8[position...], as: UTF8.self)
    }
}
