// The names of SQLite's result codes, declared once for ResultCode and for DatabaseError:
// `error.resultCode == .SQLITE_BUSY` and `catch DatabaseError.SQLITE_BUSY` use the same list.
// Source: https://sqlite.org/rescode.html

/// The namespace of SQLite's result codes.
public protocol SQLiteResultCodes {}

extension ResultCode: SQLiteResultCodes {}
extension DatabaseError: SQLiteResultCodes {}

// The primary result codes.
extension SQLiteResultCodes {
    /// Success.
    public static var SQLITE_OK: ResultCode { ResultCode(rawValue: 0) }
    /// A generic error, such as an SQL syntax error.
    public static var SQLITE_ERROR: ResultCode { ResultCode(rawValue: 1) }
    /// An internal malfunction of SQLite.
    public static var SQLITE_INTERNAL: ResultCode { ResultCode(rawValue: 2) }
    /// The requested access mode of a new file could not be provided.
    public static var SQLITE_PERM: ResultCode { ResultCode(rawValue: 3) }
    /// An operation was aborted before it finished.
    public static var SQLITE_ABORT: ResultCode { ResultCode(rawValue: 4) }
    /// Another connection holds a lock on the database file.
    public static var SQLITE_BUSY: ResultCode { ResultCode(rawValue: 5) }
    /// A conflict within the same connection, or with one that shares its cache.
    public static var SQLITE_LOCKED: ResultCode { ResultCode(rawValue: 6) }
    /// SQLite could not allocate memory.
    public static var SQLITE_NOMEM: ResultCode { ResultCode(rawValue: 7) }
    /// A write to a read-only database or connection.
    public static var SQLITE_READONLY: ResultCode { ResultCode(rawValue: 8) }
    /// The operation was interrupted.
    public static var SQLITE_INTERRUPT: ResultCode { ResultCode(rawValue: 9) }
    /// The operating system reported an input or output error.
    public static var SQLITE_IOERR: ResultCode { ResultCode(rawValue: 10) }
    /// The database file is corrupted.
    public static var SQLITE_CORRUPT: ResultCode { ResultCode(rawValue: 11) }
    /// Used for an unknown opcode of `sqlite3_file_control`, for example.
    public static var SQLITE_NOTFOUND: ResultCode { ResultCode(rawValue: 12) }
    /// The disk or the database is full.
    public static var SQLITE_FULL: ResultCode { ResultCode(rawValue: 13) }
    /// A file could not be opened.
    public static var SQLITE_CANTOPEN: ResultCode { ResultCode(rawValue: 14) }
    /// A problem with the file locking protocol of WAL mode.
    public static var SQLITE_PROTOCOL: ResultCode { ResultCode(rawValue: 15) }
    /// Not used by SQLite.
    public static var SQLITE_EMPTY: ResultCode { ResultCode(rawValue: 16) }
    /// The database schema has changed.
    public static var SQLITE_SCHEMA: ResultCode { ResultCode(rawValue: 17) }
    /// A text or a blob is too large.
    public static var SQLITE_TOOBIG: ResultCode { ResultCode(rawValue: 18) }
    /// A constraint is violated.
    public static var SQLITE_CONSTRAINT: ResultCode { ResultCode(rawValue: 19) }
    /// A value has the wrong type, such as a text used as a rowid.
    public static var SQLITE_MISMATCH: ResultCode { ResultCode(rawValue: 20) }
    /// An API is used in an undefined or unsupported way.
    public static var SQLITE_MISUSE: ResultCode { ResultCode(rawValue: 21) }
    /// The system does not support large files.
    public static var SQLITE_NOLFS: ResultCode { ResultCode(rawValue: 22) }
    /// The authorizer rejected a statement.
    public static var SQLITE_AUTH: ResultCode { ResultCode(rawValue: 23) }
    /// Not used by SQLite.
    public static var SQLITE_FORMAT: ResultCode { ResultCode(rawValue: 24) }
    /// The index of a parameter or a column is out of range.
    public static var SQLITE_RANGE: ResultCode { ResultCode(rawValue: 25) }
    /// The file is not a database or is encrypted.
    public static var SQLITE_NOTADB: ResultCode { ResultCode(rawValue: 26) }
    /// A notice in the error log.
    public static var SQLITE_NOTICE: ResultCode { ResultCode(rawValue: 27) }
    /// A warning in the error log.
    public static var SQLITE_WARNING: ResultCode { ResultCode(rawValue: 28) }
    /// A step has produced a row.
    public static var SQLITE_ROW: ResultCode { ResultCode(rawValue: 100) }
    /// A statement has run to completion.
    public static var SQLITE_DONE: ResultCode { ResultCode(rawValue: 101) }
}

