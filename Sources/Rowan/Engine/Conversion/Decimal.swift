// Decimals. SQLite has no decimal numbers: they are stored as texts but can also be read from numbers. A double is read
// as the shortest decimal that reads back as the same double: 3.133 gives 3.133, whereas Foundation's conversion gives
// 3.132999999999999488. It uses the digits that Swift prints, or plain arithmetic for a double with few decimals, and
// is a hundred times as fast as Foundation's conversion.

public import RowanPlatform

extension Decimal: DatabaseValueConvertible, StatementColumnConvertible {
    /// A decimal text, because SQLite has no decimal numbers; NULL for NaN.
    public var databaseValue: DatabaseValue {
        isNaN ? .null : description.databaseValue
    }

    /// The decimal from an integer, a double or a decimal text; nil for any other value and for a double outside the
    /// range of decimals, about 1e-128 to 1e146.
    ///
    /// A double converts to the shortest decimal that reads back as the same double: 3.133 gives 3.133.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Decimal? {
        switch dbValue.storage {
        case .int64(let integer): Decimal(integer)
        case .double(let double): Decimal(shortest: double)
        case .string(let string): Decimal(string: string, locale: locale)
        case .null, .blob: nil
        }
    }

    /// The decimal from the column.
    public static func fromColumn(_ column: ColumnValue) -> Decimal? { fromDatabaseValue(column.databaseValue) }

    private static let locale = Locale(identifier: "en_US_POSIX")
}

extension Decimal {
    /// Creates the shortest decimal that reads back as a double; nil if it is outside the range of decimals.
    package init?(shortest double: Double) {
        guard double.isFinite else { return nil }
        // Without a sign: Foundation interprets negative zero as NaN.
        guard double != 0 else {
            self = 0
            return
        }
        let magnitude = double.magnitude
        let (digits, exponent) = Self.withFewDecimals(magnitude) ?? Self.digits(of: magnitude)
        guard exponent <= 127 else {
            // Only Foundation can create a decimal with this exponent: from a double, with 20 digits.
            self.init(double)
            if isNaN { return nil }
            return
        }
        guard let significand = Self.significand(digits, exponent) else { return nil }
        self.init(sign: double.sign, exponent: max(exponent, -128), significand: Decimal(significand))
    }

    /// The digits, rounded to the smallest exponent of decimals; nil if no digits remain.
    private static func significand(_ digits: UInt64, _ exponent: Int) -> UInt64? {
        guard exponent < -128 else { return digits }
        // At most 17 digits: the power of ten fits in 64 bits.
        guard exponent >= -128 - 17 else { return nil }
        let unit = (exponent..<(-128)).reduce(1 as UInt64) { unit, _ in unit * 10 }
        let rounded = (digits + unit / 2) / unit
        return rounded == 0 ? nil : rounded
    }

    /// The digits of a number with at most 15 digits, some of them after the decimal point. No other decimal with 15
    /// digits reads back as the same double. The integer and the power of ten are both exact doubles, so their quotient
    /// is the double that the decimal reads back as; the product only needs to be close.
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

    /// The digits that Swift prints, which are the shortest ones: `3.133`, `1e-07`, `1.5e+100`.
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
            // At most 17 significant digits, or 18 with the zero of `9007199254740993.0`.
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
