// The C API of FTS5, for programs that call it.

public import RowanSQLite

extension FTS5 {
    /// The C API of FTS5 on a connection, to add auxiliary functions and tokenizers in C.
    /// <https://sqlite.org/fts5.html#extending_fts5>
    ///
    /// The pointer is valid until the connection closes.
    ///
    /// - Precondition: the connection is open, and SQLite was built with FTS5.
    public static func api(_ db: Database) -> UnsafePointer<fts5_api> {
        do { return UnsafePointer(try db.connection.fts5API()) } catch { fatalError("FTS5 is not available: \(error)") }
    }
}
