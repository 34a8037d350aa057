// The settings of a kind of job, and those of a single job.

public import Foundation
public import Tracing

/// The settings of a kind of job.
///
/// ```swift
/// struct SendReceipt: Job {
///     static let settings = JobSettings(queue: "mail", retry: JobRetry(attempts: 5), timeout: .seconds(30))
/// ```
public struct JobSettings: Sendable, Hashable {
    /// The queue in which jobs wait. `default` by default.
    public var queue: String
    /// Jobs with a higher priority start first. 0 by default.
    public var priority: Int
    /// What happens after an error.
    public var retry: JobRetry
    /// The time after which a running job is cancelled, which counts as an error. Nil by default: no limit.
    public var timeout: Duration?
    /// The number of jobs with the same ``JobPayload/concurrencyKey`` that run at the same time in a queue. 1 by
    /// default.
    public var limitPerKey: Int
    /// How long the result of a job is kept: see ``JobContext/setResult(_:)``. A day by default.
    public var resultRetention: Duration
    /// How long a failed job is kept. 30 days by default.
    public var failureRetention: Duration

    /// Creates settings.
    public init(
        queue: String = "default", priority: Int = 0, retry: JobRetry = JobRetry(), timeout: Duration? = nil,
        limitPerKey: Int = 1, resultRetention: Duration = .seconds(86_400),
        failureRetention: Duration = .seconds(30 * 86_400)
    ) {
        (self.queue, self.priority, self.retry, self.timeout) = (queue, priority, retry, timeout)
        (self.limitPerKey, self.resultRetention) = (limitPerKey, resultRetention)
        self.failureRetention = failureRetention
    }
}

/// How often, and after which delays, a job is retried.
///
/// The delay after the first error is ``firstDelay``, and grows by ``factor`` after each further one, up to
/// ``maximumDelay``. A random part of ``jitter`` is added or subtracted, so that jobs that fail together are not retried
/// together.
public struct JobRetry: Sendable, Hashable {
    /// The maximum number of attempts, the first included. 10 by default.
    public var attempts: Int
    /// The delay after the first error. 5 s by default.
    public var firstDelay: Duration
    /// The factor between two delays. 2 by default.
    public var factor: Double
    /// The longest delay. An hour by default.
    public var maximumDelay: Duration
    /// The random part of a delay, from 0 to 1. 0.2 by default: a delay of 10 s becomes 8 to 12 s.
    public var jitter: Double

    /// One attempt.
    public static let never = JobRetry(attempts: 1)

    /// Creates a policy.
    public init(
        attempts: Int = 10, firstDelay: Duration = .seconds(5), factor: Double = 2,
        maximumDelay: Duration = .seconds(3_600), jitter: Double = 0.2
    ) {
        (self.attempts, self.firstDelay, self.factor) = (attempts, firstDelay, factor)
        (self.maximumDelay, self.jitter) = (maximumDelay, jitter)
    }

    /// The delay after a number of failed attempts.
    func delay(after attempts: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let longest = max(maximumDelay / .seconds(1), 0)
        var seconds = (firstDelay / .seconds(1)) * pow(max(factor, 0), Double(max(attempts - 1, 0)))
        seconds = seconds.isFinite ? min(max(seconds, 0), longest) : longest
        let part = jitter.isFinite ? min(max(jitter, 0), 1) : 0
        if part > 0 { seconds *= .random(in: (1 - part)...(1 + part), using: &generator) }
        return .milliseconds(Int64(min(seconds * 1_000, Double(Milliseconds.longest))))
    }
}

/// A setting of one job, when it is enqueued.
///
/// ```swift
/// try jobs.enqueue(SendReminder(userID: 1), .after(.seconds(3_600)), .unique(by: "user-1", .replace), in: db)
/// ```
public struct EnqueueOption: Sendable {
    enum Setting: Sendable {
        case after(Duration)
        case at(Date)
        case priority(Int)
        case queue(String)
        case unique(String, UniqueJob, whileRunning: Bool)
        case trace(ServiceContext?)
    }

    let setting: Setting

    /// The job starts after a delay at the earliest.
    public static func after(_ delay: Duration) -> EnqueueOption { EnqueueOption(setting: .after(delay)) }

    /// The job starts at a time at the earliest.
    public static func at(_ date: Date) -> EnqueueOption { EnqueueOption(setting: .at(date)) }

    /// The priority of the job: higher ones start first.
    public static func priority(_ priority: Int) -> EnqueueOption { EnqueueOption(setting: .priority(priority)) }

    /// The queue of the job.
    public static func queue(_ name: String) -> EnqueueOption { EnqueueOption(setting: .queue(name)) }

    /// The job continues a trace; by default that of the task. Use it where the configuration groups asynchronous
    /// writes, whose closures run outside of their tasks.
    ///
    /// ```swift
    /// let context = ServiceContext.current
    /// try await pool.write { db in try jobs.enqueue(SendReceipt(orderID: 1), .trace(context), in: db) }
    /// ```
    public static func trace(_ context: ServiceContext?) -> EnqueueOption { EnqueueOption(setting: .trace(context)) }

    /// What happens if a job of the same kind is already waiting with the same key.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - policy: what happens to the two jobs.
    ///   - whileRunning: whether the new job is also ignored while one with the key is running. That one may already
    ///     have read what has changed since, so by default it doesn't count. A running job is never replaced.
    public static func unique(
        by key: String, _ policy: UniqueJob = .ignore, whileRunning: Bool = false
    ) -> EnqueueOption {
        EnqueueOption(setting: .unique(key, policy, whileRunning: whileRunning))
    }
}

/// What happens to a job that is enqueued while another one with its key is waiting.
public enum UniqueJob: Sendable, Hashable {
    /// The new job is not enqueued.
    case ignore
    /// The new job takes the place of the waiting one, which keeps its id.
    case replace
    /// Both are kept. The key only says that later jobs may replace them.
    case keepBoth
}
