// Errors of the library itself.

/// An error of a ``DatabaseDirectory``.
public struct DatabaseDirectoryError: Error, CustomStringConvertible {
    /// The kind of an error.
    public enum Code: Sendable, Hashable {
        /// The name of a tenant is empty or too long.
        case name
        /// The tenant has no database.
        case missing
        /// The tenant already has a database, or the file already exists.
        case exists
        /// The database is in use, also by another process.
        case inUse
        /// As many databases as may be open are in use.
        case limit
        /// The file is damaged, or not a database.
        case damaged
        /// The directory is closed.
        case closed
        /// The system can't read or change the folder.
        case folder
    }

    /// The kind of the error.
    public let code: Code
    /// What happened and what to do.
    public let message: String

    init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    public var description: String { message }
}
