// Blobs in pieces, so that a large value is never in memory as a whole.

public import RowanPlatform

/// An open blob, read and written in pieces.
///
/// ``Database/withBlob(table:column:rowID:access:schema:_:)`` opens and closes it.
///
/// Article: <doc:BlobsAndCollections>.
public final class DatabaseBlob {
    /// The access to an open blob.
    public enum Access: Hashable, Sendable {
        /// Reading.
        case read
        /// Reading and writing.
        case readWrite
    }

    private let handle: BlobHandle

    init(_ handle: BlobHandle) { self.handle = handle }

    /// The number of bytes. Writing does not change it: to set it, store a blob of this size, such as `zeroblob(1000)`.
    public var count: Int { handle.count }

    /// Reads a range of bytes, or all bytes.
    ///
    /// - Throws: a ``DatabaseError`` with the code SQLITE_ERROR for a range beyond the end, or SQLITE_ABORT if the row
    ///   was changed since the blob was opened.
    public func read(_ range: Range<Int>? = nil) throws -> Data {
        let range = range ?? 0..<count
        // Checked before a buffer of this size is created.
        try handle.check(range.lowerBound, range.count)
        var data = Data(count: range.count)
        try data.withUnsafeMutableBytes { try handle.read(into: $0, at: range.lowerBound) }
        return data
    }

    /// Writes bytes at an offset, overwriting existing ones.
    ///
    /// - Throws: a ``DatabaseError`` with the code SQLITE_ERROR if the bytes would extend beyond the end,
    ///   SQLITE_READONLY if the blob is open for reading, or SQLITE_ABORT if the row has changed since then.
    public func write(_ data: Data, at offset: Int = 0) throws {
        try data.withUnsafeBytes { try handle.write($0, at: offset) }
    }

    /// Opens the blob in the same column of another row, which is faster than opening another blob.
    ///
    /// - Throws: a ``DatabaseError`` with the code SQLITE_ERROR if the row does not exist or has no blob or text in
    ///   this column. The blob is then unusable: all its methods throw SQLITE_ABORT.
    public func reopen(rowID: Int64) throws { try handle.reopen(rowID: rowID) }
}

extension Database {
    /// Opens a blob for reading or writing in pieces.
    ///
    /// ```swift
    /// try db.execute(sql: "INSERT INTO photo (id, data) VALUES (1, zeroblob(10000000))")
    /// try db.withBlob(table: "photo", column: "data", rowID: 1, access: .readWrite) { blob in
    ///     var offset = 0
    ///     for chunk in chunks {
    ///         try blob.write(chunk, at: offset)
    ///         offset += chunk.count
    ///     }
    /// }
    /// ```
    ///
    /// The blob is open only in the closure. It can also be a text, whose bytes are read and written as stored.
    ///
    /// Writing a blob runs no triggers and is not reported to update hooks. Transaction observers receive a change of
    /// the column.
    ///
    /// Source: <https://sqlite.org/c3ref/blob_open.html>
    ///
    /// - Parameters:
    ///   - table: the table that contains the blob.
    ///   - column: the column that contains the blob.
    ///   - rowID: the rowid of the row.
    ///   - access: the access to the blob.
    ///   - schema: the name of the database: `main`, `temp`, or an attached one.
    ///   - body: a closure that receives the open blob.
    /// - Returns: the result of the closure.
    /// - Throws: the closure's error, or a ``DatabaseError``. Its code is SQLITE_ERROR for a missing table, column or
    ///   row, for a view, a virtual table, a table without rowids or a schema table such as `sqlite_master`, for a
    ///   value that is neither blob nor text, and for writing to a column of an index or foreign key; SQLITE_READONLY
    ///   for writing in a read access.
    public func withBlob<T>(
        table: String, column: String, rowID: Int64, access: DatabaseBlob.Access = .read, schema: String = "main",
        _ body: (DatabaseBlob) throws -> T
    ) throws -> T {
        let handle = try BlobHandle(
            connection, schema: schema, table: table, column: column, rowID: rowID, isWritable: access == .readWrite)
        func finish() throws {
            // SQLite does not report blob changes.
            if handle.hasWritten { reportChange(ofColumn: column, in: table, schema: schema) }
            try handle.finish()
        }
        let result: T
        do { result = try body(DatabaseBlob(handle)) } catch {
            // The first error takes precedence.
            try? finish()
            throw error
        }
        try finish()
        return result
    }
}
