// SQLite's date and time texts, parsed and formatted without a calendar: days follow the proleptic Gregorian rules (H.
// Hinnant, "chrono-compatible low-level date algorithms"). Source of the formats: https://sqlite.org/lang_datefunc.html

/// The components of a date text, and which of them are present.
package struct DateText: Equatable, Sendable {
    package enum Precision: Int, Sendable { case none, minute, second, fraction }

    package var hasDate = false
    package var precision = Precision.none
    package var year = 0
    package var month = 1
    package var day = 1
    package var hour = 0
    package var minute = 0
    package var second = 0
    package var nanosecond = 0
    /// Seconds east of UTC, or nil if the text has no offset.
    package var offset: Int?

    package init() {}

    /// Seconds since 1970-01-01 00:00:00 UTC.
    package var secondsSince1970: Double {
        let days = Self.days(year: year, month: month, day: day)
        let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - (offset ?? 0)
        // A single integer division: milliseconds are read back exactly as written.
        return precision == .fraction
            ? Double(seconds) + Double(nanosecond) / 1_000_000_000
            : Double(seconds)
    }

    /// Days since 1970-01-01.
    package static func days(year: Int, month: Int, day: Int) -> Int {
        let y = month <= 2 ? year - 1 : year
        let era = (y >= 0 ? y : y - 399) / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The date that is a number of days after 1970-01-01.
    package static func date(days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// The seconds since 1970 for the years -99,999,999 to 99,999,999, which the stored format writes with at most
    /// eight digits: see `Scanner.year`. Constants, because every date binding is compared with them.
    package static var secondsOfWrittenYears: Range<Double> { -3_155_757_335_596_800..<3_155_633_032_780_800 }

    static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension DateText {
    /// Parses `YYYY-MM-DD`, `YYYY-MM-DD[ T]HH:MM[:SS[.SSS]][Z|±HH:MM]` and `HH:MM[:SS[.SSS]][Z|±HH:MM]`. Returns nil
    /// for any other text, and for nonexistent days and hours. Years outside 0000-9999 are accepted in the format in
    /// which dates are stored.
    package init?(parsing bytes: UnsafeBufferPointer<UInt8>) {
        var scanner = Scanner(bytes: bytes)
        if bytes.count >= 5, bytes[2] == UInt8(ascii: ":") {
            guard scanTime(&scanner) else { return nil }
        } else {
            guard scanDate(&scanner) else { return nil }
            if !scanner.isAtEnd {
                guard scanner.skip(" ") || scanner.skip("T"), scanTime(&scanner) else { return nil }
            }
        }
        guard scanner.isAtEnd, 0...9_999 ~= year || precision == .fraction else { return nil }
    }

    package init?(parsing text: String) {
        guard let result = text.withBytes({ DateText(parsing: $0) }) else { return nil }
        self = result
    }

    /// Parses a text `YYYY-MM-DD HH:MM:SS.SSS`, the format in which dates are stored, to seconds since 1970-01-01
    /// 00:00:00 UTC. Returns nil for any other text, and for nonexistent days and hours. The result equals that of
    /// parsing, without computing the components (benchmark fetch-place).
    package static func secondsSince1970(stored bytes: UnsafeBufferPointer<UInt8>) -> Double? {
        guard bytes.count == 23, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10] == UInt8(ascii: " "), bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            bytes[19] == UInt8(ascii: ".")
        else { return nil }
        // A character that is not a digit puts its part out of range.
        func pair(_ position: Int) -> Int {
            let (tens, ones) = (Int(bytes[position]) &- 0x30, Int(bytes[position &+ 1]) &- 0x30)
            return 0..<10 ~= tens && 0..<10 ~= ones ? tens &* 10 &+ ones : 1_000
        }
        let (century, years, month, day) = (pair(0), pair(2), pair(5), pair(8))
        let (hour, minute, second) = (pair(11), pair(14), pair(17))
        let (tenths, thousandths) = (pair(20), bytes[22] &- 0x30)
        let year = century &* 100 &+ years
        guard century < 100, years < 100, 1...12 ~= month, 1...length(ofMonth: month, year: year) ~= day,
            hour < 24, minute < 60, second < 60, tenths < 100, thousandths < 10
        else { return nil }
        let seconds = days(year: year, month: month, day: day) &* 86_400 &+ hour &* 3_600 &+ minute &* 60 &+ second
        return Double(seconds) + Double(tenths &* 10 &+ Int(thousandths)) / 1_000
    }

    private mutating func scanDate(_ scanner: inout Scanner) -> Bool {
        guard let year = scanner.year(), scanner.skip("-"),
            let month = scanner.number(digits: 2), scanner.skip("-"),
            let day = scanner.number(digits: 2),
            1...12 ~= month, 1...Self.length(ofMonth: month, year: year) ~= day
        else { return false }
        (self.year, self.month, self.day) = (year, month, day)
        hasDate = true
        return true
    }

    private mutating func scanTime(_ scanner: inout Scanner) -> Bool {
        guard let hour = scanner.number(digits: 2), scanner.skip(":"),
            let minute = scanner.number(digits: 2), hour < 24, minute < 60
        else { return false }
        (self.hour, self.minute, precision) = (hour, minute, .minute)
        if scanner.skip(":") {
            guard let second = scanner.number(digits: 2), second < 60 else { return false }
            (self.second, precision) = (second, .second)
            if scanner.skip(".") {
                guard let nanosecond = scanner.fraction() else { return false }
                (self.nanosecond, precision) = (nanosecond, .fraction)
            }
        }
        return scanOffset(&scanner)
    }

    private mutating func scanOffset(_ scanner: inout Scanner) -> Bool {
        _ = scanner.skip(" ")
        if scanner.isAtEnd { return true }
        if scanner.skip("Z") {
            offset = 0
            return true
        }
        let east = scanner.skip("+")
        guard east || scanner.skip("-"), let hours = scanner.number(digits: 2), scanner.skip(":"),
            let minutes = scanner.number(digits: 2), hours < 24, minutes < 60
        else { return false }
        offset = (east ? 1 : -1) * (hours * 3_600 + minutes * 60)
        return true
    }

    private struct Scanner {
        let bytes: UnsafeBufferPointer<UInt8>
        var position = 0

        init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

        var isAtEnd: Bool { position == bytes.count }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        mutating func number(digits: Int) -> Int? {
            guard position + digits <= bytes.count else { return nil }
            var value = 0
            for index in position..<(position + digits) {
                guard bytes[index].isASCIIDigit else { return nil }
                value = value * 10 + Int(bytes[index] &- 0x30)
            }
            position += digits
            return value
        }

        /// Four digits, or the digits of a year outside 0000-9999, which SQLite does not support: `10000`, `-32`. A
        /// nine-digit year is rejected: it stands for any date too far away to be written.
        mutating func year() -> Int? {
            let isNegative = skip("-")
            let count = bytes[position...].prefix { $0.isASCIIDigit }.count
            guard isNegative || count >= 4, 1...8 ~= count else { return nil }
            return number(digits: count).map { isNegative ? -$0 : $0 }
        }

        /// The digits after the decimal point, in nanoseconds; further digits are dropped.
        mutating func fraction() -> Int? {
            var value = 0
            var digits = 0
            while position < bytes.count, bytes[position].isASCIIDigit {
                if digits < 9 {
                    value = value * 10 + Int(bytes[position] &- 0x30)
                    digits += 1
                }
                position += 1
            }
            guard digits > 0 else { return nil }
            for _ in digits..<9 { value *= 10 }
            return value
        }
    }
}

extension DateText {
    /// Calls the closure with an instant formatted as `YYYY-MM-DD HH:MM:SS.SSS` in UTC, to the nearest millisecond.
    /// SQLite has no format for years outside 0000-9999: these are written with all their digits.
    package static func withText<T>(
        secondsSince1970: Double, _ body: (UnsafeBufferPointer<UInt8>) throws -> T
    ) rethrows -> T {
        // Beyond any calendar but safe from overflow.
        let limit = Double(Int64.max / 2)
        let milliseconds = Int64(clamping: min(max((secondsSince1970 * 1_000).rounded(), -limit), limit))
        let days = Int(milliseconds.floorDivided(by: 86_400_000))
        let rest = Int(milliseconds) - days * 86_400_000
        let (year, month, day) = date(days: days)
        guard 0...9_999 ~= year else {
            let tail = String(decoding: [0x2D] + pair(month) + [0x2D] + pair(day), as: UTF8.self)
            return try Array("\(year)\(tail) \(timeText(rest))".utf8).withUnsafeBufferPointer(body)
        }
        return try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 23) { buffer in
            // Two digits, in 32 bits, without a loop or wide division (benchmark insert-place).
            func write(_ number: UInt32, at position: Int) {
                let tens = number / 10
                buffer[position] = UInt8(truncatingIfNeeded: 0x30 &+ tens)
                buffer[position &+ 1] = UInt8(truncatingIfNeeded: 0x30 &+ number &- tens &* 10)
            }
            let (century, seconds) = (UInt32(year) / 100, UInt32(rest) / 1_000)
            let fraction = UInt32(rest) &- seconds &* 1_000
            write(century, at: 0)
            write(UInt32(year) &- century &* 100, at: 2)
            buffer[4] = UInt8(ascii: "-")
            write(UInt32(month), at: 5)
            buffer[7] = UInt8(ascii: "-")
            write(UInt32(day), at: 8)
            buffer[10] = UInt8(ascii: " ")
            write(seconds / 3_600, at: 11)
            buffer[13] = UInt8(ascii: ":")
            write(seconds / 60 % 60, at: 14)
            buffer[16] = UInt8(ascii: ":")
            write(seconds % 60, at: 17)
            buffer[19] = UInt8(ascii: ".")
            buffer[20] = UInt8(truncatingIfNeeded: 0x30 &+ fraction / 100)
            write(fraction % 100, at: 21)
            return try body(UnsafeBufferPointer(buffer))
        }
    }

    private static func pair(_ value: Int) -> [UInt8] {
        [UInt8(0x30 + value / 10), UInt8(0x30 + value % 10)]
    }

    private static func timeText(_ milliseconds: Int) -> String {
        let parts = [milliseconds / 3_600_000, milliseconds / 60_000 % 60, milliseconds / 1_000 % 60]
        let fraction = String(1_000 + milliseconds % 1_000).dropFirst()
        return parts.map { String(decoding: pair($0), as: UTF8.self) }.joined(separator: ":") + "." + fraction
    }
}

extension Int64 {
    package func floorDivided(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
