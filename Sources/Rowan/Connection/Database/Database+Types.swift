// The small types of a connection: kinds of transactions, conflict resolutions, column types…

public import RowanPlatform

extension Database {
    /// A closure called with the number of attempts so far when a lock is unavailable. Returning true retries.
    public typealias BusyCallback = @Sendable (_ numberOfTries: Int) -> Bool

    /// The behavior when another connection holds a lock. <https://sqlite.org/rescode.html#busy>
    public enum BusyMode: Sendable {
        /// Throws SQLITE_BUSY immediately.
        case immediateError
        /// Retries until a timeout, in seconds.
        case timeout(TimeInterval)
        /// Calls a closure, which decides whether to retry.
        case callback(BusyCallback)
    }

    /// The extent of a checkpoint. <https://sqlite.org/c3ref/wal_checkpoint_v2.html>
    public enum CheckpointMode: CInt, Sendable {
        /// Does not block any reader or writer.
        case passive = 0
        /// Waits until no writer is active and all readers use the latest state.
        case full = 1
        /// Like `full`, but also makes the next writer restart the WAL file from its beginning.
        case restart = 2
        /// Like `restart`, but also truncates the WAL file.
        case truncate = 3
    }

    /// The name of a collation.
    public struct CollationName: RawRepresentable, Hashable, Sendable {
        /// The name of the collation.
        public let rawValue: String
        /// Creates a collation name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Compares bytes.
        public static let binary = CollationName(rawValue: "BINARY")
        /// Ignores the case of ASCII letters.
        public static let nocase = CollationName(rawValue: "NOCASE")
        /// Ignores trailing spaces.
        public static let rtrim = CollationName(rawValue: "RTRIM")
    }

    /// The declared type of a column. <https://sqlite.org/datatype3.html>
    public struct ColumnType: RawRepresentable, Hashable, Sendable {
        /// The SQL of the type.
        public let rawValue: String
        /// Creates a column type from its SQL.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A text: `TEXT`.
        public static let text = ColumnType(rawValue: "TEXT")
        /// An integer: `INTEGER`.
        public static let integer = ColumnType(rawValue: "INTEGER")
        /// A floating-point number: `DOUBLE`.
        public static let double = ColumnType(rawValue: "DOUBLE")
        /// A floating-point number: `REAL`.
        public static let real = ColumnType(rawValue: "REAL")
        /// A number, integer or floating-point: `NUMERIC`.
        public static let numeric = ColumnType(rawValue: "NUMERIC")
        /// A Boolean, stored as 0 or 1: `BOOLEAN`.
        public static let boolean = ColumnType(rawValue: "BOOLEAN")
        /// A blob: `BLOB`.
        public static let blob = ColumnType(rawValue: "BLOB")
        /// A date: `DATE`.
        public static let date = ColumnType(rawValue: "DATE")
        /// A date with a time: `DATETIME`.
        public static let datetime = ColumnType(rawValue: "DATETIME")
        /// Any value; in a strict table, without conversion: `ANY`.
        public static let any = ColumnType(rawValue: "ANY")
        /// JSON as text: `TEXT`.
        public static let jsonText = ColumnType(rawValue: "TEXT")
        /// JSON in SQLite's binary format: `BLOB`.
        public static let jsonb = ColumnType(rawValue: "BLOB")
    }

    /// The handling of a constraint violation. <https://sqlite.org/lang_conflict.html>
    public enum ConflictResolution: String, Sendable {
        /// Fails and rolls back the transaction.
        case rollback = "ROLLBACK"
        /// Fails and undoes the statement's changes.
        case abort = "ABORT"
        /// Fails and keeps the statement's previous changes.
        case fail = "FAIL"
        /// Skips the row and continues.
        case ignore = "IGNORE"
        /// Deletes the conflicting rows and continues.
        case replace = "REPLACE"
    }

    /// The action on a row when the referenced row is deleted or updated. <https://sqlite.org/foreignkeys.html>
    public enum ForeignKeyAction: String, Sendable {
        /// Deletes the row as well, or updates its foreign key.
        case cascade = "CASCADE"
        /// Rejects the change immediately.
        case restrict = "RESTRICT"
        /// Sets the foreign key to NULL.
        case setNull = "SET NULL"
        /// Sets the foreign key to its default value.
        case setDefault = "SET DEFAULT"
    }

    /// A storage class, for `CAST`. <https://sqlite.org/datatype3.html>
    public struct StorageClass: RawRepresentable, Hashable, Sendable {
        /// The SQL of the storage class.
        public let rawValue: String
        /// Creates a storage class from its SQL.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An integer: `INTEGER`.
        public static let integer = StorageClass(rawValue: "INTEGER")
        /// A floating-point number: `REAL`.
        public static let real = StorageClass(rawValue: "REAL")
        /// A text: `TEXT`.
        public static let text = StorageClass(rawValue: "TEXT")
        /// A blob: `BLOB`.
        public static let blob = StorageClass(rawValue: "BLOB")
    }

    /// The time at which a transaction takes its locks. <https://sqlite.org/lang_transaction.html>
    public enum TransactionKind: String, Sendable {
        /// Takes locks on demand.
        case deferred = "DEFERRED"
        /// Takes the write lock immediately.
        case immediate = "IMMEDIATE"
        /// Takes the write lock immediately and excludes readers unless the database is in WAL mode.
        case exclusive = "EXCLUSIVE"
    }

    /// The completion of a transaction.
    @frozen
    public enum TransactionCompletion: Sendable {
        /// Commits the transaction.
        case commit
        /// Rolls back the transaction.
        case rollback
    }
}

/// `CAST(expression AS REAL)`
public func cast(_ expression: some SQLSpecificExpressible, as storageClass: Database.StorageClass) -> SQLExpression {
    SQLExpression(.cast(expression.sqlExpression, storageClass.rawValue))
}

extension SQLSpecificExpressible {
    /// The expression with a collation: `name COLLATE NOCASE`.
    public func collating(_ collation: Database.CollationName) -> SQLExpression {
        sqlExpression.collated(collation.rawValue)
    }
}

extension SQLInterpolation {
    /// Embeds the name of a collation: `... ORDER BY email COLLATE \(.nocase)`.
    public mutating func appendInterpolation(_ collation: Database.CollationName) {
        appendInterpolation(sql: collation.rawValue.quotedCollationName)
    }
}
