// The types of columns in definitions. A node interprets the values of columns declared exactly as BOOLEAN, DATE,
// DATETIME or TIMESTAMP as types of its own, and loses their NULL. With a length, these types are those of SQLite, with
// the same affinity.

import Rowan
import RowanSQLText

/// Rewrites the definitions of columns.
enum ColumnDefinitions {
    private struct Word {
        let start: Int
        /// The text in lower case.
        let text: String
        /// The name in lower case, without its quotes.
        let name: String?
    }

    /// The definition, in which each of the rejected types has a length: `BOOLEAN(1)`.
    static func withLengths(_ sql: String) -> String {
        let scanner = SQLScanner(sql)
        let words = scanner.filter { !$0.isComment }.map {
            Word(start: $0.range.lowerBound, text: scanner[$0].lowercased(), name: scanner.name($0)?.lowercased())
        }
        let types = typeStarts(words)
        // SQLite drops what follows a quoted type.
        return SQLScanner.replacing(sql) { types.contains($0.range.lowerBound) ? $1.name($0).map { $0 + "(1)" } : nil }
    }

    /// The positions of the words that are the whole type of a column: those after the name of the column.
    private static func typeStarts(_ words: [Word]) -> [Int] {
        guard words.count > 2 else { return [] }
        // CREATE TABLE, and ALTER TABLE ... ADD.
        let isAlteration = words[0].text == "alter"
        guard
            isAlteration
                ? words.contains(where: { $0.text == "add" })
                : words[0].text == "create" && words[1...2].contains(where: { $0.text == "table" })
        else { return [] }
        var starts: [Int] = []
        var depth = 0
        for (index, word) in words.enumerated() {
            if word.text == "(" { depth += 1 }
            if word.text == ")" { depth -= 1 }
            guard index >= 2, let name = word.name, StatementRouting.refusedTypes.contains(name) else { continue }
            let (before, previous) = (words[index - 2].text, words[index - 1].text)
            let next = index + 1 < words.count ? words[index + 1].text : ")"
            let followsName =
                isAlteration
                ? before == "add" && previous != "column" || before == "column" && previous != "add"
                : depth == 1 && (before == "," || before == "(")
            guard followsName, isEndOfType(next) else { continue }
            starts.append(word.start)
        }
        return starts
    }

    /// Whether a word after a type is not part of it.
    private static func isEndOfType(_ word: String) -> Bool {
        [",", ")"].contains(word) || BuiltInNames.columnConstraints.contains(word)
    }
}
