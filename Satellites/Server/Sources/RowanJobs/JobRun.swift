// One attempt of a job: decoded, run within its time, and measured.

import Logging
@_spi(Satellites) import Rowan
import Tracing

/// How an attempt has ended.
enum JobEnd: Sendable {
    /// The job has completed itself, with what it has written.
    case completed
    case succeeded(result: String?)
    case retries(after: Duration, error: String, counts: Bool)
    case failed(error: String)
    case cancelled
    /// Another worker will run the job.
    case released
}

struct JobRun: Sendable {
    private let job: ClaimedJob
    private let jobs: Jobs
    private let context: JobContext
    private let metrics: JobMetrics

    init(_ job: ClaimedJob, _ jobs: Jobs, _ context: JobContext, _ metrics: JobMetrics) {
        (self.job, self.jobs, self.context, self.metrics) = (job, jobs, context, metrics)
    }

    /// Runs the job.
    func run() async -> JobEnd {
        let start = jobs.clock.uptime
        let end: JobEnd
        do {
            try await traced()
            end = context.outcome.isCompleted ? .completed : .succeeded(result: context.outcome.result)
        } catch {
            end = self.end(after: error)
        }
        metrics.record(
            JobMetrics.Labels(
                queue: job.queue, kind: jobs.handlers[job.kind] == nil ? "unknown" : job.kind, outcome: end.label),
            jobs.clock.uptime - start)
        return end
    }

    private func traced() async throws {
        let tracer = jobs.currentTracer
        if tracer is NoOpTracer { return try await limited() }
        let context = TraceContext.context(job.trace, tracer)
        try await tracer.withAnySpan(job.kind, context: context, ofKind: .consumer) { span in
            span.attributes["rowan.job.id"] = job.id.rawValue
            span.attributes["rowan.job.queue"] = job.queue
            span.attributes["rowan.job.attempt"] = job.attempt
            try await limited()
        }
    }

    private func limited() async throws {
        guard let handler = jobs.handlers[job.kind] else {
            throw JobError(
                .kind, "this program has no jobs of the kind \"\(job.kind)\": register its type, or discard the job")
        }
        guard let timeout = handler.settings.timeout else { return try await handler.run(job, context) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await handler.run(job, context) }
            group.addTask {
                try await jobs.clock.sleep(for: timeout)
                throw JobError(.timeout, "the job was cancelled after its time limit of \(timeout)")
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func end(after error: any Error) -> JobEnd {
        // What follows the commit doesn't change the outcome.
        if context.outcome.isCompleted {
            context.logger.warning(
                "the job has succeeded, although it has thrown an error after its write: \(error.reported)")
            return .completed
        }
        let text = error.reported
        if error is FailJob { return .failed(error: text) }
        if let error = error as? RetryJob { return .retries(after: error.delay, error: text, counts: false) }
        if context.isLastAttempt { return .failed(error: text) }
        var generator = SystemRandomNumberGenerator()
        let delay = jobs.settings(of: job.kind).retry.delay(after: job.attempt, using: &generator)
        return .retries(after: delay, error: text, counts: true)
    }
}

extension Error {
    /// The text for logs and tables. Swift's own texts of decoding and encoding errors quote values.
    var reported: String {
        if let error = self as? DecodingError { return "a value could not be decoded: \(error.summary)" }
        // Without the path: the keys of dictionaries are values, too.
        if case .invalidValue(let value, _)? = self as? EncodingError {
            return "a value of type \(type(of: value)) could not be encoded"
        }
        return String("\(self)".prefix(10_000))
    }
}

/// What a run of all ready jobs has done.
public struct JobRunReport: Sendable {
    /// The number of jobs that have succeeded.
    public internal(set) var succeeded = 0
    /// The number of jobs that were cancelled.
    public internal(set) var cancelled = 0
    /// The errors of attempts, with the kinds of their jobs.
    public internal(set) var errors: [(kind: String, error: String)] = []

    mutating func count(_ end: JobEnd, _ job: ClaimedJob) {
        switch end {
        case .completed, .succeeded: succeeded += 1
        case .cancelled: cancelled += 1
        case .released: break
        case .retries(_, let error, _), .failed(let error): errors.append((job.kind, error))
        }
    }
}
