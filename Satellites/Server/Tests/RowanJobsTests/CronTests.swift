import Foundation
import RowanJobs
import Testing

@testable import struct RowanJobs.CivilDate
@testable import struct RowanJobs.CronExpression

@Suite struct CronTests {
    private static let zones = [
        "GMT", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Casablanca",
        "America/Sao_Paulo", "Pacific/Apia",
    ]

    private static let expressions = [
        "* * * * *", "*/7 * * * *", "0 * * * *", "30 2 * * *", "0,30 2 * * *", "15 1-3 * * *", "0 0 * * *",
        "59 23 31 12 *",
        "0 12 29 2 *", "*/20 */6 * * *", "5 4 1,15 * MON", "0 3 * * SUN", "0 9 * JAN-MAR 1-5", "45 2 * * 7",
        "1 0 30 * *",
    ]

    /// The times that a person finds who looks at a clock each minute.
    private func times(
        _ expression: CronExpression, from start: Int64, minutes: Int, _ offset: (Int64) -> Int64
    ) -> [Int64] {
        var times: [Int64] = []
        for minute in 0..<minutes {
            let time = start + Int64(minute) * 60
            if expression.shows(local: time + offset(time)) { times.append(time) }
        }
        return times
    }

    @Test(arguments: ["GMT", "Asia/Kathmandu", "Pacific/Apia"])
    func timesWithoutChangesOfTheClock(_ zone: String) throws {
        // No zone changes its clock here.
        let start: Int64 = 1_750_000_000 / 60 * 60
        let timeZone = try #require(TimeZone(identifier: zone))
        let offset = { (time: Int64) in Int64(timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time)))) }
        for text in Self.expressions {
            let expression = try CronExpression(text)
            var time = start - 1
            for expected in times(expression, from: start, minutes: 3_000, offset).prefix(300) {
                time = expression.next(after: time, offset: offset)
                #expect(time == expected, "\(text) in \(zone)")
            }
        }
    }

    /// Across two years with all changes of the clock: an expression with given hours has each of its local times once,
    /// and one for all hours has what the clock shows.
    @Test(arguments: zones)
    func timesAcrossChangesOfTheClock(_ zone: String) throws {
        let timeZone = try #require(TimeZone(identifier: zone))
        let offset = { (time: Int64) in Int64(timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time)))) }
        let start: Int64 = 1_293_840_000
        let days = 365 * 2
        for text in ["30 2 * * *", "0 0 * * *", "15 1 * * *", "0 3 * * *"] {
            let expression = try CronExpression(text)
            var (time, count, last) = (start, 0, start)
            while time < start + Int64(days) * 86_400 {
                time = expression.next(after: time, offset: offset)
                #expect(time > last)
                // A day has 23 to 25 hours, but for a day that a country has left out.
                if count > 0 { #expect((22 * 3_600...48 * 3_600).contains(time - last), "\(text) in \(zone)") }
                (last, count) = (time, count + 1)
            }
            #expect(abs(count - days) <= 2, "\(text) in \(zone)")
        }
        // Around each change, each half hour that the clock shows.
        let expression = try CronExpression("*/30 * * * *")
        for day in 1..<days where offset(start + Int64(day) * 86_400) != offset(start + Int64(day - 1) * 86_400) {
            let first = start + Int64(day - 2) * 86_400
            var time = first - 1
            for expected in times(expression, from: first, minutes: 3 * 1_440, offset) {
                time = expression.next(after: time, offset: offset)
                #expect(time == expected, "in \(zone)")
            }
        }
    }

    @Test func theClockIsSetForwardAndBack() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        // 2025-03-30 02:00 becomes 03:00, and 2025-10-26 03:00 becomes 02:00.
        let daily = JobSchedule.daily(hour: 2, minute: 30, in: berlin)
        #expect(
            daily.times(3, after: date("2025-03-29T00:00:00Z")) == [
                date("2025-03-29T01:30:00Z"), date("2025-03-30T01:30:00Z"), date("2025-03-31T00:30:00Z"),
            ])
        #expect(
            daily.times(3, after: date("2025-10-25T00:00:00Z")) == [
                date("2025-10-25T00:30:00Z"), date("2025-10-26T00:30:00Z"), date("2025-10-27T01:30:00Z"),
            ])
        // An hour that the clock shows twice.
        #expect(
            try JobSchedule.cron("30 * * * *", in: berlin).times(3, after: date("2025-10-26T00:00:00Z")) == [
                date("2025-10-26T00:30:00Z"), date("2025-10-26T01:30:00Z"), date("2025-10-26T02:30:00Z"),
            ])
        // An hour that the clock leaves out.
        #expect(
            try JobSchedule.cron("*/30 * * * *", in: berlin).times(4, after: date("2025-03-30T00:00:00Z")) == [
                date("2025-03-30T00:30:00Z"), date("2025-03-30T01:00:00Z"), date("2025-03-30T01:30:00Z"),
                date("2025-03-30T02:00:00Z"),
            ])
    }

    @Test func rareDays() throws {
        let gmt = TimeZone.gmt
        #expect(
            try JobSchedule.cron("0 0 29 2 *", in: gmt).times(2, after: date("2097-01-01T00:00:00Z"))
                == [date("2104-02-29T00:00:00Z"), date("2108-02-29T00:00:00Z")])
        #expect(
            try JobSchedule.cron("0 0 13 * FRI", in: gmt).times(3, after: date("2025-06-11T00:00:00Z"))
                == [date("2025-06-13T00:00:00Z"), date("2025-06-20T00:00:00Z"), date("2025-06-27T00:00:00Z")])
        #expect(
            try JobSchedule.cron("@monthly", in: gmt).times(1, after: date("2025-12-31T23:59:00Z"))
                == [date("2026-01-01T00:00:00Z")])
        #expect(
            JobSchedule.every(.seconds(90)).times(2, after: date("2025-01-01T00:00:00Z"))
                == [date("2025-01-01T00:01:30Z"), date("2025-01-01T00:03:00Z")])
    }

    @Test(arguments: [
        (
            "",
            "the cron expression \"\" has 0 fields: write five, for minute, hour, day of the month, month and day of the week"
        ),
        (
            "* * * *",
            "the cron expression \"* * * *\" has 4 fields: write five, for minute, hour, day of the month, month and day of the week"
        ),
        (
            "60 * * * *",
            "the cron expression \"60 * * * *\" has the invalid minute \"60\": write *, or numbers from 0 to 59, as in 1,3-5,*/2"
        ),
        (
            "* 5-3 * * *",
            "the cron expression \"* 5-3 * * *\" has the invalid hour \"5-3\": write *, or numbers from 0 to 23, as in 1,3-5,*/2"
        ),
        (
            "* * 0 * *",
            "the cron expression \"* * 0 * *\" has the invalid day of the month \"0\": write *, or numbers from 1 to 31, as in 1,3-5,*/2"
        ),
        (
            "* * * FOO *",
            "the cron expression \"* * * FOO *\" has the invalid month \"FOO\": write *, or numbers from 1 to 12, as in 1,3-5,*/2"
        ),
        (
            "* * * * 8",
            "the cron expression \"* * * * 8\" has the invalid day of the week \"8\": write *, or numbers from 0 to 7, as in 1,3-5,*/2"
        ),
        ("0 0 31 2,4 *", "the cron expression \"0 0 31 2,4 *\" has no times: no month has these days"),
    ])
    func invalidExpressions(_ text: String, _ message: String) {
        let error = #expect(throws: JobError.self) { try JobSchedule.cron(text, in: .gmt) }
        #expect(error?.code == .schedule)
        #expect("\(error!)" == message)
    }

    @Test(arguments: [
        "*/0 * * * *", "1, * * * *", ",1 * * * *", "1-2-3 * * * *", "1/2/3 * * * *", "-1 * * * *", "+1 * * * *",
        "1.5 * * * *",
        "99999999999999999999 * * * *", "*/99999 * * * *", "** * * * *", "*-3 * * * *", "/2 * * * *", "1-/2 * * * *",
        "* * * */JAN *", "٣ * * * *", "1\u{0} * * * *",
    ])
    func oddExpressions(_ text: String) {
        let error = #expect(throws: JobError.self) { try JobSchedule.cron(text, in: .gmt) }
        #expect(error?.code == .schedule)
    }

    private func date(_ text: String) -> Date { try! Date(text, strategy: .iso8601) }
}

extension CronExpression {
    /// Whether a clock that shows a local time shows a time of the expression.
    fileprivate func shows(local: Int64) -> Bool { next(after: local - 1, offset: { _ in 0 }) == local }
}
