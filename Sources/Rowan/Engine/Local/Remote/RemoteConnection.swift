// A connection whose rows are stored elsewhere. SQLite compiles each statement against a shadow: an in-memory database
// with the remote schema but without rows. Profiles, columns, parameters and schema queries therefore come from SQLite.
// A statement that reads or writes rows is then compiled a second time, as a query on RemoteModule that runs it
// remotely: code that reads its rows, binds its arguments and handles its errors works as for local statements.

import RowanSQLite

/// The remote part of a connection. An access uses it exclusively.
package final class RemoteConnection {
    package let runner: any StatementRunner
    private unowned let connection: LocalConnection
    let statements = RemoteStatements()
    /// The error of the running step.
    @exclusivity(unchecked) private var failure: (any Error)?
    /// Whether the shadow is following the remote database: its own hooks have nothing to report.
    @exclusivity(unchecked) package private(set) var isFollowing = false

    init(_ runner: any StatementRunner, _ connection: LocalConnection) {
        self.runner = runner
        self.connection = connection
    }

    /// The maximum number of retries after schema changes, the same as in SQLite (SQLITE_MAX_SCHEMA_RETRY).
    private static let schemaRetryCount = 50

    // MARK: Compiling

    /// Creates the statement that runs a compiled text in its database. It takes ownership of the C statement.
    func makeStatement(
        _ pointer: SQLiteStatement, _ sql: String, _ profile: StatementProfile, epoch: Int
    ) throws -> Statement {
        var isOwned = true
        defer { if isOwned { sqlite3_finalize(pointer) } }
        let isExplain = sqlite3_stmt_isexplain(pointer) != 0
        let isReadonly = sqlite3_stmt_readonly(pointer) != 0
        let columns = (0..<sqlite3_column_count(pointer)).map { index in
            (
                name: String(cString: sqlite3_column_name(pointer, index)),
                declaredType: sqlite3_column_decltype(pointer, index).map { String(cString: $0) }
            )
        }
        var candidate = profile
        candidate.isReadonly = isReadonly
        guard !profile.reads.keys.contains(where: { $0.name == RemoteModule.name }) else {
            throw DatabaseError(message: "no such table: \(RemoteModule.name)", sql: sql)
        }
        guard sqlite3_sql(pointer).map({ String(validatingCString: $0) != nil }) ?? true else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "a cluster does not run SQL that is no valid UTF-8: rename the table or the column", sql: sql)
        }
        let place: StatementPlace
        do {
            place = try runner.place(
                of: RemoteCandidate(sql: sql, profile: candidate, isExplain: isExplain, columns: columns))
        } catch let error as DatabaseError { throw error.with(sql: sql) }
        guard place == .remote else {
            let definition = profile.schemaChanges.isEmpty ? sql : runner.definition(sql)
            guard definition == sql else { return try connection.prepare(definition) }
            isOwned = false
            return Statement(
                connection: connection, pointer: pointer, sql: sql, profile: profile, epoch: epoch, place: place)
        }
        guard columns.count <= RemoteModule.maximumColumnCount else {
            throw DatabaseError(
                resultCode: .SQLITE_TOOBIG,
                message:
                    "the statement has \(columns.count) columns, and a remote one has \(RemoteModule.maximumColumnCount) "
                    + "at most: select fewer", sql: sql)
        }
        let number = RemoteStatements.nextNumber()
        let parameters = (0..<sqlite3_bind_parameter_count(pointer)).map { index in
            sqlite3_bind_parameter_name(pointer, index + 1).map { String(cString: $0) }
        }
        let text = RemoteModule.sql(number, columns: columns.map(\.name), parameters: parameters)
        var proxy: SQLiteStatement?
        let code = sqlite3_prepare_v3(
            connection.pointer, text, -1, CUnsignedInt(SQLITE_PREPARE_PERSISTENT), &proxy, nil)
        guard code == SQLITE_OK, let proxy else { throw connection.error(code, sql: sql) }
        let remote = RemoteStatement(
            number: number, sql: sql, columnCount: columns.count, isReadonly: isReadonly, in: statements)
        return Statement(
            connection: connection, pointer: proxy, sql: sql, profile: profile, epoch: epoch,
            remote: (remote, isExplain))
    }

    /// Checks a pragma before it is compiled, because compiling it may affect the shadow or the process.
    ///
    /// - Throws: the runner's error if it rejects the pragma.
    func check(_ pragma: StatementProfile, _ sql: String) throws {
        do {
            _ = try runner.place(of: RemoteCandidate(sql: sql, profile: pragma, isExplain: false, columns: []))
        } catch let error as DatabaseError { throw error.with(sql: sql) }
    }

    // MARK: Running

    /// Runs the first step of a statement in its database.
    func step(_ statement: Statement) -> CInt {
        switch statement.place {
        case .shadow: return askShadow(statement)
        case .both: return follow(statement)
        case .remote: return stepRemotely(statement)
        }
    }

    /// Runs a schema query. Only a program's query first refreshes the schema: Rowan's own queries follow one.
    private func askShadow(_ statement: Statement) -> CInt {
        if !statement.profile.reads.isEmpty || statement.profile.pragmas.contains(where: runner.concernsSchema),
            !connection.isRunningOwnQueries
        {
            do { try refresh() } catch { return refuse(error, statement) }
        }
        return sqlite3_step(statement.handle)
    }

    /// Runs a statement remotely, then on the shadow.
    private func follow(_ statement: Statement) -> CInt {
        do {
            try request {
                try refuseDropWhileReading(statement)
                try $0.control(statement)
            }
        } catch { return refuse(error, statement) }
        isFollowing = true
        defer { isFollowing = false }
        let code = sqlite3_step(statement.handle)
        if code != SQLITE_DONE, code != SQLITE_ROW, statement.profile.changesSchema { runner.forgetSchema() }
        return code
    }

    /// Runs a request of the runner that may concern its transaction. The transaction of the shadow ends with it.
    func request<T>(_ body: (any StatementRunner) throws -> T) throws -> T {
        // SQLite may have rolled back the transaction of the shadow, for example after a cursor failed.
        endForgottenTransaction()
        do {
            let value = try body(runner)
            if let schema = runner.takeSchema() { try rebuild(schema) }
            return value
        } catch {
            endLostTransaction()
            endForgottenTransaction()
            throw error
        }
    }

    /// SQLite drops nothing while a statement is running, so the cluster must not either.
    private func refuseDropWhileReading(_ statement: Statement) throws {
        guard statement.profile.changesSchema, connection.hasRunningStatement(besides: statement.handle),
            SQLTokens.first(1, of: statement.sql).first == .word("drop")
        else { return }
        throw DatabaseError(resultCode: .SQLITE_LOCKED, message: "database table is locked", sql: statement.sql)
    }

    /// Runs statements that read together, before their first steps.
    fileprivate func runAhead(_ all: [Statement]) throws {
        // In another schema, the step decides.
        let known = all.filter { $0.epoch == connection.schemaEpoch && $0.remote?.isReadonly == true }
        guard known.count > 1 else { return }
        let statements = try known.compactMap { statement in
            try statement.remote.map { ($0, try statement.bindings(for: statement.storedArguments)) }
        }
        try request { try $0.runAhead(statements) }
    }

    private func stepRemotely(_ statement: Statement) -> CInt {
        // The transaction of a statement that is not tried again.
        defer { endForgottenTransaction() }
        // On the second attempt, the shadow has the new schema. It may change again, but not in a transaction.
        for attempt in 0...Self.schemaRetryCount {
            failure = nil
            // The schema has changed since the statement last ran.
            if statement.epoch != connection.schemaEpoch {
                do { try checkColumns(of: statement) } catch { return refuse(error, statement) }
            }
            let code = sqlite3_step(statement.handle)
            guard code != SQLITE_ROW, code != SQLITE_DONE, let error = failure.take() else { return code }
            if error is RemoteSchemaMoved, attempt < Self.schemaRetryCount, let schema = runner.takeSchema() {
                sqlite3_reset(statement.handle)
                do { try rebuild(schema) } catch { return refuse(error, statement) }
                continue
            }
            guard error is DatabaseError else {
                // The schema has changed again, so the shadow hasn't taken it.
                if error is RemoteSchemaMoved { runner.forgetSchema() }
                endLostTransaction()
                return refuse(error, statement)
            }
            // SQLite's message would be lost after the rollback.
            connection.commitRefusal = connection.error(code, sql: statement.sql, arguments: statement.storedArguments)
            endLostTransaction()
            return code
        }
        return SQLITE_ABORT
    }

    /// The same statement may have different columns in another schema.
    private func checkColumns(of statement: Statement) throws {
        guard let remote = statement.remote else { return }
        guard try connection.prepare(statement.sql).columnNames != statement.knownColumnNames(remote) else { return }
        throw DatabaseError.movedStatement
    }

    /// Fails a step with a Swift error.
    private func refuse(_ error: any Error, _ statement: Statement) -> CInt {
        let known =
            error is RemoteSchemaMoved
            ? DatabaseError(
                resultCode: .SQLITE_SCHEMA,
                message: "other clients keep changing the schema of the cluster: run the statement again") : error
        guard let error = known as? DatabaseError else {
            connection.commitRefusal = known
            return SQLITE_ABORT
        }
        connection.commitRefusal = error.with(sql: statement.sql)
        let code = error.extendedResultCode.rawValue
        return code == SQLITE_OK ? SQLITE_ABORT : code
    }

    /// Ends the shadow's transaction if the remote one is lost.
    private func endLostTransaction() {
        guard runner.takeLostTransaction(), connection.isInsideTransaction else { return }
        isFollowing = true
        defer { isFollowing = false }
        connection.runUnchecked("ROLLBACK")
    }

    /// Ends the runner's transaction if the shadow's is gone: later statements would be committed with its changes.
    private func endForgottenTransaction() {
        if runner.isInTransaction, !connection.isInsideTransaction { runner.abandonTransaction() }
    }

    func didFail(_ error: any Error) { failure = error }

    /// Called by the virtual table.
    func run(_ number: Int, _ arguments: RemoteArguments) throws -> any RemoteRows {
        let (statement, ended) = statements.take(number)
        if !ended.isEmpty { runner.forget(ended) }
        guard let statement else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "no such remote statement: \(number)")
        }
        return try runner.run(statement, arguments)
    }

    // MARK: The shadow

    /// Reads the schema for the first time.
    package func open() throws { try refresh() }

    /// Rereads the schema, which another client may have changed.
    ///
    /// - Returns: whether it has changed.
    @discardableResult
    func refresh() throws -> Bool {
        try runner.checkSchema()
        guard let schema = runner.takeSchema() else { return false }
        try rebuild(schema)
        return true
    }

    /// Replaces the shadow's schema.
    ///
    /// - Throws: SQLITE_SCHEMA if the program is reading rows, or if the local SQLite does not accept the schema.
    package func rebuild(_ schema: RemoteSchema) throws {
        let isOpen = connection.isInsideTransaction
        isFollowing = true
        defer { isFollowing = false }
        try connection.openHooks().silently {
            if isOpen { connection.runUnchecked("ROLLBACK") }
            defer { if isOpen { connection.runUnchecked("BEGIN") } }
            do { try ShadowSchema(connection).replace(with: schema) } catch {
                // The shadow has only part of the schema.
                runner.forgetSchema()
                throw error
            }
        }
        connection.schemaDidMove()
    }
}

extension LocalConnection {
    /// - Throws: SQLITE_MISUSE if the rows are stored elsewhere.
    package func refuseRemotely(_ what: String, _ advice: String) throws {
        guard remote != nil else { return }
        throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "a cluster does not run \(what): \(advice)")
    }
}

extension DatabaseError {
    static var movedStatement: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_SCHEMA,
            message: "another client has changed the columns of the statement: make the statement again")
    }

    /// Whether a remote statement has different columns than when it was created. It has not run.
    var isMovedStatement: Bool { resultCode == .SQLITE_SCHEMA && message == Self.movedStatement.message }
}

extension Statement {
    /// The columns it was compiled with.
    fileprivate func knownColumnNames(_ remote: RemoteStatement) -> [String] {
        guard remote.columnCount > 0 else { return [] }
        return (0..<sqlite3_column_count(handle)).map { String(cString: sqlite3_column_name(handle, $0)) }
    }
}

extension LocalConnection {
    /// Tells which statements run next, with the arguments that they have. If each is a round trip, they share one.
    package func runAhead(_ statements: [Statement]) throws { try remote?.runAhead(statements) }
}
