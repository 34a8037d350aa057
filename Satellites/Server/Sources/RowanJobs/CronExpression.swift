// Cron expressions, and their times in a time zone.
// Source: https://pubs.opengroup.org/onlinepubs/9799919799/utilities/crontab.html

/// A cron expression.
struct CronExpression: Hashable, Sendable {
    /// The expression, normalized.
    let text: String
    /// The numbers of each field, as bits.
    private let minutes, hours, days, months, weekdays: UInt64
    /// Whether both days are given, of which one suffices.
    private let isEitherDay: Bool
    /// Whether the hours begin with `*`. If so, an hour that a clock shows twice counts twice.
    private let isEveryHour: Bool

    private struct Field {
        let name: String
        let range: ClosedRange<Int>
        var names: [String] = []
    }

    private static let fields = [
        Field(name: "minute", range: 0...59),
        Field(name: "hour", range: 0...23),
        Field(name: "day of the month", range: 1...31),
        Field(
            name: "month", range: 1...12,
            names: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]),
        Field(name: "day of the week", range: 0...7, names: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]),
    ]

    private static let shortcuts = [
        "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
        "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
    ]

    init(hour: Int, minute: Int) {
        text = "\(minute) \(hour) * * *"
        (minutes, hours) = (1 << UInt64(minute), 1 << UInt64(hour))
        (days, months, weekdays) = (0xFFFF_FFFE, 0x1FFE, 0x7F)
        (isEitherDay, isEveryHour) = (false, false)
    }

    /// - Throws: a ``JobError`` that names the invalid field.
    init(_ expression: String) throws {
        let parts = (Self.shortcuts[expression] ?? expression).split(whereSeparator: \.isWhitespace).map(String.init)
        guard parts.count == Self.fields.count else {
            throw JobError(
                .schedule,
                """
                the cron expression "\(expression)" has \(parts.count) fields: write five, for minute, hour, day of the \
                month, month and day of the week
                """)
        }
        var bits = try zip(parts, Self.fields).map { try Self.bits($0, $1, expression) }
        // Sunday has two numbers.
        if bits[4] & 0x80 != 0 { bits[4] = (bits[4] | 1) & 0x7F }
        (minutes, hours, days, months, weekdays) = (bits[0], bits[1], bits[2], bits[3], bits[4])
        isEitherDay = !parts[2].hasPrefix("*") && !parts[4].hasPrefix("*")
        isEveryHour = parts[1].hasPrefix("*")
        text = parts.joined(separator: " ").uppercased()
        guard hasDay else {
            throw JobError(.schedule, "the cron expression \"\(expression)\" has no times: no month has these days")
        }
    }

    private static func bits(_ text: String, _ field: Field, _ expression: String) throws -> UInt64 {
        let error = JobError(
            .schedule,
            """
            the cron expression "\(expression)" has the invalid \(field.name) "\(text)": write *, or numbers from \
            \(field.range.lowerBound) to \(field.range.upperBound), as in 1,3-5,*/2
            """)
        var bits: UInt64 = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let steps = part.split(separator: "/", omittingEmptySubsequences: false)
            guard steps.count <= 2, let step = steps.count == 1 ? 1 : number(steps[1], field, isStep: true), step > 0
            else { throw error }
            let bounds = steps[0].split(separator: "-", omittingEmptySubsequences: false)
            let range: ClosedRange<Int>
            if steps[0] == "*" {
                range = field.range
            } else if let first = number(bounds[0], field), bounds.count <= 2,
                let last = bounds.count == 1
                    ? (steps.count == 1 ? first : field.range.upperBound)
                    : number(bounds[1], field),
                first <= last, field.range.contains(first), field.range.contains(last)
            {
                range = first...last
            } else {
                throw error
            }
            for value in stride(from: range.lowerBound, through: range.upperBound, by: step) {
                bits |= 1 << UInt64(value)
            }
        }
        return bits
    }

    private static func number(_ text: Substring, _ field: Field, isStep: Bool = false) -> Int? {
        if !isStep, let index = field.names.firstIndex(of: text.uppercased()) { return index + field.range.lowerBound }
        guard !text.isEmpty, text.count <= 4, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }

    /// Whether the months contain one of the days.
    private var hasDay: Bool {
        if isEitherDay { return true }
        return (1...12).contains { month in
            let count = month == 2 ? 29 : [4, 6, 9, 11].contains(month) ? 30 : 31
            return months & (1 << UInt64(month)) != 0 && days & ((2 << UInt64(count)) - 2) != 0
        }
    }

    // MARK: Times

    private func matches(_ date: CivilDate) -> Bool {
        guard months & (1 << UInt64(date.month)) != 0 else { return false }
        let isDay = days & (1 << UInt64(date.day)) != 0
        let isWeekday = weekdays & (1 << UInt64(date.weekday)) != 0
        return isEitherDay ? isDay || isWeekday : isDay && isWeekday
    }

    /// The first time after another one. All times are in seconds since 1970.
    ///
    /// - Parameter offset: what a clock of the time zone adds at a time.
    func next(after now: Int64, offset: (Int64) -> Int64) -> Int64 {
        var day = CivilDate.day(of: now + offset(now)) - 1
        // The 29th of February may be a given weekday after 40 years, across a year such as 2100.
        for _ in 0..<(42 * 366) {
            if matches(CivilDate(day: day)), let time = firstTime(on: day, after: now, offset) {
                // A time that was skipped may be later than those of the next day.
                guard matches(CivilDate(day: day + 1)), let other = firstTime(on: day + 1, after: now, offset) else {
                    return time
                }
                return min(time, other)
            }
            day += 1
        }
        // Not reached: such an expression has no days, and is invalid.
        return .max / 2_000
    }

    private func firstTime(on day: Int64, after now: Int64, _ offset: (Int64) -> Int64) -> Int64? {
        let (before, after) = (offset(day * 86_400 - 86_400), offset(day * 86_400 + 2 * 86_400))
        var first: Int64?
        for hour in 0..<24 where hours & (1 << UInt64(hour)) != 0 {
            for minute in 0..<60 where minutes & (1 << UInt64(minute)) != 0 {
                let local = day * 86_400 + Int64(hour * 3_600 + minute * 60)
                if before == after {
                    // The clock is not changed on this day.
                    if local - before > now { return local - before }
                    continue
                }
                for time in times(showing: local, before, after, offset) where time > now {
                    first = min(first ?? time, time)
                }
            }
        }
        return first
    }

    /// The times at which a clock shows a local time, around a change of the clock.
    private func times(
        showing local: Int64, _ before: Int64, _ after: Int64, _ offset: (Int64) -> Int64
    ) -> [Int64] {
        let times = [local - before, local - after].filter { $0 + offset($0) == local }.sorted()
        if times.isEmpty { return isEveryHour ? [] : [local - before] }
        return isEveryHour ? times : [times[0]]
    }
}

/// A date of the Gregorian calendar.
struct CivilDate: Hashable {
    let month: Int
    let day: Int
    /// 0 is Sunday.
    let weekday: Int

    /// - Parameter day: the days since 1970-01-01.
    ///
    /// Source: <https://howardhinnant.github.io/date_algorithms.html#civil_from_days>
    init(day: Int64) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let year = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        self.day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
        month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        weekday = Int(((day + 4) % 7 + 7) % 7)
    }

    /// The day of a time in seconds.
    static func day(of seconds: Int64) -> Int64 { seconds >= 0 ? seconds / 86_400 : -((86_399 - seconds) / 86_400) }
}
