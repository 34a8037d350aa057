// Some messages of SQLite and of its modules quote values: of arguments, or of rows.

extension DatabaseError {
    /// The start of a message that quotes a value, and what follows the value; empty for values at the end.
    private static let quotes: [(start: String, end: String)] = [
        ("fts5: syntax error near \"", "\""), ("unknown special query: ", ""), ("malformed MATCH expression: [", "]"),
        ("bad JSON path: ", ""), ("JSON path error near '", "'"), ("unable to open database: ", ""),
        ("no such database: ", ""), ("unknown database ", ""), ("unknown tokenizer: ", ""),
        ("parse error in rank function: ", ""),
    ]

    /// A message without the values that it quotes. What stands in the SQL is public.
    ///
    /// - Parameter arguments: the values of the statement, if it has run.
    static func withoutValues(_ message: String, sql: String?, arguments: StatementArguments?) -> String {
        func isPublic(_ text: Substring) -> Bool { text.isEmpty || sql?.contains(text) == true }
        for (start, end) in quotes {
            guard let opening = message.firstRange(of: start) else { continue }
            let rest = message[opening.upperBound...]
            let closing = end.isEmpty ? rest.endIndex : rest.lastRange(of: end)?.lowerBound ?? rest.endIndex
            guard !isPublic(rest[..<closing]) else { return message }
            return message[..<opening.upperBound] + "…" + message[closing...]
        }
        // A full-text pattern names columns. Other statements have none of their arguments in this message.
        if let opening = message.firstRange(of: "no such column: ") {
            let name = message[opening.upperBound...]
            let texts = (arguments.map { $0.values + $0.namedValues.values } ?? []).compactMap(String.fromDatabaseValue)
            // SQLite removes quotes. The error log has the SQL in the message, and no arguments.
            let isArgument = texts.contains { $0.contains(name) || $0.replacing("\"\"", with: "\"").contains(name) }
            let isLogged = message.hasPrefix("statement aborts at") && !message[..<opening.lowerBound].contains(name)
            if !isPublic(name), isArgument || isLogged { return message[..<opening.upperBound] + "…" }
        }
        return message
    }
}

extension StringProtocol {
    fileprivate func lastRange(of text: String) -> Range<Index>? { ranges(of: text).last }
}
