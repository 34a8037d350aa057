// The literal of `#sql`, as SQL and as Swift.

import RowanPluginMessages
import RowanRecordSyntax

/// The SQL of a literal, whose interpolations are parameters or names.
struct StatementLiteral {
    /// The kind of an interpolation, determined by its syntax. The label makes the compiler check that its type
    /// matches.
    enum Hole: Equatable {
        /// `\(id)`: `?`
        case value
        /// `IN \(ids)`: `(?)`
        case list
        /// `\(Place.self)`: the table of a record type.
        case table(name: String, type: String)
        /// `\(Place.Columns.title)`, `\(Column("title"))`
        case column(String)

        /// The name in SQL, without quotes; nil for values.
        var name: String? {
            switch self {
            case .value, .list: nil
            case .table(let name, _), .column(let name): name
            }
        }

        var label: String {
            switch self {
            case .value: "_value"
            case .list: "_list"
            case .table: "_table"
            case .column: "_column"
            }
        }
    }

    /// The SQL to check.
    private(set) var sql: [UInt8] = []
    /// The offset in the source of each byte of the SQL, and of its end.
    private(set) var places: [Int] = []
    /// The interpolations and their positions in the SQL.
    private(set) var holes: [(hole: Hole, range: Range<Int>)] = []
    /// The literal as Swift source, with a label for each interpolation.
    let source: String

    /// - Parameters:
    ///   - expression: `#sql("...")`
    ///   - types: the types around the expression, innermost first, for `Self.self`.
    ///   - recordTables: the tables of types whose names differ.
    init(_ expression: String, types: [String], recordTables: [String: String]) throws(Problem) {
        let literal = try Self.literal(of: expression)
        let bytes = Array(expression.utf8)
        var source: [UInt8] = []
        var (position, place) = (0, literal.start)
        for interpolation in literal.interpolations {
            sql += literal.text[position..<interpolation.position]
            places += literal.places[position..<interpolation.position]
            let hole = try Self.hole(interpolation, after: sql, types, recordTables)
            let text = hole.name.map(quoted) ?? (hole == .list ? "(?)" : "?")
            let start = sql.count
            sql += text.utf8
            holes.append((hole, start..<sql.count))
            places += text.utf8.map { _ in interpolation.start }
            source += bytes[place..<interpolation.start] + Array("\(hole.label): ".utf8)
            (position, place) = (interpolation.position, interpolation.start)
            if let name = hole.name {
                // The program compares it with that of the type or column, which the macro only guesses.
                source += bytes[place..<interpolation.end] + Array(", \(swiftLiteral(name))".utf8)
                place = interpolation.end
            }
        }
        sql += literal.text[position...]
        places += literal.places[position...]
        places.append(literal.end)
        self.source = String(decoding: source + bytes[place..<literal.end], as: UTF8.self)
        if let index = sql.firstIndex(of: 0) {
            throw Problem("SQL has no NUL characters: remove this one, or interpolate the text", at: places[index])
        }
    }

    /// Checks that each interpolation is where SQL expects a parameter or a name, and that there is no other parameter.
    func checkPlaces() throws(Problem) {
        let tokens = sqlTokens(sql)
        let wanted = Dictionary(
            uniqueKeysWithValues: holes.map { hole, range in
                switch hole {
                // The parentheses are not part of the parameter.
                case .list: (range.lowerBound + 1..<range.upperBound - 1, SQLToken.Kind.parameter)
                case .value: (range, .parameter)
                case .table, .column: (range, .word)
                }
            })
        let found = Set(tokens.filter { wanted[$0.range] == $0.kind }.map(\.range))
        if let lost = wanted.keys.filter({ !found.contains($0) }).min(by: { $0.lowerBound < $1.lowerBound }) {
            throw Problem(
                "an interpolation stands inside a text, a name, a number or a comment of the SQL: write it outside, as "
                    + "in \"'%' || \\(value) || '%'\"", at: places[lost.lowerBound])
        }
        if let own = tokens.first(where: { $0.kind == .parameter && wanted[$0.range] == nil }) {
            throw Problem(
                "#sql takes values by interpolation only: write '\\(value)' in place of '\(own.text)'",
                at: places[own.range.lowerBound])
        }
    }

