// SQL values in plain Swift: comparisons, three-valued logic and arithmetic, as defined by SQLite.

import Foundation
import Rowan

/// Shared by the differential tests: requests and their naive evaluation over arrays.
enum Differential {
    typealias Values = [Value]

    /// A SQLite value, except a blob.
    enum Value: Hashable {
        case null
        case int(Int64)
        case real(Double)
        case text(String)
    }
}

extension Differential.Value {
    init(_ bool: Bool?) { self = bool.map { .int($0 ? 1 : 0) } ?? .null }

    init(_ value: DatabaseValue) {
        switch value.storage {
        case .null, .blob: self = .null
        case .int64(let int): self = .int(int)
        case .double(let double): self = .real(double)
        case .string(let string): self = .text(string)
        }
    }

    var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .int(let int): int.databaseValue
        case .real(let real): real.databaseValue
        case .text(let text): text.databaseValue
        }
    }

    var isNull: Bool { self == .null }

    /// True, false, or unknown. Texts aren't used as conditions here.
    var truth: Bool? {
        switch self {
        case .null, .text: nil
        case .int(let int): int != 0
        case .real(let real): real != 0
        }
    }

    var double: Double? {
        switch self {
        case .null, .text: nil
        case .int(let int): Double(int)
        case .real(let real): real
        }
    }

    /// Whether the value is ordered before another one: NULL, then numbers, then texts by their bytes.
    func precedes(_ other: Self) -> Bool {
        switch (self, other) {
        case (.null, .null): false
        case (.null, _): true
        case (_, .null): false
        case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        case (.text, _): false
        case (_, .text): true
        case (.int(let a), .int(let b)): a < b
        default: double! < other.double!
        }
    }

    /// Whether the values are the same according to IS: `1` is `1.0`.
    func isSame(_ other: Self) -> Bool { !precedes(other) && !other.precedes(self) }

    /// The key that DISTINCT compares: equal for values that are the same according to IS.
    var distinctKey: Self {
        guard case .real(let real) = self, let int = Int64(exactly: real) else { return self }
        return .int(int)
    }

    func compared(_ other: Self, _ test: (Self, Self) -> Bool) -> Self {
        isNull || other.isNull ? .null : Self(test(self, other))
    }

    static func arithmetic(_ op: Differential.Arithmetic, _ a: Self, _ b: Self) -> Self {
        switch (a, b) {
        case (.int(let a), .int(let b)):
            switch op {
            case .plus: return .int(a + b)
            case .minus: return .int(a - b)
            case .times: return .int(a * b)
            case .divided: return b == 0 ? .null : .int(a / b)
            }
        default:
            guard let a = a.double, let b = b.double else { return .null }
            switch op {
            case .plus: return .real(a + b)
            case .minus: return .real(a - b)
            case .times: return .real(a * b)
            case .divided: return b == 0 ? .null : .real(a / b)
            }
        }
    }

    /// `text LIKE pattern`
    func like(_ pattern: String) -> Self {
        guard case .text(let text) = self else { return .null }
        return Self(Self.matches(Array(text.lowercasedASCII)[...], Array(pattern.lowercasedASCII)[...]))
    }

    private static func matches(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == "%" {
            return (text.startIndex...text.endIndex).contains { matches(text[$0...], pattern.dropFirst()) }
        }
        guard let character = text.first, first == "_" || first == character else { return false }
        return matches(text.dropFirst(), pattern.dropFirst())
    }

    var text: String {
        switch self {
        case .null: "NULL"
        case .int(let int): String(int)
        case .real(let real): String(real == 0 ? 0.0 : real)
        case .text(let text): "'\(text)'"
        }
    }
}

extension Differential {
    enum Arithmetic: CaseIterable { case plus, minus, times, divided }

    enum Aggregate: String, CaseIterable {
        case count, isEmpty, sum, min, max, average, total

        /// The function's value for the values of several rows.
        func value(of values: [Value]) -> Value {
            let known = values.filter { !$0.isNull }
            switch self {
            case .count: return .int(Int64(values.count))
            case .isEmpty: return Value(values.isEmpty)
            case .min: return known.min { $0.precedes($1) } ?? .null
            case .max: return known.max { $0.precedes($1) } ?? .null
            case .average: return known.isEmpty ? .null : .real(Self.total(known) / Double(known.count))
            case .total: return .real(Self.total(known))
            case .sum:
                if known.isEmpty { return .null }
                let isInteger = known.allSatisfy { if case .int = $0 { true } else { false } }
                return isInteger
                    ? .int(known.reduce(0) { if case .int(let int) = $1 { $0 + int } else { $0 } })
                    : .real(Self.total(known))
            }
        }

        private static func total(_ values: [Value]) -> Double { values.reduce(0) { $0 + ($1.double ?? 0) } }
    }
}

extension String {
    fileprivate var lowercasedASCII: [Unicode.Scalar] {
        unicodeScalars.map { ("A"..."Z").contains($0) ? Unicode.Scalar($0.value + 32)! : $0 }
    }
}
