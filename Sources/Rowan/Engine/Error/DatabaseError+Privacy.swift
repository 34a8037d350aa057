// Some messages of SQLite and its modules quote values from arguments or rows.

extension DatabaseError {
    /// The start of a message that quotes a value, and the text after the value; empty if the value is at the end.
    private static let quotes: [(start: String, end: String)] = [
        ("fts5: syntax error near \"", "\""), ("unknown special query: ", ""), ("malformed MATCH expression: [", "]"),
        ("bad JSON path: ", ""), ("JSON path error near '", "'"), ("unable to open database: ", ""),
        ("no such database: ", ""), ("unknown database ", ""), ("unknown tokenizer: ", ""),
        ("parse error in rank function: ", ""),
    ]

    /// The message without the values it quotes. Text that appears in the SQL is public.
    ///
    /// - Parameter arguments: the arguments of the statement, if it has run.
    static func withoutValues(_ message: String, sql: String?, arguments: StatementArguments?) -> String {
        func isPublic(_ text: Substring) -> Bool { text.isEmpty || sql?.contains(text) == true }
        for (start, end) in quotes {
            guard let opening = message.firstRange(of: start) else { continue }
            let rest = message[opening.upperBound...]
            let closing = end.isEmpty ? rest.endIndex : rest.lastRange(of: end)?.lowerBound ?? rest.endIndex
            guard !isPublic(rest[..<closing]) else { return message }
            return message[..<opening.upperBound] + "…" + message[closing...]
        }
        // A full-text pattern contains column names. This message contains no arguments of other statements.
        if let opening = message.firstRange(of: "no such column: ") {
            let name = message[opening.upperBound...]
            let texts = (arguments.map { $0.values + $0.namedValues.values } ?? []).compactMap(String.fromDatabaseValue)
            // SQLite removes quotes. In the error log, the message contains the SQL and no arguments are given.
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
