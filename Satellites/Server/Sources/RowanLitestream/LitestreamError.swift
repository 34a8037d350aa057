// Errors between this process, Litestream and the replica.

/// An error of Litestream, or of a request to it.
///
/// ```swift
/// do {
///     try await replica.restore(to: path)
/// } catch let error as LitestreamError where error.kind == .noBackup {
///     // The first start: nothing was ever replicated.
/// }
/// ```
public struct LitestreamError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of errors.
    public enum Kind: Sendable, Hashable {
        /// The program is not installed, or not at the given path.
        case programNotFound
        /// A restore would overwrite a database or files that belong to one.
        case databaseExists
        /// The replica contains no backup, or none that is old enough.
        case noBackup
        /// A Litestream command failed. The message is Litestream's.
        case commandFailed
        /// Litestream does not run or does not respond.
        case notRunning
        /// The replica has not confirmed the changes.
        case notAcknowledged
        /// A setting that Litestream can't use.
        case invalidSetting
    }

    /// The kind of the error.
    public let kind: Kind
    /// What happened and what to do.
    public let message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
