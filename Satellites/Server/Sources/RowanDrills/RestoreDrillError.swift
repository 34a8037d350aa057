// Why a drill has failed.

/// Why a drill has failed: with this backup, the database would be lost.
public struct RestoreDrillError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of errors.
    public enum Kind: Sendable, Hashable {
        /// There is no backup.
        case noBackup
        /// The newest backup is older than ``RestoreDrill/Options/maximumAge``, or its date is in the future.
        case tooOld
        /// The copy could not be made or read.
        case unreadable
        /// `PRAGMA quick_check` has found problems.
        case damaged
        /// The copy differs from the database.
        case differs
        /// The check of the program has thrown an error.
        case checkFailed
    }

    /// The kind of the error.
    public let kind: Kind
    /// What happened.
    public let message: String

    init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }

    /// The message.
    public var description: String { message }
}
