// Rows of values as one argument: SQLite limits the number of arguments of a statement, and all lists are one SQL text
// so. Integers, texts and NULL are JSON; blobs are one blob, cut at places that JSON tells; doubles, which JSON might
// round, are integers divided by powers of two.
// Sources: https://sqlite.org/limits.html#max_variable_number, https://sqlite.org/json1.html#jeach

import Foundation

extension Renderer {
    /// The length from which a list of expressions is one argument.
    static var largeListCount: Int { 1_000 }

    /// The values of a long list of rows, nil for a short one, and if some expressions are not values.
    static func values(ofLargeList rows: some Collection<[SQLExpression]>) -> [[DatabaseValue]]? {
        guard rows.count >= largeListCount else { return nil }
        var values: [[DatabaseValue]] = []
        values.reserveCapacity(rows.count)
        for row in rows {
            var rowValues: [DatabaseValue] = []
            for expression in row {
                switch expression.node {
                case .value(let value): rowValues.append(value)
                case .storable(let value): rowValues.append(value.databaseValue)
                default: return nil  // Any other expression has no value yet.
                }
            }
            values.append(rowValues)
        }
        return values
    }

    /// `(SELECT +value FROM json_each(?))`, for the right side of IN. An expression has no affinity, as a value has none:
    /// the column that is compared gives its own. <https://sqlite.org/datatype3.html#comparisons>
    mutating func write(rows: [[DatabaseValue]]) {
        guard let first = rows.first else {
            sql += "(SELECT NULL WHERE NULL)"
            return
        }
        if case .bound = values {
            if let json = Self.json(of: rows) {
                sql += "(SELECT "
                if first.count == 1 {
                    sql += "+value"
                } else {
                    write(list: first.indices) { $0.sql += "json_extract(value, '$[\($1)]')" }
                }
                sql += " FROM json_each("
                write(value: json)
                sql += "))"
                return
            }
            if first.count == 1, let (blob, places) = Self.joinedBlobs(rows) {
                sql += "(SELECT substr("
                write(value: blob)
                sql += ", value >> 32, value & 4294967295) FROM json_each("
                write(value: places)
                sql += "))"
                return
            }
            if first.count == 1, let json = Self.fractions(rows) {
                sql += "(SELECT CAST(json_extract(value, '$[0]') AS REAL) * (1 << json_extract(value, '$[1]'))"
                for index in 2...4 { sql += " / (1 << json_extract(value, '$[\(index)]'))" }
                sql += " FROM json_each("
                write(value: json)
                sql += "))"
                return
            }
        }
        sql += first.count == 1 ? "(" : "(VALUES "
        write(list: rows) { renderer, row in
            if row.count > 1 { renderer.sql += "(" }
            renderer.write(list: row) { $0.write(value: $1) }
            if row.count > 1 { renderer.sql += ")" }
        }
        sql += ")"
    }

    /// The rows as a JSON array; nil for what JSON does not tell: blobs, doubles, texts with a NUL character.
    static func json(of rows: [[DatabaseValue]]) -> DatabaseValue? {
        var json = "["
        json.reserveCapacity(rows.count * 8)
        for row in rows {
            if json.utf8.count > 1 { json += "," }
            if row.count > 1 { json += "[" }
            for (index, value) in row.enumerated() {
                if index > 0 { json += "," }
                switch value.storage {
                case .null: json += "null"
                case .int64(let int64): json += String(int64)
                case .string(let string):
                    guard json.append(jsonText: string) else { return nil }
                case .double, .blob: return nil
                }
            }
            if row.count > 1 { json += "]" }
        }
        return DatabaseValue(storage: .string(json + "]"))
    }

    /// The bytes of all blobs, and for each a number: where it starts, from 1, and how long it is.
    private static func joinedBlobs(_ rows: [[DatabaseValue]]) -> (blob: DatabaseValue, places: DatabaseValue)? {
        var bytes = Data()
        var places = "["
        for row in rows {
            guard case .blob(let data) = row[0].storage, bytes.count < Int32.max else { return nil }
            if places.utf8.count > 1 { places += "," }
            places += String((bytes.count + 1) << 32 | data.count)
            bytes.append(data)
        }
        return (DatabaseValue(storage: .blob(bytes)), DatabaseValue(storage: .string(places + "]")))
    }

    /// Each double as five integers: `a * 2^b / 2^c / 2^d / 2^e`, which is exact. nil if there are other values, and for
    /// doubles that are too large or too small: SQLite shifts by 62 bits at most without a change of sign.
    private static func fractions(_ rows: [[DatabaseValue]]) -> DatabaseValue? {
        var json = "["
        for row in rows {
            guard case .double(let double) = row[0].storage, double.isFinite else { return nil }
            if json.utf8.count > 1 { json += "," }
            guard double != 0 else {
                json += "[0,0,0,0,0]"
                continue
            }
            // The significand as an integer, without the zeros at its end.
            let width = double.significandWidth
            guard double.isNormal, double.exponent - width <= 62, width - Int(double.exponent) <= 186 else {
                return nil
            }
            let exponent = Int(double.exponent) - width
            let integer = Int64(double.significand * Double(sign: .plus, exponent: width, significand: 1))
            let (up, down) = (max(exponent, 0), max(-exponent, 0))
            json += "[\(double.sign == .minus ? -integer : integer),\(up)"
            for part in 0..<3 { json += ",\(min(max(down - part * 62, 0), 62))" }
            json += "]"
        }
        return DatabaseValue(storage: .string(json + "]"))
    }
}

extension String {
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
