// Rows of values passed as a few arguments, because SQLite limits the number of arguments of a statement. Lists of
// values of the same kinds share one SQL text. Integers, texts and NULL are JSON; other values are encoded in JSON and
// rebuilt in SQL. Sources: https://sqlite.org/limits.html#max_variable_number, https://sqlite.org/json1.html#jeach

import RowanPlatform

struct ValueRows {
    /// The JSON encoding of a value.
    enum Form: Hashable {
        /// Unchanged: NULL, an integer, a text.
        case plain
        /// As a range of a single blob that contains the bytes of all blobs: the start, counted from 1, and the length.
        case blob
        /// As five integers: `a * 2^b / 2^c / 2^d / 2^e * scale`. This is exact, unlike a decimal number.
        case double(scale: Double)
        /// As a text in which another character replaces NUL, at which JSON functions would stop.
        case text(nulls: Unicode.Scalar)
        /// Not at all: SQLite can't store the value and rejects it as an argument.
        case unstorable(code: CInt)

        /// The number of array elements that encode the value.
        var width: Int {
            if case .double = self { 5 } else { 1 }
        }
    }

    /// The rows whose values have the same forms: these share one SELECT.
    struct Part {
        let forms: [Form]
        fileprivate(set) var json = "["
        /// The bytes of the blobs, by column, after one extra byte: `substr(x'', 1, 0)` is NULL.
        fileprivate(set) var blobs: [Data]

        fileprivate init(forms: [Form]) {
            self.forms = forms
            blobs = Array(repeating: Data([0]), count: forms.count)
        }

        /// Whether each element of the JSON array is a single value rather than an array of values.
        var isFlat: Bool { forms.count == 1 && forms[0].width == 1 }
    }

    private(set) var parts: [Part] = []

    /// - Complexity: O(*n*) in the size of the values.
    init(_ rows: [[DatabaseValue]]) {
        var places: [[Form]: Int] = [:]
        var place = -1
        var forms: [Form] = []
        for row in rows {
            forms.removeAll(keepingCapacity: true)
            for value in row { forms.append(Form(value)) }
            if place < 0 || parts[place].forms != forms {
                place = places[forms] ?? parts.count
                if place == parts.count {
                    places[forms] = place
                    parts.append(Part(forms: forms))
                }
            }
            parts[place].append(row)
        }
        for index in parts.indices { parts[index].json += "]" }
    }
}

extension ValueRows.Form {
    fileprivate init(_ value: DatabaseValue) {
        switch value.storage {
        case .null, .int64: self = .plain
        case .blob: self = .blob
        case .double(let double):
            // SQLite stores NaN as NULL.
            if let code = value.bindingRefusal { self = .unstorable(code: code); return }
            self = double.isNaN ? .plain : .double(scale: Fraction(double).scale)
        case .string(let text):
            guard text.utf8.contains(0) else {
                self = .plain
                return
            }
            // The first private-use character, or a later one, that the text does not contain.
            let scalars = Set(text.unicodeScalars)
            let others = (UInt32(0xE000)...0x10FFFF).lazy.compactMap(Unicode.Scalar.init)
            self = .text(nulls: others.first { !scalars.contains($0) } ?? "\u{FFFD}")
        }
    }
}

/// A finite double as `numerator * 2^exponent * scale`. SQLite shifts by at most 62 bits without changing the sign, so
/// the exponent takes four shifts: one up, three down.
private struct Fraction {
    var numerator: Int64 = 0
    var exponent = 0
    /// A power of two, or infinity.
    var scale = 1.0

    init(_ double: Double) {
        guard double != 0 else { return }
        let sign: Int64 = double.sign == .minus ? -1 : 1
        guard double.isFinite else {
            numerator = sign
            scale = .infinity
            return
        }
        let width = double.significandWidth
        numerator = sign * Int64(double.significand * Double(sign: .plus, exponent: width, significand: 1))
        exponent = Int(double.exponent) - width
        let range = 248
        let steps = Int((Double(exponent + 186) / Double(range)).rounded(.down))
        exponent -= steps * range
        scale = Double(sign: .plus, exponent: steps * range, significand: 1)
    }

    var json: String {
        let down = max(-exponent, 0)
        let parts = (0..<3).map { String(min(max(down - $0 * 62, 0), 62)) }
        return "\(numerator),\(max(exponent, 0)),\(parts.joined(separator: ","))"
    }
}

// MARK: - JSON

extension ValueRows.Part {
    fileprivate mutating func append(_ row: [DatabaseValue]) {
        if json.utf8.count > 1 { json += "," }
        if !isFlat { json += "[" }
        for index in row.indices {
            if index > 0 { json += "," }
            switch row[index].storage {
            case .null: json += "null"
            case .int64(let int64): json += String(int64)
            case .double(let double): json += double.isNaN ? "null" : Fraction(double).json
            case .blob(let data):
                json += String((blobs[index].count + 1) << 32 | data.count)
                blobs[index].append(data)
            case .string(let text):
                if case .text(let nulls) = forms[index] {
                    json.append(
                        jsonText: String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\0" ? nulls : $0 })))
                } else {
                    json.append(jsonText: text)
                }
            }
        }
        if !isFlat { json += "]" }
    }
}

extension String {
    fileprivate mutating func append(jsonText text: String) {
        self += "\""
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            self += text
        } else {
            for scalar in text.unicodeScalars {
                switch scalar {
                case "\"", "\\":
                    self += "\\"
                    unicodeScalars.append(scalar)
                case "\u{00}"..."\u{0F}": self += "\\u000" + String(scalar.value, radix: 16)
                case "\u{10}"..."\u{1F}": self += "\\u00" + String(scalar.value, radix: 16)
                default: unicodeScalars.append(scalar)
                }
            }
        }
        self += "\""
    }
}
