// Errors of the library itself.

/// An error of the jobs of a program.
public struct JobError: Error, CustomStringConvertible {
    /// The kind of an error.
    public enum Code: Sendable, Hashable {
        /// The kind of a job is not registered.
        case kind
        /// A stored job can't be decoded.
        case payload
        /// The tables of jobs are missing, or were created by a newer version of the library.
        case tables
        /// A cron expression or a schedule is invalid.
        case schedule
        /// A name, a number or a key of the program is invalid.
        case value
        /// The job has been given to another worker, cancelled, or completed.
        case lost
        /// The job has exceeded its time limit.
        case timeout
    }

    /// The kind of the error.
    public let code: Code
    /// What happened and what to do.
    public let message: String

    init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    public var description: String { message }
}
