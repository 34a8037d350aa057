// The values of sample rows, by the type and the name of a column.

import Foundation
import Rowan

/// The values to try for a column.
struct SampleValues {
    private enum Kind { case rowID, boolean, integer, real, number, text, blob, json, uuid, uuidBytes, any }
    private enum Moment { case seconds, date, time, dateTime }

    let column: ColumnInfo
    private let kind: Kind
    private let moment: Moment?
    /// The texts and numbers in the constraints of the column.
    private let texts: [String]
    private let numbers: [Double]

    /// - Parameters:
    ///   - isRowID: whether the values are rowids.
    ///   - constraints: the SQL of the checks and triggers that mention the column.
    init(_ column: ColumnInfo, isRowID: Bool, constraints: [[SQLTokens.Token]]) {
        self.column = column
        let tokens = constraints.joined()
        texts =
            tokens.compactMap { token in
                if case .text(let text) = token, text.hasPrefix("'") {
                    String(text.dropFirst().dropLast())
                } else {
                    nil
                }
            }.uniqued
        numbers = tokens.compactMap { if case .word(let word) = $0 { Double(word) } else { nil } }.uniqued
        let (words, type) = (column.name.wordsOfName + column.type.wordsOfName, column.type)
        let affinity = Affinity(declaredType: type)
        let isNumber = affinity == .integer || affinity == .real
        let functions = Self.functions(of: column.name.lowercased(), Array(tokens))
        moment =
            if affinity != .blob || type.isEmpty {
                Self.moment(words + functions.filter { Self.dateFunctions.contains($0) }, isNumber: isNumber)
            } else { nil }
        let isJSON = (words + functions).contains { $0.hasPrefix("json") }
        kind =
            if isRowID {
                .rowID
            } else if words.contains("uuid") || words.contains("guid") {
                type.contains("BLOB") ? .uuidBytes : isNumber ? .integer : .uuid
            } else if words.contains("bool") || words.contains("boolean") {
                .boolean
            } else if isJSON, !isNumber, type != "BLOB" {
                .json
            } else if type.isEmpty || type == "ANY" {
                .any
            } else {
                switch affinity {
                case .integer: words.first == "is" || words.first == "has" ? .boolean : .integer
                case .real: .real
                case .numeric: .number
                case .text: .text
                case .blob: .blob
                }
            }
    }

    private static let dateFunctions: Set = ["date", "time", "datetime", "julianday"]

    /// The functions whose first argument is a column: `datetime(createdAt)`, `json_extract(new.body, '$.id')`.
    private static func functions(of column: String, _ tokens: [SQLTokens.Token]) -> [String] {
        tokens.indices.compactMap { index in
            guard tokens[index] == .word(column) else { return nil }
            let isQualified = index > 1 && tokens[index - 1] == .symbol(".")
            let start = isQualified ? index - 2 : index
            guard start > 1, tokens[start - 1] == .symbol("("), case .word(let function) = tokens[start - 2] else {
                return nil
            }
            return function
        }
    }

    private static func moment(_ words: [String], isNumber: Bool) -> Moment? {
        let hasDate = words.contains("date") || words.contains("day") || words.contains("birthday")
        let hasTime = words.contains("time")
        let isMoment = ["datetime", "julianday", "timestamp", "at", "since", "until"].contains(where: words.contains)
        guard hasDate || hasTime || isMoment else { return nil }
        if isNumber { return .seconds }
        return isMoment || hasDate == hasTime ? .dateTime : hasDate ? .date : .time
    }

    /// The values in the order in which a row tries them: those for its number, those from constraints, then a value that
    /// no other row has, and dates in other formats.
    ///
    /// - Parameter rotation: the index of the first value. Other rows start elsewhere, so that all values are used.
    func candidates(row: Int, rotation: Int) -> [DatabaseValue] {
        let unique = unique(row)
        return
            (([unique] + usual(row)).rotated(by: rotation) + fromConstraints(row, rotation) + [unique]
            + otherFormats(row)).uniqued
    }

    /// A value that no other row has, if the type has enough values.
    private func unique(_ row: Int) -> DatabaseValue {
        let number = row + 1
        switch (moment, kind) {
        case (.seconds?, _): return (1_700_000_000 + number).databaseValue
        case (.date?, _): return "2024-02-\(number.padded(2))".databaseValue
        case (.time?, _): return "12:00:\(number.padded(2))".databaseValue
        case (.dateTime?, _): return "2024-02-\(number.padded(2)) 12:00:00.000".databaseValue
        case (nil, .rowID), (nil, .integer), (nil, .number), (nil, .any): return number.databaseValue
        case (nil, .boolean): return (number % 2).databaseValue
        case (nil, .real): return (Double(number) + 0.5).databaseValue
        case (nil, .text): return "\(column.name) \(number)".databaseValue
        case (nil, .blob): return Data([UInt8(truncatingIfNeeded: number), 0, 0xFF]).databaseValue
        case (nil, .json): return #"{"id":\#(number),"text":"O'Hara ü","list":[1,null,-2.5]}"#.databaseValue
        case (nil, .uuid): return "6F1B0C5E-0000-4000-8000-0000000000\(number.padded(2))".databaseValue
        case (nil, .uuidBytes):
            return Data([0x6F, 0x1B, 0x0C, 0x5E, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, UInt8(number)]).databaseValue
        }
    }

