// What a program declares about a kind of job.

public import Foundation

/// The values of a job, which are stored until it runs.
///
/// Declare a ``Job`` where the type can run itself. Where it needs what the program creates at startup, such as a
/// client of another service, declare a payload and pass a closure:
///
/// ```swift
/// struct SendReceipt: JobPayload { let orderID: Int64 }
///
/// jobs.register(SendReceipt.self) { receipt, context in
///     try await mailer.send(receipt.orderID)
/// }
/// ```
///
/// The values are stored as JSON, with the kind and the version. A property that is added later must be optional or
/// decoded with a default, or the version must change: see ``decode(_:version:)``.
///
/// Article: <doc:BackgroundJobs>.
public protocol JobPayload: Codable, Sendable {
    /// The name that is stored with each job. The name of the type by default. It must not change while jobs of this
    /// kind are stored.
    static var kind: String { get }

    /// The version that is stored with each job. 1 by default.
    static var version: Int { get }

    /// The queue, the priority, the retries and the time limit of this kind.
    static var settings: JobSettings { get }

    /// Of the jobs of a queue with the same key, only ``JobSettings/limitPerKey`` run at the same time. Nil by default:
    /// without limit.
    var concurrencyKey: String? { get }

    /// Decodes values that were stored by this or an earlier version of the program.
    ///
    /// ```swift
    /// static let version = 2
    /// static func decode(_ payload: Data, version: Int) throws -> SendReceipt {
    ///     if version == 1 { return try SendReceipt(JSONDecoder().decode(FirstVersion.self, from: payload)) }
    ///     return try JSONDecoder().decode(SendReceipt.self, from: payload)
    /// }
    /// ```
    ///
    /// By default, JSON of any version up to ``version`` is decoded as this type.
    ///
    /// - Throws: any error. The job is retried like one that fails, and stored with the error.
    static func decode(_ payload: Data, version: Int) throws -> Self
}

extension JobPayload {
    public static var kind: String { String(describing: Self.self) }
    public static var version: Int { 1 }
    public static var settings: JobSettings { JobSettings() }
    public var concurrencyKey: String? { nil }

    public static func decode(_ payload: Data, version: Int) throws -> Self {
        guard version <= Self.version else {
            throw JobError(
                .payload,
                """
                the job \(kind) was stored with version \(version), and this program decodes up to version \
                \(Self.version): deploy the newer program
                """)
        }
        return try JSONDecoder().decode(Self.self, from: payload)
    }
}

/// A job that runs itself.
///
/// ```swift
/// struct RemoveExpiredSessions: Job {
///     func run(_ context: JobContext) async throws {
///         // DELETE FROM "session" WHERE "expiresAt" < ?
///         try await context.write { db in try Session.filter { $0.expiresAt < Date() }.deleteAll(db) }
///     }
/// }
/// ```
///
/// A job runs at least once: if the process dies, it runs again. What it writes in ``JobContext/write(_:)`` is committed
/// exactly once, together with its completion.
///
/// Article: <doc:BackgroundJobs>.
public protocol Job: JobPayload {
    /// Runs the job.
    ///
    /// - Throws: any error: the job is retried as ``JobSettings/retry`` says. A ``FailJob`` is not retried, and a
    ///   ``RetryJob`` sets the delay itself.
    func run(_ context: JobContext) async throws
}

/// The identifier of a job, which is never used again.
public struct JobID: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    /// The id in the table `rowan_job`.
    public let rawValue: Int64

    /// Creates an identifier from a stored number.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    public var description: String { rawValue.description }
}

/// An error that a job throws to fail without being retried.
///
/// ```swift
/// guard let order = try await context.database.read({ try Order.fetchOne($0, key: orderID) }) else {
///     throw FailJob("order \(orderID) does not exist")
/// }
/// ```
public struct FailJob: Error, CustomStringConvertible {
    /// The reason, which is stored with the job.
    public let reason: String

    /// Creates the error.
    public init(_ reason: String) { self.reason = reason }

    public var description: String { reason }
}

/// An error that a job throws to run again later, for example because another service asks for it. It doesn't count as
/// a failed attempt.
///
/// ```swift
/// if response.status == .tooManyRequests { throw RetryJob(after: .seconds(60), "too many requests") }
/// ```
public struct RetryJob: Error, CustomStringConvertible {
    /// The time until the job runs again.
    public let delay: Duration
    /// The reason, which is stored with the job.
    public let reason: String

    /// Creates the error.
    public init(after delay: Duration, _ reason: String = "retried later") {
        (self.delay, self.reason) = (delay, reason)
    }

    public var description: String { reason }
}
