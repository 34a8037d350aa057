// The conversions of copied values. They match SQLite's conversions of live columns, so a row and its copy decode
// identically.
// Source: https://sqlite.org/c3ref/column_blob.html

import RowanSQLite
public import RowanPlatform

extension DatabaseValue {
    /// The integer that `sqlite3_column_int64` returns for this value. A strict conversion returns nil unless it is
    /// lossless.
    package func convertedInt64Value(strict: Bool) -> Int64? {
        switch storage {
        case .null: nil
        case .int64(let integer): integer
        case .double(let double): strict ? Int64(exactly: double) : Int64(clamping: double)
        case .string(let string): strict ? Int64(string) : Int64(numericPrefix: string)
        case .blob(let data): strict ? nil : Int64(numericPrefix: String(decoding: data, as: UTF8.self))
        }
    }

    @usableFromInline
    func convertedInt64(strict: Bool) -> Int64? {
        convertedInt64Value(strict: strict)
    }

    @usableFromInline
    func convertedDouble(strict: Bool) -> Double? {
        switch storage {
        case .null: nil
        case .int64(let integer): Double(integer)
        case .double(let double): double
        case .string(let string): strict ? nil : Double(numericPrefix: string)
        case .blob(let data): strict ? nil : Double(numericPrefix: String(decoding: data, as: UTF8.self))
        }
    }

    @usableFromInline
    func convertedString(strict: Bool) -> String? {
        switch storage {
        case .null: nil
        case .string(let string): string
        case .int64(let integer): strict ? nil : String(integer)
        case .double(let double): strict ? nil : double.sqliteText
        case .blob(let data): strict ? nil : String(decoding: data, as: UTF8.self)
        }
    }

    @usableFromInline
    func convertedData(strict: Bool) -> Data? {
        switch storage {
        case .null: nil
        case .blob(let data): data
        case .string(let string): strict ? nil : Data(string.utf8)
        case .int64, .double: strict ? nil : convertedString(strict: false).map { Data($0.utf8) }
        }
    }
}

extension Int64 {
    /// Truncates the number towards zero and clamps it to the range, as SQLite's CAST does.
    package init(clamping double: Double) {
        if double.isNaN {
            self = 0
        } else if double >= 9_223_372_036_854_775_808 {
            self = .max
        } else if double <= -9_223_372_036_854_775_808 {
            self = .min
        } else {
            self = Int64(double)
        }
    }

    /// The integer at the start of a text, or 0, as `CAST(text AS INTEGER)` does.
    package init(numericPrefix text: String) {
        let prefix = text.utf8.drop(while: \.isSQLiteSpace)
        let sign = prefix.first.flatMap { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") ? $0 : nil }
        let digits = prefix.dropFirst(sign == nil ? 0 : 1).prefix(while: \.isASCIIDigit)
        let negative = sign == UInt8(ascii: "-")
        var value: Int64 = 0
        for digit in digits {
            let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
            let step = Int64(digit - UInt8(ascii: "0"))
            let (next, carry) =
                negative
                ? shifted.subtractingReportingOverflow(step) : shifted.addingReportingOverflow(step)
            if overflow || carry {
                self = negative ? .min : .max
                return
            }
            value = next
        }
        self = value
    }
}

extension Double {
    /// The text that SQLite converts the double to: 15 digits and a decimal point.
    fileprivate var sqliteText: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            rowan_double_text(buffer.baseAddress!, 64, self)
            return String(cString: buffer.baseAddress!)
        }
    }

    /// The number at the start of a text, or 0, as `CAST(text AS REAL)` does.
    package init(numericPrefix text: String) {
        let bytes = Array(text.utf8.drop(while: \.isSQLiteSpace))
        var end = 0
        if end < bytes.count, bytes[end] == UInt8(ascii: "-") || bytes[end] == UInt8(ascii: "+") { end += 1 }
        func skipDigits(_ position: Int) -> Int {
            var position = position
            while position < bytes.count, bytes[position].isASCIIDigit { position += 1 }
            return position
        }
        end = skipDigits(end)
        if end < bytes.count, bytes[end] == UInt8(ascii: ".") { end = skipDigits(end + 1) }
        if end < bytes.count, bytes[end] | 0x20 == UInt8(ascii: "e") {
            var exponent = end + 1
            if exponent < bytes.count, bytes[exponent] == UInt8(ascii: "-") || bytes[exponent] == UInt8(ascii: "+") {
                exponent += 1
            }
            let last = skipDigits(exponent)
            if last > exponent { end = last }
        }
        // Not `strtod`: its decimal separator depends on the locale.
        self = Double(String(decoding: bytes[..<end], as: UTF8.self)) ?? 0
    }
}

extension UInt8 {
    package var isASCIIDigit: Bool { self >= 0x30 && self <= 0x39 }
    fileprivate var isSQLiteSpace: Bool { self == 0x20 || (self >= 0x09 && self <= 0x0D) }
}
