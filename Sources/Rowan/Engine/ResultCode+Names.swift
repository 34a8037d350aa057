// The names of SQLite's result codes, declared once for ResultCode and for DatabaseError:
// `error.resultCode == .SQLITE_BUSY` and `catch DatabaseError.SQLITE_BUSY` read the same list.
// Source: https://sqlite.org/rescode.html

/// The namespace of SQLite's result codes.
public protocol SQLiteResultCodes {}

extension ResultCode: SQLiteResultCodes {}
extension DatabaseError: SQLiteResultCodes {}

// The primary result codes.
extension SQLiteResultCodes {
    public static var SQLITE_OK: ResultCode { ResultCode(rawValue: 0) }
    public static var SQLITE_ERROR: ResultCode { ResultCode(rawValue: 1) }
    public static var SQLITE_INTERNAL: ResultCode { ResultCode(rawValue: 2) }
    public static var SQLITE_PERM: ResultCode { ResultCode(rawValue: 3) }
    public static var SQLITE_ABORT: ResultCode { ResultCode(rawValue: 4) }
    public static var SQLITE_BUSY: ResultCode { ResultCode(rawValue: 5) }
    public static var SQLITE_LOCKED: ResultCode { ResultCode(rawValue: 6) }
    public static var SQLITE_NOMEM: ResultCode { ResultCode(rawValue: 7) }
    public static var SQLITE_READONLY: ResultCode { ResultCode(rawValue: 8) }
    public static var SQLITE_INTERRUPT: ResultCode { ResultCode(rawValue: 9) }
    public static var SQLITE_IOERR: ResultCode { ResultCode(rawValue: 10) }
    public static var SQLITE_CORRUPT: ResultCode { ResultCode(rawValue: 11) }
    public static var SQLITE_NOTFOUND: ResultCode { ResultCode(rawValue: 12) }
    public static var SQLITE_FULL: ResultCode { ResultCode(rawValue: 13) }
    public static var SQLITE_CANTOPEN: ResultCode { ResultCode(rawValue: 14) }
    public static var SQLITE_PROTOCOL: ResultCode { ResultCode(rawValue: 15) }
    public static var SQLITE_EMPTY: ResultCode { ResultCode(rawValue: 16) }
    public static var SQLITE_SCHEMA: ResultCode { ResultCode(rawValue: 17) }
    public static var SQLITE_TOOBIG: ResultCode { ResultCode(rawValue: 18) }
    public static var SQLITE_CONSTRAINT: ResultCode { ResultCode(rawValue: 19) }
    public static var SQLITE_MISMATCH: ResultCode { ResultCode(rawValue: 20) }
    public static var SQLITE_MISUSE: ResultCode { ResultCode(rawValue: 21) }
    public static var SQLITE_NOLFS: ResultCode { ResultCode(rawValue: 22) }
    public static var SQLITE_AUTH: ResultCode { ResultCode(rawValue: 23) }
    public static var SQLITE_FORMAT: ResultCode { ResultCode(rawValue: 24) }
    public static var SQLITE_RANGE: ResultCode { ResultCode(rawValue: 25) }
    public static var SQLITE_NOTADB: ResultCode { ResultCode(rawValue: 26) }
    public static var SQLITE_NOTICE: ResultCode { ResultCode(rawValue: 27) }
    public static var SQLITE_WARNING: ResultCode { ResultCode(rawValue: 28) }
    public static var SQLITE_ROW: ResultCode { ResultCode(rawValue: 100) }
    public static var SQLITE_DONE: ResultCode { ResultCode(rawValue: 101) }
}

