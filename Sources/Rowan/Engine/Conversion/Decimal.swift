// Decimals. SQLite has none: they are stored as texts, and also read from numbers. The decimal of a double is the
// shortest one that reads back as this double: 3.133 is 3.133, where Foundation gives 3.132999999999999488. It takes
// Swift's own digits, or none at all for a double with few decimals, and costs a hundredth of Foundation's conversion.

public import Foundation

extension Decimal: DatabaseValueConvertible, StatementColumnConvertible {
    /// A decimal text: SQLite has no decimal numbers. NULL for what is no number.
    public var databaseValue: DatabaseValue {
        guard !isNaN else { return .null }
        return NSDecimalNumber(decimal: self).description(withLocale: Self.locale).databaseValue
    }

    /// The number of an integer, a double, or a decimal text; nil for other values, and for a double that is out of
    /// the range of decimals: from 1e-128 to 1e146, or so.
    ///
    /// A double gives the shortest decimal that reads back as the same double: 3.133 for 3.133.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Decimal? {
        switch dbValue.storage {
        case .int64(let integer): Decimal(integer)
        case .double(let double): Decimal(shortest: double)
        case .string(let string): Decimal(string: string, locale: locale)
        case .null, .blob: nil
        }
    }

    /// The decimal of a column.
    public static func fromColumn(_ column: ColumnValue) -> Decimal? { fromDatabaseValue(column.databaseValue) }

    private static let locale = Locale(identifier: "en_US_POSIX")
}

extension Decimal {
    /// The shortest decimal that reads back as a double; nil if it is out of the range of decimals.
    init?(shortest double: Double) {
        guard double.isFinite else { return nil }
        // Without a sign: Foundation takes the negative zero for NaN.
        guard double != 0 else {
            self = 0
            return
        }
        let magnitude = double.magnitude
        let (digits, exponent) = Self.withFewDecimals(magnitude) ?? Self.digits(of: magnitude)
        guard exponent <= 127 else {
            // Foundation alone can make a decimal with this exponent: from a double, with its 20 digits.
            self.init(double)
            if isNaN { return nil }
            return
        }
        guard let significand = Self.significand(digits, exponent) else { return nil }
        self.init(sign: double.sign, exponent: max(exponent, -128), significand: Decimal(significand))
    }

    /// The digits, rounded to the smallest exponent that decimals have; nil if nothing is left.
    private static func significand(_ digits: UInt64, _ exponent: Int) -> UInt64? {
        guard exponent < -128 else { return digits }
        // At most 17 digits: the power of ten fits in 64 bits.
        guard exponent >= -128 - 17 else { return nil }
        let unit = (exponent..<(-128)).reduce(1 as UInt64) { unit, _ in unit * 10 }
        let rounded = (digits + unit / 2) / unit
        return rounded == 0 ? nil : rounded
    }

    /// The digits of a number of at most 15 digits, some of them decimals. No other decimal of 15 digits reads as the
    /// same double. Both the integer and the power of ten are exact doubles: their quotient is what a reader of the
    /// decimal gets, and the product only has to be near.
    private static func withFewDecimals(_ magnitude: Double) -> (digits: UInt64, exponent: Int)? {
        guard magnitude < 1e15 else { return nil }
        var power = 1.0
        for decimals in 0...6 {
            let product = magnitude * power
            guard product < 1e15 else { return nil }
            let digits = UInt64(product + 0.5)
            if Double(digits) / power == magnitude { return (digits, -decimals) }
            power *= 10
        }
        return nil
    }

    /// The digits that Swift prints, the shortest ones: `3.133`, `1e-07`, `1.5e+100`.
    private static func digits(of magnitude: Double) -> (digits: UInt64, exponent: Int) {
        var digits: UInt64 = 0
        var exponent = 0
        var isFraction = false
        var bytes = magnitude.description.utf8[...]
        while let byte = bytes.popFirst(), byte != UInt8(ascii: "e") {
            guard byte != UInt8(ascii: ".") else {
                isFraction = true
                continue
            }
            // At most 17 digits that count, or 18 with the zero of `9007199254740993.0`.
            digits = digits * 10 + UInt64(byte - UInt8(ascii: "0"))
            if isFraction { exponent -= 1 }
        }
        exponent += Int(Substring(bytes)) ?? 0
        while digits != 0, digits.isMultiple(of: 10) {
            digits /= 10
            exponent += 1
        }
        return (digits, exponent)
    }
}
