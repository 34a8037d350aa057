// Statements that are entered line by line.

/// Splits lines into statements. Like SQLite, it ends them at a semicolon, except for the statements of a trigger.
///
/// Source: <https://sqlite.org/c3ref/complete.html>
struct StatementSplitter {
    struct Statement: Equatable {
        var sql: String
        /// The number of the line on which it begins.
        var line: Int
        /// The first keyword, in upper case; after common table expressions, that of the statement.
        var verb: String?
        /// The arguments, such as `:name`.
        var variables: [String] = []
    }

    /// What decides about the end of a statement.
    fileprivate enum State { case start, explain, create, plain, trigger, afterSemicolon, afterEnd }

    private var lexer = SQLLexer()
    private var state = State.start
    private var start: (position: Int, line: Int)?
    private var depth = 0
    private var verb: String?
    private var variables: [String] = []
    /// The number of the last line.
    private var lastLine = 0

    /// The line on which a comment begins whose end is missing.
    var lineOfOpenComment: Int? {
        guard let open = lexer.open, open.kind == .comment, lexer.bytes[open.start] == UInt8(ascii: "/") else {
            return nil
        }
        return lastLine + 1 - lexer.bytes[open.start...].count { $0 == 10 }
    }

    /// Whether the next line begins a statement.
    var isBlank: Bool { start == nil && lexer.open == nil }

    /// The statement whose semicolon is missing.
    var rest: Statement? {
        start.map {
            Statement(sql: lexer[$0.position..<lexer.bytes.count], line: $0.line, verb: verb, variables: variables)
        }
    }

    /// The statements that end on a line.
    mutating func add(_ line: String, number: Int) -> [Statement] {
        lexer.append(line + "\n")
        lastLine = number
        var statements: [Statement] = []
        while let token = lexer.next() {
            let isSemicolon = token.kind == .other(UInt8(ascii: ";"))
            if start == nil {
                if isSemicolon { continue }
                start = (token.range.lowerBound, number)
            }
            let word = token.kind == .word ? lexer[token.range].uppercased() : nil
            read(token, word)
            state = isSemicolon ? state.afterSemicolon : state.after(word)
            guard state == .start, let first = start else { continue }
            let sql = lexer[first.position..<token.range.upperBound]
            statements.append(Statement(sql: sql, line: first.line, verb: verb, variables: variables))
            (start, depth, verb, variables) = (nil, 0, nil, [])
        }
        // What is left may be a comment.
        lexer.removeText(before: start?.position ?? lexer.open?.start ?? lexer.bytes.count)
        start?.position = 0
        return statements
    }

    private mutating func read(_ token: SQLLexer.Token, _ word: String?) {
        switch token.kind {
        case .other(UInt8(ascii: "(")): depth += 1
        case .other(UInt8(ascii: ")")): depth -= 1
        case .variable: variables.append(lexer[token.range])
        default: break
        }
        guard let word else { return }
        if verb == nil {
            verb = word
        } else if verb == "WITH", depth == 0,
            ["SELECT", "VALUES", "INSERT", "REPLACE", "UPDATE", "DELETE"].contains(word)
        {
            verb = word
        }
    }
}

extension StatementSplitter.State {
    fileprivate var afterSemicolon: Self {
        switch self {
        case .trigger, .afterSemicolon: .afterSemicolon
        case .start, .explain, .create, .plain, .afterEnd: .start
        }
    }

    /// - Parameter word: in upper case; nil for another token.
    fileprivate func after(_ word: String?) -> Self {
        switch (self, word) {
        case (.start, "EXPLAIN"): .explain
        case (.start, "CREATE"), (.explain, "CREATE"), (.create, "TEMP"), (.create, "TEMPORARY"): .create
        case (.create, "TRIGGER"): .trigger
        case (.afterSemicolon, "END"): .afterEnd
        case (.trigger, _), (.afterSemicolon, _), (.afterEnd, _): .trigger
        // EXPLAIN QUERY PLAN.
        case (.explain, "QUERY"), (.explain, "PLAN"): .explain
        default: .plain
        }
    }
}
