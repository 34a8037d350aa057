// Which names in a query are those of tables.

import RowanSQLText

/// Finds the names of tables in a query: those in FROM clauses, and after IN.
struct TablePlaces {
    private enum Clause { case other, table, joined }

    /// The clauses around the token, the innermost one last.
    private var clauses: [Clause] = [.other]
    private var previous = ""

    private static let ends: Set<String> = [
        "SELECT", "VALUES", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "WINDOW", "UNION", "EXCEPT", "INTERSECT",
    ]

    /// Whether the next token is the name of a table, or of something else in its place.
    mutating func next(_ text: String, _ kind: SQLScanner.Token.Kind) -> Bool {
        let word = text.uppercased()
        defer { previous = kind == .word || kind == .symbol ? word : "" }
        if kind == .symbol {
            switch text {
            case "(":
                let isSource = clauses.last == .table
                if isSource { clauses[clauses.count - 1] = .joined }
                clauses.append(isSource ? .table : .other)
            case ")": if clauses.count > 1 { clauses.removeLast() }
            case ",": if clauses.last == .joined { clauses[clauses.count - 1] = .table }
            default: break
            }
            return false
        }
        if kind == .word {
            // IS DISTINCT FROM is an operator.
            if word == "FROM" && previous != "DISTINCT" || word == "JOIN" {
                clauses[clauses.count - 1] = .table
                return false
            }
            if Self.ends.contains(word) {
                clauses[clauses.count - 1] = .other
                return false
            }
        }
        if clauses.last == .table {
            clauses[clauses.count - 1] = .joined
            return true
        }
        return previous == "IN"
    }
}
