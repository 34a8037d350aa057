// What one statement of untrusted SQL may cost.

/// The limits of statements whose SQL is untrusted: see ``DatabaseTrust/untrustedSQL(_:)``.
///
/// ```swift
/// var limits = SQLLimits()
/// limits.time = .milliseconds(500)
/// limits.rows = 1_000
/// configuration.trust = .untrustedSQL(limits)
/// ```
///
/// A statement that exceeds a limit throws a ``DatabaseError`` that names it. Its code is SQLITE_INTERRUPT for
/// ``time``, SQLITE_FULL for ``temporaryBytes``, SQLITE_NOMEM for ``memoryBytes``, SQLITE_TOOBIG for ``rows``, ``resultBytes``, ``valueBytes`` and
/// ``sqlBytes``, and SQLITE_ERROR for the others, which SQLite checks when it compiles the statement. A limit can't
/// exceed that of the SQLite build.
///
/// Article: <doc:StrangersDatabases>.
///
/// Source: <https://sqlite.org/limits.html>
public struct SQLLimits: Hashable, Sendable {
    // MARK: The running statement

    /// The time from the first step of a statement to its last row. 5 seconds by default.
    ///
    /// It is measured by a monotonic clock, which is read every few hundred instructions, and whenever the statement
    /// writes temporary storage: a sort ends in time, too. The calls of functions for one row, such as `replace()`, are not
    /// interrupted. Their time is bounded by ``valueBytes``, ``columns`` and ``sqlBytes``.
    public var time: Duration = .seconds(5)

    /// The number of rows that a statement returns. 100,000 by default.
    public var rows = 100_000

    /// The size of the rows that a statement returns, in bytes: the bytes of texts and blobs, and eight bytes for each
    /// other value. 16 MB by default.
    public var resultBytes = 16 << 20

    /// The size of the temporary files of the connection at any time, in bytes: sorts and intermediate tables that
    /// don't fit in memory. 64 MB by default.
    ///
    /// An SQLite that is built to keep temporary tables in memory has no such files.
    public var temporaryBytes = 64 << 20

    /// The memory that SQLite allocates in the process while a statement runs, in bytes. 256 MB by default.
    ///
    /// Aggregates such as `json_group_array()` collect their values in memory. SQLite does not count the memory of a
    /// connection: that of others counts, too, so the limit should be well above what they use for a short time. An SQLite
    /// that is built without memory statistics has no such limit.
    public var memoryBytes = 256 << 20

    // MARK: The text

    /// The size of a text with statements, in bytes. 100,000 by default.
    public var sqlBytes = 100_000

    /// The size of a text, a blob, or a row, in bytes, including those that the database contains. A million by
    /// default.
    public var valueBytes = 1_000_000

    /// The number of columns of a table, a result, an index, or a clause. 200 by default.
    public var columns = 200

    /// The depth of an expression. 100 by default.
    public var expressionDepth = 100

    /// The number of queries that one UNION, EXCEPT or INTERSECT combines. 20 by default.
    public var compoundSelects = 20

    /// The number of arguments of a statement. 1,000 by default.
    public var arguments = 1_000

    /// The number of arguments of a function. 32 by default.
    public var functionArguments = 32

    /// The size of the pattern of LIKE and GLOB, in bytes. 50 by default.
    public var likePatternBytes = 50

    /// The depth of triggers that run triggers. 10 by default.
    public var triggerDepth = 10

    /// The number of instructions that SQLite compiles a statement to. 25,000 by default.
    public var instructions = 25_000

    /// Creates the default limits.
    public init() {}
}
