// The progress of a dump. It is reported at the end of a row once a chunk is full, which costs a comparison per row.

/// The progress of a dump.
///
/// ```swift
/// try dbQueue.dumpContent(to: stream) { progress in
///     print("\(progress.rowCount) rows, \(progress.byteCount) bytes")
/// }
/// ```
public struct DumpProgress: Hashable, Sendable {
    /// The table that the dump is writing; nil for SQL and requests.
    public internal(set) var table: String?
    /// The number of rows written, in all tables.
    public internal(set) var rowCount = 0
    /// The number of bytes written, in UTF-8.
    public internal(set) var byteCount = 0

    /// A closure that is called after every 64 KiB of text and at the end. If it throws an error, the dump stops.
    public typealias Handler = (DumpProgress) throws -> Void
}
