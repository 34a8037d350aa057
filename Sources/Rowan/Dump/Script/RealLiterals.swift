// Doubles as SQL. SQLite does not always convert decimal digits to the nearest double: one literal in ten thousand
// would restore a different double. Doubtful literals are tested, and those that fail become an exact expression.

import RowanPlatform

/// Writes doubles as SQL that SQLite evaluates to the same double.
final class RealLiterals {
    private let connection: LocalConnection
    private var parser: RealParser?

    init(_ db: Database) { connection = db.connection }

    func append(_ double: Double, to text: TextBuffer) {
        if let integer = Int64(exactly: double), integer.magnitude < 1_000_000_000_000_000 {
            // Fifteen digits are exact.
            if integer == 0, double.sign == .minus { text.append(byte: 0x2D) }
            text.append(integer)
            text.append(literal: ".0")
        } else if double.isFinite {
            let literal = double.description
            text.append(isExact(literal, double) ? literal : Self.expression(double))
        } else {
            text.append(double > 0 ? "9e999" : "-9e999")
        }
    }

    private func isExact(_ literal: String, _ double: Double) -> Bool {
        if Self.isSimple(literal) { return true }
        // Without a parser, or in an interrupted access, the expression is also exact.
        if parser == nil { parser = try? RealParser(connection) }
        return parser?.double(literal) == double
    }

    /// Whether a literal has at most fifteen digits, four of them after the point: their quotient by a power of ten is
    /// further from the midpoint between two doubles than the extended precision that SQLite may use.
    private static func isSimple(_ literal: String) -> Bool {
        let digits = literal.utf8
        guard digits.count <= 16, let point = digits.firstIndex(of: UInt8(ascii: ".")) else { return false }
        return digits.distance(from: point, to: digits.endIndex) <= 5 && !digits.contains(UInt8(ascii: "e"))
    }

    /// The significand, multiplied or divided by powers of two. All operations are exact.
    static func expression(_ double: Double) -> String {
        let step = 52
        var exponent = double == 0 ? 0 : Int(double.exponent) - step
        // The significand of a subnormal number has fewer bits, and the last division must not lose any.
        exponent = max(exponent, Int(Double.leastNonzeroMagnitude.exponent))
        let integer = Int64(scalbn(double, -exponent))
        var result = "(\(integer).0"
        let operation = exponent < 0 ? "/" : "*"
        var rest = abs(exponent)
        while rest > 0 {
            let power = min(rest, step)
            result += "\(operation)\(Int64(1) << Int64(power)).0"
            rest -= power
        }
        return result + ")"
    }
}