// The extended result codes: the primary code in the lowest byte, the detail above it.
extension SQLiteResultCodes {
    public static var SQLITE_OK_LOAD_PERMANENTLY: ResultCode { ResultCode(rawValue: 0 | 1 << 8) }
    public static var SQLITE_OK_SYMLINK: ResultCode { ResultCode(rawValue: 0 | 2 << 8) }
    public static var SQLITE_ERROR_MISSING_COLLSEQ: ResultCode { ResultCode(rawValue: 1 | 1 << 8) }
    public static var SQLITE_ERROR_RETRY: ResultCode { ResultCode(rawValue: 1 | 2 << 8) }
    public static var SQLITE_ERROR_SNAPSHOT: ResultCode { ResultCode(rawValue: 1 | 3 << 8) }
    public static var SQLITE_ABORT_ROLLBACK: ResultCode { ResultCode(rawValue: 4 | 2 << 8) }
    public static var SQLITE_BUSY_RECOVERY: ResultCode { ResultCode(rawValue: 5 | 1 << 8) }
    public static var SQLITE_BUSY_SNAPSHOT: ResultCode { ResultCode(rawValue: 5 | 2 << 8) }
    public static var SQLITE_BUSY_TIMEOUT: ResultCode { ResultCode(rawValue: 5 | 3 << 8) }
    public static var SQLITE_LOCKED_SHAREDCACHE: ResultCode { ResultCode(rawValue: 6 | 1 << 8) }
    public static var SQLITE_LOCKED_VTAB: ResultCode { ResultCode(rawValue: 6 | 2 << 8) }
    public static var SQLITE_READONLY_RECOVERY: ResultCode { ResultCode(rawValue: 8 | 1 << 8) }
    public static var SQLITE_READONLY_CANTLOCK: ResultCode { ResultCode(rawValue: 8 | 2 << 8) }
    public static var SQLITE_READONLY_ROLLBACK: ResultCode { ResultCode(rawValue: 8 | 3 << 8) }
    public static var SQLITE_READONLY_DBMOVED: ResultCode { ResultCode(rawValue: 8 | 4 << 8) }
    public static var SQLITE_READONLY_CANTINIT: ResultCode { ResultCode(rawValue: 8 | 5 << 8) }
    public static var SQLITE_READONLY_DIRECTORY: ResultCode { ResultCode(rawValue: 8 | 6 << 8) }
    public static var SQLITE_IOERR_READ: ResultCode { ResultCode(rawValue: 10 | 1 << 8) }
    public static var SQLITE_IOERR_SHORT_READ: ResultCode { ResultCode(rawValue: 10 | 2 << 8) }
    public static var SQLITE_IOERR_WRITE: ResultCode { ResultCode(rawValue: 10 | 3 << 8) }
    public static var SQLITE_IOERR_FSYNC: ResultCode { ResultCode(rawValue: 10 | 4 << 8) }
    public static var SQLITE_IOERR_DIR_FSYNC: ResultCode { ResultCode(rawValue: 10 | 5 << 8) }
    public static var SQLITE_IOERR_TRUNCATE: ResultCode { ResultCode(rawValue: 10 | 6 << 8) }
    public static var SQLITE_IOERR_FSTAT: ResultCode { ResultCode(rawValue: 10 | 7 << 8) }
    public static var SQLITE_IOERR_UNLOCK: ResultCode { ResultCode(rawValue: 10 | 8 << 8) }
    public static var SQLITE_IOERR_RDLOCK: ResultCode { ResultCode(rawValue: 10 | 9 << 8) }
    public static var SQLITE_IOERR_DELETE: ResultCode { ResultCode(rawValue: 10 | 10 << 8) }
    public static var SQLITE_IOERR_BLOCKED: ResultCode { ResultCode(rawValue: 10 | 11 << 8) }
    public static var SQLITE_IOERR_NOMEM: ResultCode { ResultCode(rawValue: 10 | 12 << 8) }
    public static var SQLITE_IOERR_ACCESS: ResultCode { ResultCode(rawValue: 10 | 13 << 8) }
    public static var SQLITE_IOERR_CHECKRESERVEDLOCK: ResultCode { ResultCode(rawValue: 10 | 14 << 8) }
    public static var SQLITE_IOERR_LOCK: ResultCode { ResultCode(rawValue: 10 | 15 << 8) }
    public static var SQLITE_IOERR_CLOSE: ResultCode { ResultCode(rawValue: 10 | 16 << 8) }
    public static var SQLITE_IOERR_DIR_CLOSE: ResultCode { ResultCode(rawValue: 10 | 17 << 8) }
    public static var SQLITE_IOERR_SHMOPEN: ResultCode { ResultCode(rawValue: 10 | 18 << 8) }
    public static var SQLITE_IOERR_SHMSIZE: ResultCode { ResultCode(rawValue: 10 | 19 << 8) }
    public static var SQLITE_IOERR_SHMLOCK: ResultCode { ResultCode(rawValue: 10 | 20 << 8) }
    public static var SQLITE_IOERR_SHMMAP: ResultCode { ResultCode(rawValue: 10 | 21 << 8) }
    public static var SQLITE_IOERR_SEEK: ResultCode { ResultCode(rawValue: 10 | 22 << 8) }
    public static var SQLITE_IOERR_DELETE_NOENT: ResultCode { ResultCode(rawValue: 10 | 23 << 8) }
    public static var SQLITE_IOERR_MMAP: ResultCode { ResultCode(rawValue: 10 | 24 << 8) }
    public static var SQLITE_IOERR_GETTEMPPATH: ResultCode { ResultCode(rawValue: 10 | 25 << 8) }
    public static var SQLITE_IOERR_CONVPATH: ResultCode { ResultCode(rawValue: 10 | 26 << 8) }
    public static var SQLITE_IOERR_VNODE: ResultCode { ResultCode(rawValue: 10 | 27 << 8) }
    public static var SQLITE_IOERR_AUTH: ResultCode { ResultCode(rawValue: 10 | 28 << 8) }
    public static var SQLITE_IOERR_BEGIN_ATOMIC: ResultCode { ResultCode(rawValue: 10 | 29 << 8) }
    public static var SQLITE_IOERR_COMMIT_ATOMIC: ResultCode { ResultCode(rawValue: 10 | 30 << 8) }
    public static var SQLITE_IOERR_ROLLBACK_ATOMIC: ResultCode { ResultCode(rawValue: 10 | 31 << 8) }
    public static var SQLITE_IOERR_DATA: ResultCode { ResultCode(rawValue: 10 | 32 << 8) }
    public static var SQLITE_IOERR_CORRUPTFS: ResultCode { ResultCode(rawValue: 10 | 33 << 8) }
    public static var SQLITE_CORRUPT_VTAB: ResultCode { ResultCode(rawValue: 11 | 1 << 8) }
    public static var SQLITE_CORRUPT_SEQUENCE: ResultCode { ResultCode(rawValue: 11 | 2 << 8) }
    public static var SQLITE_CORRUPT_INDEX: ResultCode { ResultCode(rawValue: 11 | 3 << 8) }
    public static var SQLITE_CANTOPEN_NOTEMPDIR: ResultCode { ResultCode(rawValue: 14 | 1 << 8) }
    public static var SQLITE_CANTOPEN_ISDIR: ResultCode { ResultCode(rawValue: 14 | 2 << 8) }
    public static var SQLITE_CANTOPEN_FULLPATH: ResultCode { ResultCode(rawValue: 14 | 3 << 8) }
    public static var SQLITE_CANTOPEN_CONVPATH: ResultCode { ResultCode(rawValue: 14 | 4 << 8) }
    public static var SQLITE_CANTOPEN_DIRTYWAL: ResultCode { ResultCode(rawValue: 14 | 5 << 8) }
    public static var SQLITE_CANTOPEN_SYMLINK: ResultCode { ResultCode(rawValue: 14 | 6 << 8) }
    public static var SQLITE_CONSTRAINT_CHECK: ResultCode { ResultCode(rawValue: 19 | 1 << 8) }
    public static var SQLITE_CONSTRAINT_COMMITHOOK: ResultCode { ResultCode(rawValue: 19 | 2 << 8) }
    public static var SQLITE_CONSTRAINT_FOREIGNKEY: ResultCode { ResultCode(rawValue: 19 | 3 << 8) }
    public static var SQLITE_CONSTRAINT_FUNCTION: ResultCode { ResultCode(rawValue: 19 | 4 << 8) }
    public static var SQLITE_CONSTRAINT_NOTNULL: ResultCode { ResultCode(rawValue: 19 | 5 << 8) }
    public static var SQLITE_CONSTRAINT_PRIMARYKEY: ResultCode { ResultCode(rawValue: 19 | 6 << 8) }
    public static var SQLITE_CONSTRAINT_TRIGGER: ResultCode { ResultCode(rawValue: 19 | 7 << 8) }
    public static var SQLITE_CONSTRAINT_UNIQUE: ResultCode { ResultCode(rawValue: 19 | 8 << 8) }
    public static var SQLITE_CONSTRAINT_VTAB: ResultCode { ResultCode(rawValue: 19 | 9 << 8) }
    public static var SQLITE_CONSTRAINT_ROWID: ResultCode { ResultCode(rawValue: 19 | 10 << 8) }
    public static var SQLITE_CONSTRAINT_PINNED: ResultCode { ResultCode(rawValue: 19 | 11 << 8) }
    public static var SQLITE_CONSTRAINT_DATATYPE: ResultCode { ResultCode(rawValue: 19 | 12 << 8) }
    public static var SQLITE_AUTH_USER: ResultCode { ResultCode(rawValue: 23 | 1 << 8) }
    public static var SQLITE_NOTICE_RECOVER_WAL: ResultCode { ResultCode(rawValue: 27 | 1 << 8) }
    public static var SQLITE_NOTICE_RECOVER_ROLLBACK: ResultCode { ResultCode(rawValue: 27 | 2 << 8) }
    public static var SQLITE_WARNING_AUTOINDEX: ResultCode { ResultCode(rawValue: 28 | 1 << 8) }
}
