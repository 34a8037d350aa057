// The types of columns in definitions. A node interprets the values of columns declared exactly as BOOLEAN, DATE,
// DATETIME or TIMESTAMP as types of its own, and loses their NULL. With a length, these types are those of SQLite, with
// the same affinity.

import Rowan

/// Rewrites the definitions of columns.
enum ColumnDefinitions {
    private struct Word {
        let range: Range<String.Index>
        let text: String
    }

    /// The definition, in which each of the rejected types has a length: `BOOLEAN(1)`.
    static func withLengths(_ sql: String) -> String {
        let words = words(of: sql)
        guard isDefinitionOfColumns(words) else { return sql }
        var result = sql
        // From the end, so that the previous positions stay valid.
        for index in typeIndexes(words).reversed() {
            // SQLite drops what follows a quoted type.
            result.replaceSubrange(words[index].range, with: unquoted(String(sql[words[index].range])) + "(1)")
        }
        return result
    }

    /// CREATE TABLE, and ALTER TABLE ... ADD.
    private static func isDefinitionOfColumns(_ words: [Word]) -> Bool {
        guard words.count > 2 else { return false }
        if words[0].text == "create" { return words[1].text == "table" || words[2].text == "table" }
        return words[0].text == "alter" && words.contains { $0.text == "add" }
    }

    /// The words that are the whole type of a column: those after the name of the column.
    private static func typeIndexes(_ words: [Word]) -> [Int] {
        var indexes: [Int] = []
        var depth = 0
        let isAlteration = words[0].text == "alter"
        for (index, word) in words.enumerated() {
            if word.text == "(" { depth += 1 }
            if word.text == ")" { depth -= 1 }
            guard StatementRouting.refusedTypes.contains(unquoted(word.text)), index >= 2 else { continue }
            let (before, next) = (words[index - 2].text, index + 1 < words.count ? words[index + 1].text : ")")
            let followsName =
                isAlteration
                ? before == "add" || before == "column" && words[index - 1].text != "add"
                : depth == 1 && (before == "," || before == "(")
            guard followsName, isEndOfType(next) else { continue }
            indexes.append(index)
        }
        return indexes
    }

    /// Whether a word after a type is not part of it.
    private static func isEndOfType(_ word: String) -> Bool {
        [
            ",", ")", "constraint", "primary", "not", "null", "unique", "check", "default", "collate", "references",
            "generated", "as",
        ].contains(word)
    }

    private static func unquoted(_ word: String) -> String {
        guard let first = word.first, "\"`[".contains(first), word.count > 2 else { return word }
        return String(word.dropFirst().dropLast())
    }

    /// The words and the symbols, without comments, in lower case.
    private static func words(of sql: String) -> [Word] {
        var words: [Word] = []
        var rest = sql[...]
        func take(_ end: String.Index) {
            words.append(Word(range: rest.startIndex..<end, text: rest[..<end].lowercased()))
            rest = rest[end...]
        }
        while let first = rest.first {
            if first.isWhitespace {
                rest.removeFirst()
            } else if rest.hasPrefix("--") {
                rest = rest.drop { !$0.isNewline }
            } else if rest.hasPrefix("/*") {
                let comment = rest.dropFirst(2)
                rest = comment.firstRange(of: "*/").map { comment[$0.upperBound...] } ?? rest.suffix(0)
            } else if "\"'`[".contains(first) {
                take(endOfQuoted(rest, first == "[" ? "]" : first))
            } else if first.isLetter || first.isNumber || first == "_" {
                take(rest.firstIndex { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "$") } ?? rest.endIndex)
            } else {
                take(rest.index(after: rest.startIndex))
            }
        }
        return words
    }

    /// A doubled quote represents one.
    private static func endOfQuoted(_ text: Substring, _ quote: Character) -> String.Index {
        var index = text.index(after: text.startIndex)
        while index < text.endIndex {
            let next = text.index(after: index)
            if text[index] == quote {
                guard next < text.endIndex, text[next] == quote, quote != "]" else { return next }
                index = text.index(after: next)
            } else {
                index = next
            }
        }
        return text.endIndex
    }
}
