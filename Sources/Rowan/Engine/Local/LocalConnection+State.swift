// The state that SQLite reports for a connection, and operations on the whole connection. A closed connection reports
// nothing.

import RowanSQLite

extension LocalConnection {
    // MARK: State

    package static var libraryVersion: CInt { sqlite3_libversion_number() }
    package static var libraryVersionText: String { String(cString: sqlite3_libversion()) }

    package var lastInsertedRowID: Int64 {
        if let keptResult { return keptResult.rowID }
        if let remote { return remote.runner.lastInsertedRowID }
        return pointer.map { sqlite3_last_insert_rowid($0) } ?? 0
    }

    package var changesCount: Int {
        if let keptResult { return keptResult.changesCount }
        if let remote { return remote.runner.changesCount }
        return pointer.map { Int(sqlite3_changes64($0)) } ?? 0
    }

    /// Calls listeners. Their statements do not change what the connection reports of the statement before them, which
    /// its caller has not read yet.
    package func keepingResult(_ listeners: () -> Void) {
        let result = (rowID: lastInsertedRowID, changesCount: changesCount)
        listeners()
        if let pointer { sqlite3_set_last_insert_rowid(pointer, result.rowID) }
        keptResult = nil
        if (lastInsertedRowID, changesCount) != result { keptResult = result }
    }

    package var totalChangesCount: Int {
        if let remote { return remote.runner.totalChangesCount }
        return pointer.map { Int(sqlite3_total_changes64($0)) } ?? 0
    }

    /// The file of the main database; empty for an in-memory database. <https://sqlite.org/c3ref/db_filename.html>
    package var mainFileName: String? {
        pointer.flatMap { sqlite3_db_filename($0, "main") }.map { String(cString: $0) }
    }

    /// A number that increases when the connection changes rows or the schema.
    package var progress: Int { totalChangesCount &+ schemaEpoch }
    package var lastErrorCode: CInt { pointer.map { sqlite3_errcode($0) } ?? SQLITE_MISUSE }
    package var lastErrorMessage: String? { pointer.map { String(cString: sqlite3_errmsg($0)) } }

    /// The declared type of a column of a table, and its collation; nil for a view or a missing column.
    package func columnType(
        _ column: String, of table: String, in schema: String
    ) -> (declared: String, collation: String)? {
        var type: UnsafePointer<CChar>?
        var collation: UnsafePointer<CChar>?
        guard let pointer,
            sqlite3_table_column_metadata(pointer, schema, table, column, &type, &collation, nil, nil, nil) == SQLITE_OK
        else { return nil }
        return (type.map { String(cString: $0) } ?? "", collation.map { String(cString: $0) } ?? "BINARY")
    }

