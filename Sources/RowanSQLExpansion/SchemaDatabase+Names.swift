// Names that are unknown to SQLite, and the schema's names that resemble them.

import RowanSQLText
import RowanSQLite

/// A name in an error of SQLite.
struct UnknownName: Equatable {
    enum Kind: Equatable { case table, column, other }
    let kind: Kind
    let name: String
    let isQualified: Bool
}

/// The name in an SQLite message; nil if it contains none.
func unknownName(_ message: String) -> UnknownName? {
    func name(_ text: Substring, _ kind: UnknownName.Kind) -> UnknownName {
        // SQLite 3.41 and later add advice.
        var text = text.split(separator: " - should this be").first ?? text
        if text.hasPrefix("\""), text.hasSuffix("\""), text.count > 1 { text = text.dropFirst().dropLast() }
        let parts = text.split(separator: ".")
        return UnknownName(kind: kind, name: parts.last.map(String.init) ?? "", isQualified: parts.count > 1)
    }
    let starts: [(String, UnknownName.Kind)] = [
        ("no such table: ", .table), ("no such column: ", .column), ("ambiguous column name: ", .other),
        ("no such function: ", .other), ("no such collation sequence: ", .other), ("misuse of aggregate: ", .other),
        ("no such index: ", .other), ("no such view: ", .table), ("misuse of window function ", .other),
        ("wrong number of arguments to function ", .other),
    ]
    for (start, kind) in starts where message.hasPrefix(start) {
        return name(message.dropFirst(start.count).prefix { $0 != "(" }, kind)
    }
    if message.hasPrefix("table "), let range = message.firstRange(of: " has no column named ") {
        return name(message[range.upperBound...], .column)
    }
    return nil
}

extension String {
    fileprivate func firstRange(of text: String) -> Range<String.Index>? {
        indices.first { self[$0...].hasPrefix(text) }.map { $0..<index($0, offsetBy: text.count) }
    }
}

extension SchemaDatabase {
    /// The name of the schema that most resembles an unknown name.
    func suggestion(for unknown: UnknownName, _ words: [SQLToken]) -> String? {
        let candidates: [String]
        switch unknown.kind {
        case .other: return nil
        case .table: candidates = names("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
        case .column:
            // The columns of the tables that the statement names.
            let used = Set(words.map { $0.text.lowercased() })
            candidates = names(
                "SELECT m.name, c.name FROM sqlite_master m, pragma_table_xinfo(m.name) c "
                    + "WHERE m.type IN ('table', 'view')", where: { used.contains($0.lowercased()) })
        }
        // The name itself exists elsewhere only: in another table or another database.
        return unknown.name.nearest(
            in: candidates.filter { $0.lowercased() != unknown.name.lowercased() }.sorted())
    }

    /// The last column of a query, for the rows whose first column meets a condition.
    private func names(_ sql: String, where isIncluded: (String) -> Bool = { _ in true }) -> [String] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else { return [] }
        defer { sqlite3_finalize(statement) }
        func text(_ column: CInt) -> String { sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "" }
        var names: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            if isIncluded(text(0)) { names.append(text(sqlite3_column_count(statement) - 1)) }
        }
        return names
    }
}