    /// The only argument of `#sql(...)`.
    private static func literal(of expression: String) throws(Problem) -> StringLiteral {
        do throws(SyntaxError) {
            let tokens = try Lexer.tokens(of: expression)
            let open = tokens.firstIndex { $0.text == "(" } ?? 0
            let rest = tokens[min(open + 2, tokens.count)...].filter { $0.kind != .end }.map(\.text)
            guard rest == [")"] || rest == [",", ")"], tokens[open + 1].kind == .string else {
                throw SyntaxError(
                    "#sql checks a single string literal: write the SQL in it, and interpolate values, record types and "
                        + "columns", at: tokens[min(open + 1, tokens.count - 1)].start)
            }
            return try StringLiteral(tokens[open + 1])
        } catch { throw Problem(error.message, at: error.offset) }
    }

    private static func hole(
        _ interpolation: StringLiteral.Interpolation, after sql: [UInt8], _ types: [String],
        _ recordTables: [String: String]
    ) throws(Problem) -> Hole {
        func table(of type: String) -> Hole {
            .table(name: recordTables[type] ?? defaultTableName(type), type: type)
        }
        // Anything not recognized is a value, which the compiler checks.
        let tokens = (try? Lexer.tokens(of: interpolation.source))?.filter { $0.kind != .end } ?? []
        let texts = tokens.map(\.text)
        if texts.count > 2, texts[1] == ":" {
            throw Problem(
                "#sql checks text that it can read: it takes values, record types and columns, and no '\(texts[0]):'",
                at: interpolation.start)
        }
        let path = tokens.enumerated().allSatisfy { index, token in
            index % 2 == 0 ? token.kind == .word || token.kind == .quoted : token.text == "."
        }
        if path, texts.count >= 3, texts.last == "self" {
            let name = texts[texts.count - 3]
            guard name == "Self" else { return table(of: name.plain) }
            guard let type = types.first else {
                throw Problem(
                    "#sql does not know what 'Self' is here: write the name of the type", at: interpolation.start)
            }
            return table(of: type)
        }
        if path, texts.count >= 3, texts[texts.count - 3] == "Columns", let name = texts.last {
            return .column(name.plain)
        }
        if texts.count == 4, texts[0] == "Column", texts[1] == "(", texts[3] == ")", tokens[2].kind == .string {
            let name: StringLiteral
            do throws(SyntaxError) { name = try StringLiteral(tokens[2]) } catch {
                throw Problem(error.message, at: interpolation.start + error.offset)
            }
            if name.interpolations.isEmpty { return .column(String(decoding: name.text, as: UTF8.self)) }
        }
        return isAfterIN(sql) ? .list : .value
    }

    /// Whether a text ends with the word IN, possibly followed by comments.
    private static func isAfterIN(_ sql: [UInt8]) -> Bool {
        guard let last = sqlTokens(sql).last(where: { $0.kind != .comment }) else { return false }
        return last.kind == .word && last.text.lowercased() == "in" && last.range.count == 2
    }
}

extension String {
    /// The name, without backticks.
    var plain: String { hasPrefix("`") ? String(dropFirst().dropLast()) : self }
}

private func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
}

private func swiftLiteral(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
        switch scalar {
        case "\"", "\\": "\\\(scalar)"
        case " "..."~": String(scalar)
        default: "\\u{\(String(scalar.value, radix: 16))}"
        }
    }
    return "\"\(escaped.joined())\""
}

/// The default table of a record type: `HTTPRequest` is stored in `httpRequest`.
func defaultTableName(_ type: String) -> String {
    let capitals = type.prefix(while: \.isUppercase)
    // The last of several capitals begins the next word.
    let next = type.dropFirst(capitals.count).first
    let isWordAhead = capitals.count > 1 && next?.isLetter == true
    let count = isWordAhead ? capitals.count - 1 : capitals.count
    return type.prefix(count).lowercased() + type.dropFirst(count)
}
