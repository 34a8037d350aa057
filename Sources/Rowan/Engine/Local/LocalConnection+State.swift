// What SQLite tells of a connection, and what it is told to do as a whole. A closed connection has nothing to tell.

import CSQLite

extension LocalConnection {
    // MARK: What it tells

    package static var libraryVersion: CInt { sqlite3_libversion_number() }

    package var lastInsertedRowID: Int64 { pointer.map { sqlite3_last_insert_rowid($0) } ?? 0 }
    package var changesCount: Int { pointer.map { Int(sqlite3_changes64($0)) } ?? 0 }
    package var totalChangesCount: Int { pointer.map { Int(sqlite3_total_changes64($0)) } ?? 0 }
    package var lastErrorCode: CInt { pointer.map { sqlite3_errcode($0) } ?? SQLITE_MISUSE }
    package var lastErrorMessage: String? { pointer.map { String(cString: sqlite3_errmsg($0)) } }

    /// A limit of the connection. <https://sqlite.org/c3ref/c_limit_attached.html>
    package enum Limit: Sendable {
        /// The arguments of a statement.
        case arguments
        /// The bytes of an SQL text.
        case sqlLength
    }

    package func limit(_ limit: Limit) -> Int {
        let id =
            switch limit {
            case .arguments: SQLITE_LIMIT_VARIABLE_NUMBER
            case .sqlLength: SQLITE_LIMIT_SQL_LENGTH
            }
        return pointer.map { Int(sqlite3_limit($0, id, -1)) } ?? 0
    }

    // MARK: What it does

    /// An option of the connection. <https://sqlite.org/c3ref/c_dbconfig_defensive.html>
    package enum Option: Sendable {
        case foreignKeys
        case doubleQuotedStringsInQueries
        case doubleQuotedStringsInDefinitions
        /// VACUUM empties the database.
        case resetDatabase
    }

    package func set(_ option: Option, _ isOn: Bool) throws {
        let id =
            switch option {
            case .foreignKeys: SQLITE_DBCONFIG_ENABLE_FKEY
            case .doubleQuotedStringsInQueries: SQLITE_DBCONFIG_DQS_DML
            case .doubleQuotedStringsInDefinitions: SQLITE_DBCONFIG_DQS_DDL
            case .resetDatabase: SQLITE_DBCONFIG_RESET_DATABASE
            }
        try check(rowan_db_config(openPointer(), id, isOn ? 1 : 0))
    }

    /// Finalizes the statements that nobody uses.
    package func forgetCachedStatements() {
        statements.removeAll()
        userStatements.removeAll()
    }

    package typealias ErrorLog = @Sendable (ResultCode, String) -> Void

    private static let currentErrorLog = Mutex<ErrorLog?>(nil)

    /// The log of SQLite's errors, in the whole process. <https://sqlite.org/errlog.html>
    package static var errorLog: ErrorLog? {
        get { currentErrorLog.withLock { $0 } }
        set {
            currentErrorLog.withLock { $0 = newValue }
            // Once a connection has opened, SQLite keeps the function that it has.
            _ = rowan_config_log { _, code, message in
                LocalConnection.errorLog?(ResultCode(rawValue: code), message.map { String(cString: $0) } ?? "")
            }
        }
    }

    /// Gives back SQLite's page cache.
    package func releasePageCache() {
        if let pointer { sqlite3_db_release_memory(pointer) }
    }

    /// Copies frames of the log into the file. <https://sqlite.org/c3ref/wal_checkpoint_v2.html>
    package func checkpoint(_ mode: CInt, on schema: String?) throws -> (frames: Int, checkpointed: Int) {
        var frameCount: CInt = -1
        var doneCount: CInt = -1
        try check(sqlite3_wal_checkpoint_v2(openPointer(), schema, mode, &frameCount, &doneCount))
        return (Int(frameCount), Int(doneCount))
    }

    /// Interrupts the running statements of a connection, from any thread. The caller sees to it that it stays open.
    package static func interrupt(_ pointer: SQLiteConnection) { sqlite3_interrupt(pointer) }
}

extension LocalConnection {
    /// A backup that is going on. <https://sqlite.org/backup.html>
    package final class Backup {
        private var backup: OpaquePointer?
        private let destination: LocalConnection

        package init(from source: LocalConnection, to destination: LocalConnection) throws {
            let pointer = try destination.openPointer()
            guard let backup = sqlite3_backup_init(pointer, "main", try source.openPointer(), "main") else {
                throw destination.error(sqlite3_errcode(pointer))
            }
            self.backup = backup
            self.destination = destination
        }

        deinit { sqlite3_backup_finish(backup) }

        package var remainingPageCount: Int { Int(sqlite3_backup_remaining(backup)) }
        package var totalPageCount: Int { Int(sqlite3_backup_pagecount(backup)) }

        /// Copies some pages, all of them for a negative number.
        ///
        /// - Returns: whether all are copied.
        package func step(_ pageCount: CInt) throws -> Bool {
            let code = sqlite3_backup_step(backup, pageCount)
            guard code == SQLITE_OK || code == SQLITE_DONE else {
                // The code of the step, and not that of the end.
                let error = destination.error(code)
                _ = end()
                throw error
            }
            return code == SQLITE_DONE
        }

        package func finish() throws { try destination.check(end()) }

        private func end() -> CInt {
            defer { backup = nil }
            return sqlite3_backup_finish(backup)
        }
    }
}

/// What a trace tells of a statement. <https://sqlite.org/c3ref/c_trace.html>
package enum StatementTrace {
    package static let starts = SQLITE_TRACE_STMT
    package static let ends = SQLITE_TRACE_PROFILE

    /// The SQL, with its parameters.
    package static func sql(_ statement: OpaquePointer) -> String {
        sqlite3_sql(statement).map { String(cString: $0) } ?? ""
    }

    /// The SQL, with the arguments as literals.
    package static func expandedSQL(_ statement: OpaquePointer) -> String {
        guard let text = sqlite3_expanded_sql(statement) else { return "" }
        defer { sqlite3_free(text) }
        return String(cString: text)
    }
}
