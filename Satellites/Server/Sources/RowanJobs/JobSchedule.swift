// When the jobs of a schedule run.

public import Foundation

/// The times at which a job is enqueued.
///
/// ```swift
/// jobs.schedule("statistics", .every(.seconds(300))) { UpdateStatistics() }
/// jobs.schedule("cleanup", .daily(hour: 3, minute: 30, in: berlin)) { RemoveExpiredSessions() }
/// try jobs.schedule("report", .cron("0 9 * * MON-FRI", in: berlin)) { SendReport() }
/// ```
///
/// Where the clock of a time zone is set forward, times that it skips run that much later. Where it is set back, a time
/// that it shows twice runs once, unless the schedule runs at every hour. Times that are missed while no worker is
/// running run once afterwards.
///
/// Article: <doc:BackgroundJobs>.
public struct JobSchedule: Sendable, Hashable {
    private enum Times: Hashable {
        case every(Milliseconds)
        case cron(CronExpression, TimeZone)
    }

    private let times: Times
    /// What is stored. A schedule with another definition begins anew.
    let definition: String

    /// Runs in intervals, from when the schedule is first stored.
    ///
    /// - Parameter interval: the interval. Shorter ones than a second are a second.
    public static func every(_ interval: Duration) -> JobSchedule {
        let interval = max(Milliseconds(interval), 1_000)
        return JobSchedule(times: .every(interval), definition: "every \(interval) ms")
    }

    /// Runs once a day.
    ///
    /// - Parameters:
    ///   - hour: 0 to 23.
    ///   - minute: 0 to 59.
    ///   - timeZone: the time zone of the hour.
    /// - Precondition: The hour and the minute exist.
    public static func daily(hour: Int, minute: Int = 0, in timeZone: TimeZone) -> JobSchedule {
        precondition(
            (0...23).contains(hour) && (0...59).contains(minute),
            "a day has no time \(hour):\(minute): pass an hour from 0 to 23 and a minute from 0 to 59")
        return JobSchedule(CronExpression(hour: hour, minute: minute), timeZone)
    }

    /// Runs at the times of a cron expression.
    ///
    /// ```
    /// ┌───────────── minute (0-59)
    /// │ ┌─────────── hour (0-23)
    /// │ │ ┌───────── day of the month (1-31)
    /// │ │ │ ┌─────── month (1-12 or JAN-DEC)
    /// │ │ │ │ ┌───── day of the week (0-7 or SUN-SAT; 0 and 7 are Sunday)
    /// * * * * *
    /// ```
    ///
    /// A field is `*`, or a list of numbers, ranges (`1-5`) and steps (`*/15`, `8-18/2`). If both days are given, one of
    /// them suffices. `@hourly`, `@daily`, `@weekly`, `@monthly` and `@yearly` are also understood.
    ///
    /// - Parameters:
    ///   - expression: the expression.
    ///   - timeZone: the time zone of the hours.
    /// - Throws: a ``JobError`` that names the invalid field, or for an expression without any time, such as the 31st of
    ///   February.
    public static func cron(_ expression: String, in timeZone: TimeZone) throws -> JobSchedule {
        JobSchedule(try CronExpression(expression), timeZone)
    }

    private init(times: Times, definition: String) { (self.times, self.definition) = (times, definition) }

    private init(_ expression: CronExpression, _ timeZone: TimeZone) {
        self.init(
            times: .cron(expression, timeZone), definition: "\(expression.text) \(timeZone.identifier)")
    }

    /// The first time after another one.
    ///
    /// - Parameter previous: the time for which the schedule last ran.
    func next(after now: Milliseconds, previous: Milliseconds? = nil) -> Milliseconds {
        switch times {
        case .every(let interval):
            guard let previous else { return now + interval }
            return previous + (max(now - previous, 0) / interval + 1) * interval
        case .cron(let expression, let timeZone):
            let seconds = expression.next(after: now.flooredSeconds) {
                Int64(timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0))))
            }
            return seconds * 1_000
        }
    }

    /// The first times after a date.
    ///
    /// ```swift
    /// print(try JobSchedule.cron("0 9 * * MON-FRI", in: berlin).times(5, after: Date()))
    /// ```
    public func times(_ count: Int, after date: Date) -> [Date] {
        var times: [Milliseconds] = []
        while times.count < count {
            times.append(next(after: times.last ?? Milliseconds(date), previous: times.last))
        }
        return times.map(\.date)
    }
}

extension Milliseconds {
    fileprivate var flooredSeconds: Int64 { self >= 0 ? self / 1_000 : -((999 - self) / 1_000) }
}
