// An open blob of the C API. An open blob is a running statement: it must not outlive its access.
// Source: https://sqlite.org/c3ref/blob_open.html

import RowanSQLText
import RowanSQLite
import Synchronization

/// An open blob. It is closed with the access that opened it: see `Database.withBlob`.
package final class BlobHandle {
    private let connection: LocalConnection
    private var pointer: OpaquePointer?
    /// Whether a row's value has changed.
    package private(set) var hasWritten = false

    package init(
        _ connection: LocalConnection, schema: String, table: String, column: String, rowID: Int64, isWritable: Bool
    ) throws {
        self.connection = connection
        for name in [schema, table, column] where name.utf8.contains(0) {
            throw DatabaseError(
                resultCode: .SQLITE_ERROR, message: "the name \(name) contains a NUL character: remove it")
        }
        // SQLite would also open these for writing, because it checks writable_schema only in statements.
        guard !BuiltInNames.schemaTables.contains(where: table.isSameDatabaseName) else {
            throw DatabaseError(
                resultCode: .SQLITE_ERROR,
                message: "\(table) contains the schema, which can't be opened as a blob: read it in SQL, and change it "
                    + "with statements such as CREATE and DROP")
        }
        let database = try connection.openPointer()
        try connection.refuseInScope("open a blob handle")
        try connection.refuseRemotely("blob handles", "read and write whole values")
        try connection.checkBlobAccess(isWritable: isWritable)
        func open() -> CInt {
            sqlite3_blob_open(database, schema, table, column, rowID, isWritable ? 1 : 0, &pointer)
        }
        let code = connection.waitingForSharedCache(open(), open)
        guard code == SQLITE_OK else {
            let error = connection.error(code)
            _ = close()
            throw error
        }
    }

    deinit { _ = close() }

    /// The number of bytes; 0 if the blob is closed.
    package var count: Int { pointer.map { Int(sqlite3_blob_bytes($0)) } ?? 0 }

    package func reopen(rowID: Int64) throws { try connection.checkBlob(sqlite3_blob_reopen(openPointer(), rowID)) }

    package func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws {
        let pointer = try openPointer()
        try check(offset, bytes.count)
        guard let start = bytes.baseAddress else { return }
        try connection.checkBlob(sqlite3_blob_read(pointer, start, CInt(bytes.count), CInt(offset)))
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        let pointer = try openPointer()
        try check(offset, bytes.count)
        guard let start = bytes.baseAddress else { return }
        hasWritten = true
        try connection.checkBlob(sqlite3_blob_write(pointer, start, CInt(bytes.count), CInt(offset)))
    }

    /// Closes the blob. Outside a transaction, this commits its changes.
    package func finish() throws {
        let code = close()
        let error: (any Error)? = code == SQLITE_OK ? nil : connection.commitRefusal ?? connection.error(code)
        connection.commitRefusal = nil
        if connection.isWatched { connection.notifyTransactionEnd() }
        if let error { throw error }
    }

    private func close() -> CInt {
        guard let pointer else { return SQLITE_OK }
        self.pointer = nil
        return sqlite3_blob_close(pointer)
    }

    private func openPointer() throws -> OpaquePointer {
        guard let pointer else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the blob is closed: use it inside the closure of withBlob")
        }
        _ = try connection.openPointer()
        return pointer
    }

    /// - Throws: SQLITE_ERROR if the bytes are outside the blob.
    package func check(_ offset: Int, _ length: Int) throws {
        let (end, overflow) = offset.addingReportingOverflow(length)
        guard offset >= 0, !overflow, end <= count else {
            throw DatabaseError(
                resultCode: .SQLITE_ERROR,
                message: "the blob has \(count) bytes: it has no \(length) bytes at offset \(offset)")
        }
    }
}

extension LocalConnection {
    /// - Throws: SQLITE_READONLY for a write in a read access; `CancellationError` in a cancelled access; SQLITE_ABORT
    ///   while the connection is suspended.
    fileprivate func checkBlobAccess(isWritable: Bool) throws {
        if mustStop { throw CancellationError() }
        if isSuspended.load(ordering: .relaxed) { throw DatabaseError.suspended() }
        guard isWritable, readOnlyDepth > 0 else { return }
        throw DatabaseError(resultCode: .SQLITE_READONLY, message: "attempt to write a readonly database")
            .with(hint: "this access only reads: use `write`")
    }

    fileprivate func checkBlob(_ code: CInt) throws {
        guard code == SQLITE_ABORT else { return try check(code) }
        throw DatabaseError(
            resultCode: .SQLITE_ABORT,
            message:
                "the row of the blob was changed or deleted, or the transaction was rolled back: open the blob again")
    }
}
