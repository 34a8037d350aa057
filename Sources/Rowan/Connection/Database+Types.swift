// The small types that belong to a connection: kinds of transactions, conflict resolutions, column types...

public import Foundation

extension Database {
    /// Called when a lock can't be taken, with the number of tries so far; true tries again.
    public typealias BusyCallback = @Sendable (_ numberOfTries: Int) -> Bool

    /// What to do when another connection holds a lock. <https://sqlite.org/rescode.html#busy>
    public enum BusyMode: Sendable {
        /// SQLITE_BUSY is thrown at once.
        case immediateError
        /// Tries again for a while, in seconds.
        case timeout(TimeInterval)
        /// Asks the callback.
        case callback(BusyCallback)
    }

    /// How far a checkpoint goes. <https://sqlite.org/c3ref/wal_checkpoint_v2.html>
    public enum CheckpointMode: CInt, Sendable {
        /// Without blocking any reader or writer.
        case passive = 0
        /// Waits until there is no writer, and readers are at the end of the log.
        case full = 1
        /// As `full`, and the next writer starts the log anew.
        case restart = 2
        /// As `restart`, and truncates the log file.
        case truncate = 3
    }

    /// A collation by name.
    public struct CollationName: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
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
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let text = ColumnType(rawValue: "TEXT")
        public static let integer = ColumnType(rawValue: "INTEGER")
        public static let double = ColumnType(rawValue: "DOUBLE")
        public static let real = ColumnType(rawValue: "REAL")
        public static let numeric = ColumnType(rawValue: "NUMERIC")
        public static let boolean = ColumnType(rawValue: "BOOLEAN")
        public static let blob = ColumnType(rawValue: "BLOB")
        public static let date = ColumnType(rawValue: "DATE")
        public static let datetime = ColumnType(rawValue: "DATETIME")
        public static let any = ColumnType(rawValue: "ANY")
        public static let jsonText = ColumnType(rawValue: "TEXT")
        public static let jsonb = ColumnType(rawValue: "BLOB")
    }

    /// What to do when a constraint fails. <https://sqlite.org/lang_conflict.html>
    public enum ConflictResolution: String, Sendable {
        case rollback = "ROLLBACK"
        case abort = "ABORT"
        case fail = "FAIL"
        case ignore = "IGNORE"
        case replace = "REPLACE"
    }

    /// What happens to a row when the row it refers to is deleted or updated. <https://sqlite.org/foreignkeys.html>
    public enum ForeignKeyAction: String, Sendable {
        case cascade = "CASCADE"
        case restrict = "RESTRICT"
        case setNull = "SET NULL"
        case setDefault = "SET DEFAULT"
    }

    /// A storage class, for CAST. <https://sqlite.org/datatype3.html>
    public struct StorageClass: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let integer = StorageClass(rawValue: "INTEGER")
        public static let real = StorageClass(rawValue: "REAL")
        public static let text = StorageClass(rawValue: "TEXT")
        public static let blob = StorageClass(rawValue: "BLOB")
    }

    /// When a transaction takes its locks. <https://sqlite.org/lang_transaction.html>
    public enum TransactionKind: String, Sendable {
        /// When they are needed.
        case deferred = "DEFERRED"
        /// The write lock at once.
        case immediate = "IMMEDIATE"
        /// The write lock at once, without any reader (but in WAL mode).
        case exclusive = "EXCLUSIVE"
    }

    /// How a transaction ends.
    @frozen
    public enum TransactionCompletion: Sendable {
        case commit
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
    /// `... ORDER BY email COLLATE \(.nocase)`
    public mutating func appendInterpolation(_ collation: Database.CollationName) {
        appendInterpolation(sql: collation.rawValue)
    }
}
