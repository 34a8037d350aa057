// The time of jobs, which tests move.

public import Foundation

/// The clock of jobs.
///
/// Delays and schedules follow ``now``, which the system may change. Whether a worker has stopped responding follows
/// ``uptime``, which never jumps. The kit `RowanJobsTestKit` has a clock that tests move.
public protocol JobClock: Sendable {
    /// The time of day.
    var now: Date { get }

    /// The time since some fixed moment.
    var uptime: Duration { get }

    /// Returns after a duration.
    ///
    /// - Throws: a `CancellationError` if the task is cancelled.
    func sleep(for duration: Duration) async throws
}

/// The clock of the system.
public struct SystemJobClock: JobClock {
    private static let start = ContinuousClock.now

    /// Creates the clock.
    public init() {}

    public var now: Date { Date() }
    public var uptime: Duration { Self.start.duration(to: .now) }
    public func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}

/// Times as they are stored: milliseconds since 1970.
typealias Milliseconds = Int64

extension Milliseconds {
    /// A thousand years: longer durations are cut, so that sums don't overflow.
    static let longest: Milliseconds = 1_000 * 366 * 86_400 * 1_000

    init(_ date: Date) {
        let value = date.timeIntervalSince1970 * 1_000
        self = value.isNaN ? 0 : Milliseconds(Swift.min(Swift.max(value, -Double(Self.longest)), Double(Self.longest)))
    }

    init(_ duration: Duration) {
        let value = duration / .milliseconds(1)
        self = Milliseconds(Swift.min(Swift.max(value, 0), Double(Self.longest)))
    }

    var date: Date { Date(timeIntervalSince1970: Double(self) / 1_000) }
}
