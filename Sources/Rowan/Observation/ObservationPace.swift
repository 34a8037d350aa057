// The pace at which an observation fetches and delivers values. An observation whose turn has not come is not ready:
// nothing is fetched for it alone.

import Dispatch

struct ObservationPace: Sendable {
    /// The shortest time between two values, in nanoseconds.
    var interval: UInt64 = 0
    /// The time without changes before a fetch, in nanoseconds.
    var quietTime: UInt64 = 0

    /// Whether the observation fetches as soon as it can.
    var isEveryValue: Bool { interval == 0 && quietTime == 0 }
}

extension ValueObservation {
    /// Delivers at most one value in each interval, with the changes up to then.
    ///
    /// ```swift
    /// // The first value immediately, then at most ten values a second.
    /// let observation = ValueObservation.tracking(Player.fetchCount).throttle(for: .milliseconds(100))
    /// ```
    ///
    /// Nothing is fetched for skipped values. The last change is always delivered, at the latest at the end of the
    /// interval.
    ///
    /// - Parameter interval: the shortest time between the scheduling of two values. It replaces that of an earlier
    ///   `throttle`.
    public func throttle(for interval: Duration) -> ValueObservation<Reducer> {
        var observation = self
        observation.pace.interval = interval.nanoseconds
        return observation
    }

    /// Delivers a value when nothing has changed for a while.
    ///
    /// ```swift
    /// // The first value immediately, then one after each burst of changes.
    /// let observation = ValueObservation.tracking(Player.fetchCount).debounce(for: .milliseconds(100))
    /// ```
    ///
    /// Nothing is fetched before that. While changes follow each other more quickly, nothing is delivered. For regular
    /// values, use ``throttle(for:)``.
    ///
    /// - Parameter quietTime: the time without changes. It replaces that of an earlier `debounce`.
    public func debounce(for quietTime: Duration) -> ValueObservation<Reducer> {
        var observation = self
        observation.pace.quietTime = quietTime.nanoseconds
        return observation
    }
}

/// The time at which a receiver may fetch and deliver again: a part of its state.
struct ObservationTurn {
    private let pace: ObservationPace
    /// An uptime in nanoseconds.
    private var next: UInt64 = 0
    /// Whether an alarm is set for the receiver's turn.
    private var isAlarmSet = false

    init(_ pace: ObservationPace) { self.pace = pace }

    /// Whether the receiver may fetch and deliver.
    var hasCome: Bool { next == 0 || hasCome(at: Uptime.now) }

    func hasCome(at now: UInt64) -> Bool { now >= next }

    /// Called before a value is delivered.
    mutating func willNotify() { postpone(by: pace.interval) }

    /// Called after the database has changed.
    mutating func databaseDidChange() { postpone(by: pace.quietTime) }

    private mutating func postpone(by time: UInt64) {
        guard time > 0 else { return }
        let (time, overflow) = Uptime.now.addingReportingOverflow(time)
        next = max(next, overflow ? .max : time)
    }

    /// The uptime for an alarm, if one is needed and not set yet.
    mutating func takeAlarm() -> UInt64? { next == 0 ? nil : takeAlarm(at: Uptime.now) }

    mutating func takeAlarm(at now: UInt64) -> UInt64? {
        guard !isAlarmSet, next > now else { return nil }
        isAlarmSet = true
        return next
    }

    /// Called when the alarm goes off.
    mutating func alarmDidRing() { isAlarmSet = false }
}