    /// Dates in the other formats that a constraint may require.
    private func otherFormats(_ row: Int) -> [DatabaseValue] {
        guard let moment, moment != .seconds else { return [] }
        let day = "2024-02-\((row + 1).padded(2))"
        return ["\(day) 12:00:00", "\(day)T12:00:00Z", "\(day)T12:00:00.000Z", day, "12:00"].stored
    }

    /// The values that migrations break, apart from NULL.
    private func usual(_ row: Int) -> [DatabaseValue] {
        switch (moment, kind) {
        case (.seconds?, _): return [0, -1, 253_402_300_799].stored
        case (.date?, _): return ["1969-12-31", "2000-02-29", "9999-12-31"].stored
        case (.time?, _): return ["00:00:00", "23:59:59"].stored
        case (.dateTime?, _):
            return ["1969-12-31 23:59:59.999", "2000-02-29 00:00:00.000", "9999-12-31 23:59:59.999"].stored
        // Not the largest one: the table could not grow.
        case (nil, .rowID): return [row + 1_000, -7 - row, Self.inexact + row].stored
        case (nil, .boolean): return [0, 1].stored
        case (nil, .integer): return Self.integers.stored
        case (nil, .real): return Self.reals.stored
        case (nil, .number): return Self.integers.stored + Self.reals.stored
        case (nil, .text): return Self.texts.stored
        case (nil, .blob): return Self.blobs.stored
        case (nil, .json): return Self.json.stored
        case (nil, .uuid), (nil, .uuidBytes): return []
        case (nil, .any): return Self.texts.prefix(3).stored + [-1, Int.max].stored + [0.1].stored + Self.blobs.stored
        }
    }

    /// The values that constraints mention, or nearly.
    private func fromConstraints(_ row: Int, _ rotation: Int) -> [DatabaseValue] {
        let wildcard = String(UnicodeScalar(UInt8(ascii: "a") + UInt8(row % 26)))
        let patterns = texts.flatMap { [$0.matchingLike(wildcard), $0.matchingGlob(wildcard)] }
        let offsets: [Double] = [0, 1, -1, 0.5, -0.5]
        let near: [Double] = numbers.flatMap { number in offsets.map { number + $0 } + [-number] }
        let exact: [DatabaseValue] = near.map { Int64(exactly: $0)?.databaseValue ?? $0.databaseValue }
        // SQLite stores text in columns of numbers, but few programs do.
        guard !isNumber else { return exact.rotated(by: rotation) + texts.stored }
        var result = texts.stored + patterns.filter { !texts.contains($0) }.stored
        for length in numbers.compactMap({ Int(exactly: $0) }) where (1...200).contains(length) {
            let letters = String(repeating: "a", count: length - 1) + wildcard
            let digits = String((row + 1).padded(length).suffix(length))
            result += [letters, letters.uppercased(), digits].stored + [Data(letters.utf8)].stored
        }
        return result.rotated(by: rotation) + exact.rotated(by: rotation)
    }

    private var isNumber: Bool {
        switch kind {
        case .rowID, .boolean, .integer, .real: true
        case .number, .text, .blob, .json, .uuid, .uuidBytes, .any: false
        }
    }

    /// The first integer that a `Double` can't hold.
    private static let inexact = 9_007_199_254_740_993
    private static let integers = [0, -1, inexact, Int.max, Int.min]
    private static let reals = [0, -0.25, 1e300, 1e-300, 0.1]
    private static let texts = ["", longText, "O'Hara \"ü\" 日本 👩‍🚀\n", " spaces ", "007", "NULL"]
    private static let blobs = [Data(), Data(repeating: 0x80, count: 1_000)]
    private static let json = ["{}", "[]", #"{"nested":{"a":[true,{}]},"":"\u0000"}"#, "null", #""text""#, "-1e3"]
    private static let longText = String(repeating: "A long text. ", count: 80)
}

extension Int {
    fileprivate func padded(_ width: Int) -> String {
        String(repeating: "0", count: Swift.max(0, width - String(self).count)) + String(self)
    }
}

extension Collection where Element: DatabaseValueConvertible {
    fileprivate var stored: [DatabaseValue] { map(\.databaseValue) }
}

extension Array where Element: Hashable {
    var uniqued: [Element] {
        var known: Set<Element> = []
        return filter { known.insert($0).inserted }
    }
}

extension Array {
    func rotated(by count: Int) -> [Element] {
        isEmpty ? [] : Array(self[(count % self.count)...] + self[..<(count % self.count)])
    }
}

extension String {
    /// The words of a name, in lower case: `createdAt` and `created_at` have the words "created" and "at".
    fileprivate var wordsOfName: [String] {
        var words = [""]
        var wasLower = false
        for character in self {
            if !character.isLetter || (wasLower && character.isUppercase) { words.append("") }
            if character.isLetter { words[words.count - 1] += character.lowercased() }
            wasLower = character.isLowercase
        }
        return words.filter { !$0.isEmpty }
    }

    /// A text that matches this pattern of LIKE.
    fileprivate func matchingLike(_ wildcard: String) -> String {
        map { "%_".contains($0) ? wildcard : String($0) }.joined()
    }

    /// A text that matches this pattern of GLOB, if its brackets contain no closing bracket.
    fileprivate func matchingGlob(_ wildcard: String) -> String {
        var (result, rest) = ("", self[...])
        while let character = rest.popFirst() {
            guard character == "[", let end = rest.firstIndex(of: "]") else {
                result += "*?".contains(character) ? wildcard : String(character)
                continue
            }
            result += rest.hasPrefix("^") ? wildcard : String(rest.prefix(1))
            rest = rest[rest.index(after: end)...]
        }
        return result
    }
}
