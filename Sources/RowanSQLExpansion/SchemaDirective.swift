// What a schema can't express in SQL: the comments that start with `-- rowan:`.

import RowanSQLite

/// A line of a schema that declares what programs add to their connections.
enum SchemaDirective: Equatable {
    enum FunctionKind: String { case function, aggregate, window }

    /// `-- rowan: function distance/2`, or without a number for any number of arguments.
    case function(FunctionKind, name: String, argumentCount: Int?)
    /// `-- rowan: collation german`
    case collation(String)
    /// `-- rowan: tokenizer latinascii`
    case tokenizer(String)
    /// `-- rowan: table vectors(embedding, distance)`: a table that SQLite itself can't create.
    case table(name: String, definition: String)
    /// `-- rowan: record Place places`: the table of a record type.
    case record(type: String, table: String)

    static let mark = "-- rowan:"

    /// The directives of a schema and their lines. Those inside a statement are comments of the statement.
    static func all(in schema: [UInt8]) throws(SchemaError) -> [(directive: SchemaDirective, line: Int)] {
        var directives: [(SchemaDirective, Int)] = []
        // A position where no statement was open, and its line: the text before it need not be scanned again.
        var (known, line) = (0, 1)
        for token in sqlTokens(schema) where token.kind == .comment && token.text.hasPrefix(mark) {
            let start = token.range.lowerBound
            guard start == 0 || schema[start - 1] == UInt8(ascii: "\n"), isOutsideStatements(schema[known..<start])
            else {
                continue
            }
            line += schema[known..<start].count { $0 == UInt8(ascii: "\n") }
            known = start
            directives.append((try SchemaDirective(line: token.text, number: line), line))
        }
        return directives
    }

    /// Whether no statement is open at the end of a text. SQLite determines where triggers end.
    private static func isOutsideStatements(_ text: ArraySlice<UInt8>) -> Bool {
        sqlite3_complete(";" + String(decoding: text, as: UTF8.self)) != 0
    }

    /// The directive of a line that starts with the mark.
    ///
    /// - Throws: ``SchemaError`` for an invalid directive.
    private init(line: String, number: Int) throws(SchemaError) {
        let line = line.split(whereSeparator: \.isNewline).first.map(String.init) ?? line
        let text = line.dropFirst(Self.mark.count)
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        let isPair = words.count == 2
        switch words.first {
        case let kind? where FunctionKind(rawValue: kind) != nil && isPair:
            let parts = words[1].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            let count = parts.count == 2 ? Int(parts[1]) : nil
            guard parts.count == 1 || parts.count == 2 && (0...127).contains(count ?? -1), !parts[0].isEmpty,
                let kind = FunctionKind(rawValue: kind)
            else { break }
            self = .function(kind, name: parts[0], argumentCount: count)
            return
        case "collation" where isPair:
            self = .collation(words[1])
            return
        case "tokenizer" where isPair:
            self = .tokenizer(words[1])
            return
        case "table":
            let definition = words.dropFirst().joined(separator: " ")
            guard let end = definition.firstIndex(of: "("), end > definition.startIndex else { break }
            // Another statement would follow.
            let separators = sqlTokens(Array(definition.utf8)).filter { $0.kind == .other && $0.text == ";" }
            guard separators.isEmpty else { break }
            guard let name = sqlWords(Array(definition[..<end].utf8)).last?.text else { break }
            self = .table(name: name, definition: definition)
            return
        case "record" where words.count == 3:
            self = .record(type: words[1], table: words[2])
            return
        default: break
        }
        throw SchemaError(
            "'\(line)' declares nothing: write 'function name/2', 'aggregate name/1', 'window name/1', "
                + "'collation name', 'tokenizer name', 'table name(column, ...)' or 'record Type table'",
            line: number)
    }
}

struct SchemaError: Error, Equatable {
    let message: String
    let line: Int

    init(_ message: String, line: Int) {
        self.message = message
        self.line = line
    }
}
