// Runs jobs within a test.

public import Logging
public import Rowan
public import RowanJobs

extension Jobs {
    /// Runs all jobs that are ready, and those that they enqueue, until none is.
    ///
    /// ```swift
    /// try await queue.write { db in try jobs.enqueue(SendReceipt(orderID: 1), in: db) }
    /// let report = try await jobs.runAll(on: queue)
    /// #expect(report.succeeded == 1)
    /// ```
    ///
    /// Delayed jobs, retries and schedules run once they are due by the clock of the jobs: see ``ManualJobClock``.
    ///
    /// - Parameters:
    ///   - database: the database of the jobs.
    ///   - logger: the logger of the jobs; nil for none.
    /// - Returns: the numbers of jobs that have ended, and the errors of all attempts.
    /// - Throws: a ``RowanJobs/JobError`` if the database has no tables of jobs; the errors of the connection.
    @discardableResult
    public func runAll(
        on database: any DatabaseWriter, logger: Logger? = nil
    ) async throws -> JobRunReport {
        try await runAllJobs(
            on: database, logger ?? Logger(label: "jobs") { _ in SwiftLogNoOpLogHandler() })
    }
}