// The extended result codes: the primary code in the lowest byte, the details above it.
extension SQLiteResultCodes {
    /// An extension stays loaded after its connection closes.
    public static var SQLITE_OK_LOAD_PERMANENTLY: ResultCode { ResultCode(rawValue: 0 | 1 << 8) }
    /// Internal to SQLite: a path contains a symbolic link.
    public static var SQLITE_OK_SYMLINK: ResultCode { ResultCode(rawValue: 0 | 2 << 8) }
    /// A collation is missing.
    public static var SQLITE_ERROR_MISSING_COLLSEQ: ResultCode { ResultCode(rawValue: 1 | 1 << 8) }
    /// Internal to SQLite: the statement must be prepared again.
    public static var SQLITE_ERROR_RETRY: ResultCode { ResultCode(rawValue: 1 | 2 << 8) }
    /// A snapshot is no longer available.
    public static var SQLITE_ERROR_SNAPSHOT: ResultCode { ResultCode(rawValue: 1 | 3 << 8) }
    /// The transaction of a running statement was rolled back.
    public static var SQLITE_ABORT_ROLLBACK: ResultCode { ResultCode(rawValue: 4 | 2 << 8) }
    /// Another process is recovering a WAL file.
    public static var SQLITE_BUSY_RECOVERY: ResultCode { ResultCode(rawValue: 5 | 1 << 8) }
    /// A read transaction can't become a write transaction: another connection has written since it began.
    public static var SQLITE_BUSY_SNAPSHOT: ResultCode { ResultCode(rawValue: 5 | 2 << 8) }
    /// A blocking lock timed out.
    public static var SQLITE_BUSY_TIMEOUT: ResultCode { ResultCode(rawValue: 5 | 3 << 8) }
    /// A connection that shares the cache holds a lock.
    public static var SQLITE_LOCKED_SHAREDCACHE: ResultCode { ResultCode(rawValue: 6 | 1 << 8) }
    /// A virtual table is locked.
    public static var SQLITE_LOCKED_VTAB: ResultCode { ResultCode(rawValue: 6 | 2 << 8) }
    /// A WAL file needs a recovery, which needs write access.
    public static var SQLITE_READONLY_RECOVERY: ResultCode { ResultCode(rawValue: 8 | 1 << 8) }
    /// A WAL database can't be locked because its shared memory file is read-only.
    public static var SQLITE_READONLY_CANTLOCK: ResultCode { ResultCode(rawValue: 8 | 2 << 8) }
    /// A hot journal must be rolled back, which needs write access.
    public static var SQLITE_READONLY_ROLLBACK: ResultCode { ResultCode(rawValue: 8 | 3 << 8) }
    /// The database file was moved or deleted after the connection opened.
    public static var SQLITE_READONLY_DBMOVED: ResultCode { ResultCode(rawValue: 8 | 4 << 8) }
    /// The shared memory of a WAL database can't be initialized.
    public static var SQLITE_READONLY_CANTINIT: ResultCode { ResultCode(rawValue: 8 | 5 << 8) }
    /// The directory does not allow the creation of a journal file.
    public static var SQLITE_READONLY_DIRECTORY: ResultCode { ResultCode(rawValue: 8 | 6 << 8) }
    /// A read of a file failed.
    public static var SQLITE_IOERR_READ: ResultCode { ResultCode(rawValue: 10 | 1 << 8) }
    /// A read returned fewer bytes than requested.
    public static var SQLITE_IOERR_SHORT_READ: ResultCode { ResultCode(rawValue: 10 | 2 << 8) }
    /// A write to a file failed.
    public static var SQLITE_IOERR_WRITE: ResultCode { ResultCode(rawValue: 10 | 3 << 8) }
    /// A file could not be flushed to the disk.
    public static var SQLITE_IOERR_FSYNC: ResultCode { ResultCode(rawValue: 10 | 4 << 8) }
    /// A directory could not be flushed to the disk.
    public static var SQLITE_IOERR_DIR_FSYNC: ResultCode { ResultCode(rawValue: 10 | 5 << 8) }
    /// A file could not be truncated.
    public static var SQLITE_IOERR_TRUNCATE: ResultCode { ResultCode(rawValue: 10 | 6 << 8) }
    /// The metadata of a file could not be read.
    public static var SQLITE_IOERR_FSTAT: ResultCode { ResultCode(rawValue: 10 | 7 << 8) }
    /// A file could not be unlocked.
    public static var SQLITE_IOERR_UNLOCK: ResultCode { ResultCode(rawValue: 10 | 8 << 8) }
    /// A read lock could not be obtained.
    public static var SQLITE_IOERR_RDLOCK: ResultCode { ResultCode(rawValue: 10 | 9 << 8) }
    /// A file could not be deleted.
    public static var SQLITE_IOERR_DELETE: ResultCode { ResultCode(rawValue: 10 | 10 << 8) }
    /// No longer used by SQLite.
    public static var SQLITE_IOERR_BLOCKED: ResultCode { ResultCode(rawValue: 10 | 11 << 8) }
    /// The operating system ran out of memory.
    public static var SQLITE_IOERR_NOMEM: ResultCode { ResultCode(rawValue: 10 | 12 << 8) }
    /// The access permissions of a file could not be checked.
    public static var SQLITE_IOERR_ACCESS: ResultCode { ResultCode(rawValue: 10 | 13 << 8) }
    /// A reserved lock could not be checked.
    public static var SQLITE_IOERR_CHECKRESERVEDLOCK: ResultCode { ResultCode(rawValue: 10 | 14 << 8) }
    /// A file could not be locked.
    public static var SQLITE_IOERR_LOCK: ResultCode { ResultCode(rawValue: 10 | 15 << 8) }
    /// A file could not be closed.
    public static var SQLITE_IOERR_CLOSE: ResultCode { ResultCode(rawValue: 10 | 16 << 8) }
    /// No longer used by SQLite.
    public static var SQLITE_IOERR_DIR_CLOSE: ResultCode { ResultCode(rawValue: 10 | 17 << 8) }
    /// A shared memory segment could not be opened.
    public static var SQLITE_IOERR_SHMOPEN: ResultCode { ResultCode(rawValue: 10 | 18 << 8) }
    /// A shared memory segment could not be resized.
    public static var SQLITE_IOERR_SHMSIZE: ResultCode { ResultCode(rawValue: 10 | 19 << 8) }
    /// No longer used by SQLite.
    public static var SQLITE_IOERR_SHMLOCK: ResultCode { ResultCode(rawValue: 10 | 20 << 8) }
    /// A shared memory segment could not be mapped.
    public static var SQLITE_IOERR_SHMMAP: ResultCode { ResultCode(rawValue: 10 | 21 << 8) }
    /// A position in a file could not be reached.
    public static var SQLITE_IOERR_SEEK: ResultCode { ResultCode(rawValue: 10 | 22 << 8) }
    /// A file to delete does not exist.
    public static var SQLITE_IOERR_DELETE_NOENT: ResultCode { ResultCode(rawValue: 10 | 23 << 8) }
    /// A file could not be mapped into memory.
    public static var SQLITE_IOERR_MMAP: ResultCode { ResultCode(rawValue: 10 | 24 << 8) }
    /// The directory of temporary files could not be determined.
    public static var SQLITE_IOERR_GETTEMPPATH: ResultCode { ResultCode(rawValue: 10 | 25 << 8) }
    /// A path could not be converted.
    public static var SQLITE_IOERR_CONVPATH: ResultCode { ResultCode(rawValue: 10 | 26 << 8) }
    /// Reserved for extensions.
    public static var SQLITE_IOERR_VNODE: ResultCode { ResultCode(rawValue: 10 | 27 << 8) }
    /// Reserved for extensions.
    public static var SQLITE_IOERR_AUTH: ResultCode { ResultCode(rawValue: 10 | 28 << 8) }
    /// An atomic batch of writes could not begin.
    public static var SQLITE_IOERR_BEGIN_ATOMIC: ResultCode { ResultCode(rawValue: 10 | 29 << 8) }
    /// An atomic batch of writes could not be committed.
    public static var SQLITE_IOERR_COMMIT_ATOMIC: ResultCode { ResultCode(rawValue: 10 | 30 << 8) }
    /// An atomic batch of writes could not be rolled back.
    public static var SQLITE_IOERR_ROLLBACK_ATOMIC: ResultCode { ResultCode(rawValue: 10 | 31 << 8) }
    /// The checksum of a page is wrong.
    public static var SQLITE_IOERR_DATA: ResultCode { ResultCode(rawValue: 10 | 32 << 8) }
    /// The file system is corrupted.
    public static var SQLITE_IOERR_CORRUPTFS: ResultCode { ResultCode(rawValue: 10 | 33 << 8) }
    /// The content of a virtual table is corrupted.
    public static var SQLITE_CORRUPT_VTAB: ResultCode { ResultCode(rawValue: 11 | 1 << 8) }
    /// The `sqlite_sequence` table is corrupted.
    public static var SQLITE_CORRUPT_SEQUENCE: ResultCode { ResultCode(rawValue: 11 | 2 << 8) }
    /// An index entry is missing.
    public static var SQLITE_CORRUPT_INDEX: ResultCode { ResultCode(rawValue: 11 | 3 << 8) }
    /// No longer used by SQLite.
    public static var SQLITE_CANTOPEN_NOTEMPDIR: ResultCode { ResultCode(rawValue: 14 | 1 << 8) }
    /// The file is a directory.
    public static var SQLITE_CANTOPEN_ISDIR: ResultCode { ResultCode(rawValue: 14 | 2 << 8) }
    /// A path could not be made absolute.
    public static var SQLITE_CANTOPEN_FULLPATH: ResultCode { ResultCode(rawValue: 14 | 3 << 8) }
    /// A path could not be converted.
    public static var SQLITE_CANTOPEN_CONVPATH: ResultCode { ResultCode(rawValue: 14 | 4 << 8) }
    /// Not used by SQLite.
    public static var SQLITE_CANTOPEN_DIRTYWAL: ResultCode { ResultCode(rawValue: 14 | 5 << 8) }
    /// A symbolic link is rejected.
    public static var SQLITE_CANTOPEN_SYMLINK: ResultCode { ResultCode(rawValue: 14 | 6 << 8) }
    /// A `CHECK` constraint is violated.
    public static var SQLITE_CONSTRAINT_CHECK: ResultCode { ResultCode(rawValue: 19 | 1 << 8) }
    /// A commit hook turned a commit into a rollback.
    public static var SQLITE_CONSTRAINT_COMMITHOOK: ResultCode { ResultCode(rawValue: 19 | 2 << 8) }
    /// A foreign key constraint is violated.
    public static var SQLITE_CONSTRAINT_FOREIGNKEY: ResultCode { ResultCode(rawValue: 19 | 3 << 8) }
    /// An extension reports a violated constraint.
    public static var SQLITE_CONSTRAINT_FUNCTION: ResultCode { ResultCode(rawValue: 19 | 4 << 8) }
    /// A `NOT NULL` constraint is violated.
    public static var SQLITE_CONSTRAINT_NOTNULL: ResultCode { ResultCode(rawValue: 19 | 5 << 8) }
    /// A `PRIMARY KEY` constraint is violated.
    public static var SQLITE_CONSTRAINT_PRIMARYKEY: ResultCode { ResultCode(rawValue: 19 | 6 << 8) }
    /// A trigger called `RAISE`.
    public static var SQLITE_CONSTRAINT_TRIGGER: ResultCode { ResultCode(rawValue: 19 | 7 << 8) }
    /// A `UNIQUE` constraint is violated.
    public static var SQLITE_CONSTRAINT_UNIQUE: ResultCode { ResultCode(rawValue: 19 | 8 << 8) }
    /// A virtual table reports a violated constraint.
    public static var SQLITE_CONSTRAINT_VTAB: ResultCode { ResultCode(rawValue: 19 | 9 << 8) }
    /// A rowid is not unique.
    public static var SQLITE_CONSTRAINT_ROWID: ResultCode { ResultCode(rawValue: 19 | 10 << 8) }
    /// A trigger of an update tries to delete the updated row.
    public static var SQLITE_CONSTRAINT_PINNED: ResultCode { ResultCode(rawValue: 19 | 11 << 8) }
    /// A value does not have the type that a `STRICT` table requires.
    public static var SQLITE_CONSTRAINT_DATATYPE: ResultCode { ResultCode(rawValue: 19 | 12 << 8) }
    /// An operation needs a logged-in user.
    public static var SQLITE_AUTH_USER: ResultCode { ResultCode(rawValue: 23 | 1 << 8) }
    /// A WAL file was recovered.
    public static var SQLITE_NOTICE_RECOVER_WAL: ResultCode { ResultCode(rawValue: 27 | 1 << 8) }
    /// A hot journal was rolled back.
    public static var SQLITE_NOTICE_RECOVER_ROLLBACK: ResultCode { ResultCode(rawValue: 27 | 2 << 8) }
    /// A statement uses an automatic index.
    public static var SQLITE_WARNING_AUTOINDEX: ResultCode { ResultCode(rawValue: 28 | 1 << 8) }
}
