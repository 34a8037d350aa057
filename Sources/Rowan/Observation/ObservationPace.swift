// How often an observation fetches and notifies. An observation whose turn has not come is not ready: nothing is fetched
// for it alone.

import Dispatch

/// The pace of an observation.
struct ObservationPace: Sendable {
    /// The shortest time between two notifications, in nanoseconds.
    var interval: UInt64 = 0
    /// The time without changes before a fetch, in nanoseconds.
    var quietTime: UInt64 = 0

    /// Whether the observation fetches as soon as it can.
    var isEveryValue: Bool { interval == 0 && quietTime == 0 }
}

extension ValueObservation {
    /// Notifies at most one value in each interval, with the changes until then.
    ///
    /// ```swift
    /// // The first value immediately, then at most ten values a second.
    /// let observation = ValueObservation.tracking(Player.fetchCount).throttle(for: .milliseconds(100))
    /// ```
    ///
    /// Nothing is fetched for values that are not notified. The last change is always notified, at the end of the
    /// interval at the latest.
    ///
    /// - Parameter interval: the shortest time between the schedules of two notifications. It replaces that of an
    ///   earlier `throttle`.
    public func throttle(for interval: Duration) -> ValueObservation<Reducer> {
        var observation = self
        observation.pace.interval = interval.nanoseconds
        return observation
    }

    /// Notifies a value when nothing has changed for a while.
    ///
    /// ```swift
    /// // The first value immediately, then one after each burst of changes.
    /// let observation = ValueObservation.tracking(Player.fetchCount).debounce(for: .milliseconds(100))
    /// ```
    ///
    /// Nothing is fetched before. As long as changes follow each other more quickly, nothing is notified: to be sure of
    /// regular values, use ``throttle(for:)``.
    ///
    /// - Parameter quietTime: the time without changes. It replaces that of an earlier `debounce`.
    public func debounce(for quietTime: Duration) -> ValueObservation<Reducer> {
        var observation = self
        observation.pace.quietTime = quietTime.nanoseconds
        return observation
    }
}

/// When a receiver may fetch and notify again: a part of its state.
struct ObservationTurn {
    private let pace: ObservationPace
    /// An uptime, in nanoseconds.
    private var next: UInt64 = 0
    /// Whether the receiver will be woken when its turn has come.
    private var isAlarmSet = false

    init(_ pace: ObservationPace) { self.pace = pace }

    /// Whether the receiver may fetch and notify.
    var hasCome: Bool { next == 0 || hasCome(at: Uptime.now) }

    func hasCome(at now: UInt64) -> Bool { now >= next }

    /// A value is about to be notified.
    mutating func willNotify() { postpone(by: pace.interval) }

    /// The database has changed.
    mutating func databaseDidChange() { postpone(by: pace.quietTime) }

    private mutating func postpone(by time: UInt64) {
        guard time > 0 else { return }
        let (time, overflow) = Uptime.now.addingReportingOverflow(time)
        next = max(next, overflow ? .max : time)
    }

    /// The uptime to set an alarm to, if one is needed and not set yet.
    mutating func takeAlarm() -> UInt64? { next == 0 ? nil : takeAlarm(at: Uptime.now) }

    mutating func takeAlarm(at now: UInt64) -> UInt64? {
        guard !isAlarmSet, next > now else { return nil }
        isAlarmSet = true
        return next
    }

    /// The alarm has rung.
    mutating func alarmDidRing() { isAlarmSet = false }
}
