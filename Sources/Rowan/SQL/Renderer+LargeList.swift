// Long lists of values: as one JSON argument, because SQLite limits the number of arguments of a statement, and
// because all long lists are one SQL text then. Sources: https://sqlite.org/limits.html#max_variable_number,
// https://sqlite.org/json1.html#jeach

extension Renderer {
    /// The length from which a list is one argument.
    static var largeListCount: Int { 1_000 }

    /// A list of integers and texts as a JSON array; nil for a short list, and for what JSON does not tell: blobs,
    /// doubles, NULL, texts with a NUL character.
    static func largeList(_ expressions: [SQLExpression]) -> DatabaseValue? {
        guard expressions.count >= largeListCount else { return nil }
        var json = ""
        json.reserveCapacity(expressions.count * 8)
        guard json.append(jsonArray: expressions) else { return nil }
        return DatabaseValue(storage: .string(json))
    }

    /// A list of row values as a JSON array of arrays; nil for a short list, and for what JSON does not tell.
    static func largeList(_ rows: [[SQLExpression]]) -> DatabaseValue? {
        guard rows.count >= largeListCount else { return nil }
        var json = "["
        for row in rows {
            if json.utf8.count > 1 { json += "," }
            guard row.count == rows[0].count, json.append(jsonArray: row) else { return nil }
        }
        return DatabaseValue(storage: .string(json + "]"))
    }
}

extension String {
    /// - Returns: false for values that JSON does not tell.
    fileprivate mutating func append(jsonArray expressions: [SQLExpression]) -> Bool {
        self += "["
        for (index, expression) in expressions.enumerated() {
            guard case .value(let value) = expression.node else { return false }
            if index > 0 { self += "," }
            switch value.storage {
            case .int64(let int64): self += String(int64)
            case .string(let string):
                guard append(jsonText: string) else { return false }
            case .null, .double, .blob: return false
            }
        }
        self += "]"
        return true
    }

    /// - Returns: false for a text that JSON functions would cut.
    fileprivate mutating func append(jsonText text: String) -> Bool {
        self += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\0": return false
            case "\"", "\\":
                self += "\\"
                unicodeScalars.append(scalar)
            case "\u{01}"..."\u{0F}": self += "\\u000" + String(scalar.value, radix: 16)
            case "\u{10}"..."\u{1F}": self += "\\u00" + String(scalar.value, radix: 16)
            default: unicodeScalars.append(scalar)
            }
        }
        self += "\""
        return true
    }
}
