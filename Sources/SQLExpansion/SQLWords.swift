// The names of an SQL text, and where they stand: SQLite tells the place of a syntax error, but not of an unknown name.

/// A name or a keyword of an SQL text.
struct SQLWord: Equatable {
    /// The name, without quotes.
    let text: String
    /// Where it stands, with its quotes, in bytes.
    let range: Range<Int>
    /// Whether a point precedes it: `title` in `place.title`.
    let followsPoint: Bool
}

/// The names and keywords of an SQL text; texts, numbers and comments are none.
///
/// Source: <https://sqlite.org/draft/tokenreq.html>
func sqlWords(_ sql: [UInt8]) -> [SQLWord] {
    var words: [SQLWord] = []
    var position = 0
    var followsPoint = false

    func skip(through end: [UInt8], from start: Int) -> Int {
        var index = start
        while index < sql.count, !sql[index...].starts(with: end) { index += 1 }
        return min(index + end.count, sql.count)
    }

    /// The end of a quoted text, in which a doubled quote stands for one.
    func endOfQuotes(_ quote: UInt8, from start: Int) -> Int {
        var index = start + 1
        while index < sql.count {
            if sql[index] == quote {
                guard index + 1 < sql.count, sql[index + 1] == quote, quote != UInt8(ascii: "]") else {
                    return index + 1
                }
                index += 1
            }
            index += 1
        }
        return sql.count
    }

    func append(_ range: Range<Int>, quote: UInt8? = nil) {
        var text = String(decoding: sql[range], as: UTF8.self)
        if let quote {
            let mark = String(UnicodeScalar(quote))
            text = String(text.dropFirst().dropLast())
            if quote != UInt8(ascii: "]") {
                text = text.split(separator: mark + mark, omittingEmptySubsequences: false).joined(separator: mark)
            }
        }
        words.append(SQLWord(text: text, range: range, followsPoint: followsPoint))
        followsPoint = false
    }

    while position < sql.count {
        let start = position
        switch sql[position] {
        case UInt8(ascii: "-") where sql[position...].starts(with: "--".utf8):
            position = skip(through: [UInt8(ascii: "\n")], from: position)
        case UInt8(ascii: "/") where sql[position...].starts(with: "/*".utf8):
            position = skip(through: Array("*/".utf8), from: position + 2)
        case UInt8(ascii: "'"):
            position = endOfQuotes(UInt8(ascii: "'"), from: position)
        case UInt8(ascii: "\""), UInt8(ascii: "`"):
            position = endOfQuotes(sql[position], from: position)
            append(start..<position, quote: sql[start])
        case UInt8(ascii: "["):
            position = endOfQuotes(UInt8(ascii: "]"), from: position)
            append(start..<position, quote: UInt8(ascii: "]"))
        case let byte where isWord(byte):
            while position < sql.count, isWord(sql[position]) { position += 1 }
            if !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { append(start..<position) }
        case let byte:
            if byte == UInt8(ascii: ".") { followsPoint = true }
            position += 1
        }
    }
    return words
}

private func isWord(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80
}

/// The number of insertions, deletions, replacements and exchanges of neighbours that make one name the other.
func editDistance(_ first: String, _ second: String) -> Int {
    let (first, second) = (Array(first.lowercased()), Array(second.lowercased()))
    var rows = [Array(0...second.count)]
    for (i, character) in first.enumerated() {
        var row = [i + 1]
        for (j, other) in second.enumerated() {
            var distance = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (character == other ? 0 : 1))
            if i > 0, j > 0, character == second[j - 1], first[i - 1] == other {
                distance = min(distance, rows[i - 1][j - 1] + 1)
            }
            row.append(distance)
        }
        rows.append(row)
    }
    return rows[first.count][second.count]
}