    /// A limit of the connection. <https://sqlite.org/c3ref/c_limit_attached.html>
    package enum Limit: Sendable {
        /// The number of arguments of a statement.
        case arguments
        /// The size of an SQL text, in bytes.
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

    // MARK: Running statements

    /// Whether SQLite is calling the program during a step.
    var isInStep: Bool { hooks.map { $0.callDepth > 0 } ?? false }

    /// Resets the running statements, which hold a snapshot of the database. Their cursors can't continue. Does nothing
    /// during a step, because SQLite would continue a statement that was reset.
    package func resetRunningStatements() {
        guard let pointer, !isInStep else { return }
        var statement = sqlite3_next_stmt(pointer, nil)
        while let current = statement {
            if sqlite3_stmt_busy(current) != 0 { sqlite3_reset(current) }
            statement = sqlite3_next_stmt(pointer, current)
        }
        let first = resetAccesses.upperBound == accessNumber ? resetAccesses.lowerBound : accessNumber
        accessNumber &+= 1
        resetAccesses = first..<accessNumber
    }

    /// Whether another statement is between its first and its last step.
    func hasRunningStatement(besides handle: SQLiteStatement) -> Bool {
        guard let pointer else { return false }
        var statement = sqlite3_next_stmt(pointer, nil)
        while let current = statement {
            if current != handle, sqlite3_stmt_busy(current) != 0 { return true }
            statement = sqlite3_next_stmt(pointer, current)
        }
        return false
    }

    /// Whether the access with this number is still running, but its statements have been reset.
    func hasOnlyReset(since number: Int) -> Bool {
        resetAccesses.contains(number) && resetAccesses.upperBound == accessNumber
    }

    // MARK: Operations

    /// An option of the connection. <https://sqlite.org/c3ref/c_dbconfig_defensive.html>
    package enum Option: Sendable {
        case foreignKeys
        case doubleQuotedStringsInQueries
        case doubleQuotedStringsInDefinitions
        /// Whether renaming a table leaves other definitions unchanged.
        case legacyRenaming
        case writableSchema
        /// Whether the C API can load libraries.
        case extensions
        /// Whether VACUUM empties the database.
        case resetDatabase
        case triggers
        /// Whether SQL can't write to the schema table, or to the tables behind virtual ones.
        case defensive
        /// Whether the schema may call functions, and read virtual tables, that are not declared as innocuous.
        case trustedSchema
        /// Whether SQL can define tokenizers of FTS3, by their address.
        case fts3Tokenizers
        /// Whether the last connection to close leaves the write-ahead log in place.
        case keepsLogWhenClosing

        fileprivate var id: CInt {
            switch self {
            case .foreignKeys: SQLITE_DBCONFIG_ENABLE_FKEY
            case .doubleQuotedStringsInQueries: SQLITE_DBCONFIG_DQS_DML
            case .doubleQuotedStringsInDefinitions: SQLITE_DBCONFIG_DQS_DDL
            case .legacyRenaming: SQLITE_DBCONFIG_LEGACY_ALTER_TABLE
            case .writableSchema: SQLITE_DBCONFIG_WRITABLE_SCHEMA
            case .extensions: SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION
            case .resetDatabase: SQLITE_DBCONFIG_RESET_DATABASE
            case .keepsLogWhenClosing: SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE
            case .triggers: SQLITE_DBCONFIG_ENABLE_TRIGGER
            case .defensive: SQLITE_DBCONFIG_DEFENSIVE
            case .trustedSchema: SQLITE_DBCONFIG_TRUSTED_SCHEMA
            case .fts3Tokenizers: SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER
            }
        }
    }

    package func set(_ option: Option, _ isOn: Bool) throws {
        try check(rowan_db_config(openPointer(), option.id, isOn ? 1 : 0))
        // Statements then have different actions.
        if option == .foreignKeys { schemaDidMove() }
    }

    package func isOn(_ option: Option) -> Bool { pointer.map { rowan_db_config_value($0, option.id) == 1 } ?? false }

    /// Runs the closure with another value of an option, then restores it. This uses C calls, because a pragma could be
    /// cancelled or interrupted.
    package func with<T>(_ option: Option, _ isOn: Bool, _ body: () throws -> T) throws -> T {
        let wasOn = self.isOn(option)
        try set(option, isOn)
        defer { restore(option, wasOn) }
        return try body()
    }

    /// Restores an option. Does nothing if the program has closed the connection.
    package func restore(_ option: Option, _ isOn: Bool) {
        // An option that could be changed can be changed back.
        if pointer != nil { try? set(option, isOn) }
    }

    /// Runs an operation that restores a state, even if the access is cancelled or interrupted: the interruption was
    /// meant for earlier statements.
    package func insisting<T>(_ body: () throws -> T) throws -> T {
        try shielded {
            // A program that keeps interrupting eventually gets its error.
            for _ in 0..<100 {
                do { return try body() } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
                    // SQLite interrupts all statements until the running ones have finished.
                    resetRunningStatements()
                }
            }
            return try body()
        }
    }

    package typealias ErrorLog = @Sendable (ResultCode, String) -> Void

    private static let currentErrorLog = Mutex<ErrorLog?>(nil)

    /// The process-wide log of SQLite errors. <https://sqlite.org/errlog.html>
    package static var errorLog: ErrorLog? {
        get { currentErrorLog.withLock { $0 } }
        set {
            currentErrorLog.withLock { $0 = newValue }
            // Once a connection has opened, SQLite keeps its current function.
            _ = rowan_config_log { _, code, message in
                let text = message.map { String(cString: $0) } ?? ""
                LocalConnection.errorLog?(
                    ResultCode(rawValue: code), DatabaseError.withoutValues(text, sql: nil, arguments: nil))
            }
        }
    }

    /// Releases SQLite's page cache.
    package func releasePageCache() {
        if let pointer { sqlite3_db_release_memory(pointer) }
    }

    /// The number of pages that the connection has written to files. It may be reset.
    package var writtenPageCount: Int {
        var (count, highest): (CInt, CInt) = (0, 0)
        guard let pointer else { return 0 }
        sqlite3_db_status(pointer, SQLITE_DBSTATUS_CACHE_WRITE, &count, &highest, 0)
        return Int(count)
    }

    /// Interrupts the running statements of a connection, from any thread. The caller guarantees that it stays open.
    package static func interrupt(_ pointer: SQLiteConnection) { sqlite3_interrupt(pointer) }
}

extension LocalConnection {
    /// A backup in progress. <https://sqlite.org/backup.html>
    package final class Backup {
        private var backup: OpaquePointer?
        private let destination: LocalConnection

        package init(from source: LocalConnection, to destination: LocalConnection) throws {
            let pointer = try destination.openPointer()
            for connection in [source, destination] {
                try connection.refuseInScope("copy the database")
                try connection.refuseRemotely(
                    "backups", "copy it with DatabaseCluster.dump(to:), or import rows with SQL")
            }
            guard let backup = sqlite3_backup_init(pointer, "main", try source.openPointer(), "main") else {
                throw destination.error(sqlite3_errcode(pointer))
            }
            self.backup = backup
            self.destination = destination
        }

        deinit { sqlite3_backup_finish(backup) }

        package var remainingPageCount: Int { Int(sqlite3_backup_remaining(backup)) }
        package var totalPageCount: Int { Int(sqlite3_backup_pagecount(backup)) }

        /// Copies some pages; a negative number copies all of them.
        ///
        /// - Returns: whether the backup is complete.
        package func step(_ pageCount: CInt) throws -> Bool {
            let code = sqlite3_backup_step(backup, pageCount)
            guard code == SQLITE_OK || code == SQLITE_DONE else {
                // The code of the step rather than that of the finish.
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

// MARK: - The schema

extension LocalConnection {
    /// Invalidates everything derived from the schema, which is derived again on demand.
    package func schemaDidMove() {
        lastEpoch &+= 1
        schemaEpoch = lastEpoch
    }

    /// Runs a request of the program that runs the statements elsewhere; nil if they run here.
    package func request<T>(_ body: (any StatementRunner) throws -> T) throws -> T? {
        do { return try remote?.request(body) } catch {
            // It may have ended the transaction: what follows must not run outside of it.
            noteTransaction()
            throw error
        }
    }

    /// Records that this connection has changed a schema or undone such a change.
    func ownSchemaDidMove() {
        schemaDidMove()
        noteSchemaVersions()
    }

    /// - Returns: whether the schema versions are unchanged. A version that SQLite can't report counts as changed.
    @discardableResult
    func noteSchemaVersions() -> Bool {
        // SQLite can't report versions after an I/O error or in a cancelled access: they count as changed.
        let versions = try? withoutScope { try unwatched(currentSchemaVersions) }
        defer { schemaVersions = versions }
        return versions != nil && versions == schemaVersions
    }

    /// Makes SQLite compare its schema with the file's schema, as it does at the start of each statement.
    package func checkSchema() throws {
        if let remote {
            try remote.refresh()
            return
        }
        try withoutScope { try unwatched { try run("SELECT 1 FROM sqlite_master LIMIT 1") } }
    }

    /// Whether another connection has changed a schema, checked after SQLite has recompiled a statement.
    func hasForeignSchemaChange() -> Bool { !noteSchemaVersions() }

    /// Invalidates the schema if another connection has committed a change to it.
    package func checkForeignCommits() {
        var version: UInt32 = 0
        guard sqlite3_file_control(pointer, "main", SQLITE_FCNTL_DATA_VERSION, &version) == SQLITE_OK,
            version != dataVersion
        else { return }
        dataVersion = version
        guard hasForeignSchemaChange() else { return }
        schemaDidMove()
        // Until a statement runs, SQLite compiles with its outdated schema, so profiles would miss new triggers.
        try? checkSchema()
    }

    /// A number that changes with each commit of any connection, as of the last transaction.
    package var lastDataVersion: UInt32? {
        var version: UInt32 = 0
        // The shadow's number never changes.
        guard remote == nil else { return nil }
        let code = sqlite3_file_control(pointer, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        return code == SQLITE_OK ? version : nil
    }

    /// Whether the schema has changed, by this connection or by another connection's commit.
    @usableFromInline
    package func hasMovedSchema(since epoch: Int) -> Bool {
        checkForeignCommits()
        return schemaEpoch != epoch
    }

    /// The versions of the main and attached schemas. No other connection can change the temporary schema.
    private func currentSchemaVersions() throws -> [Int64] {
        var versions: [Int64] = []
        for name in try schemaNames() {
            try withStatement("PRAGMA \(name.quotedDatabaseIdentifier).schema_version") { statement in
                try statement.start()
                if try statement.firstStep() { versions.append(sqlite3_column_int64(statement.handle, 0)) }
            }
        }
        return versions
    }
}
