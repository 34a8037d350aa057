// Reports statements and their changes to the layers above, for observation. A connection without watchers runs its
// statements without any of this.

import RowanSQLite

/// Receives the statements of a connection and the ends of its transactions.
package protocol StatementWatcher: AnyObject {
    /// Called before a statement that may write or that affects the transaction.
    ///
    /// - Returns: false to reject a commit and roll back instead.
    func willStep(_ statement: Statement) -> Bool

    /// Called after the statement's first step, in which SQLite makes all changes.
    func didStep(_ statement: Statement, _ result: StepResult)

    /// Called when a statement is reset: if it was a transaction, the transaction has ended.
    func didReset()

    /// Called when a statement commits its own changes in a remote database.
    ///
    /// - Returns: false to reject the commit.
    func willCommitRemotely() -> Bool

    /// Called when a transaction begun by a statement has ended and the statement that ended it is reset.
    func transactionDidEnd(committed: Bool)
}

/// The result of a step.
package enum StepResult: Sendable {
    case row, done, failed
}

/// A receiver of statements that read.
package protocol ReadRecorder: AnyObject {
    /// Called before the statement runs, or when SQLite has just recompiled it for the schema that it reads.
    func willRead(_ statement: Statement)
    /// Called when the program requests the content of a table that Rowan reads for it.
    func willRead(_ table: StatementProfile.Table)
}

extension LocalConnection {
    /// Sets the receiver of transaction ends.
    ///
    /// - Parameter statements: whether the watcher also receives statements.
    package func watch(_ watcher: (any StatementWatcher)?, statements: Bool) {
        self.watcher = watcher
        watchesStatements = statements
        updateWatched()
    }

    /// Runs the closure and reports the statements it runs.
    package func recordingReads<T>(_ recorder: any ReadRecorder, _ body: () throws -> T) rethrows -> T {
        let outer = (readRecorder, isRunningOwnQueries)
        (readRecorder, isRunningOwnQueries) = (recorder, false)
        updateWatched()
        defer {
            (readRecorder, isRunningOwnQueries) = outer
            updateWatched()
        }
        return try body()
    }

    /// The recorder of reading statements, if they are recorded.
    package var currentReadRecorder: (any ReadRecorder)? { readRecorder }

    /// Whether reading statements are recorded.
    package var isRecordingReads: Bool { isWatched && readRecorder != nil }

    /// Runs the closure, whose statements are Rowan's own: they are neither reported nor traced.
    ///
    /// A query that fails may have rolled back the program's transaction: see `lostTransaction`.
    package func unwatched<T>(_ body: () throws -> T) rethrows -> T {
        guard !isRunningOwnQueries else { return try body() }
        isRunningOwnQueries = true
        updateWatched()
        defer {
            isRunningOwnQueries = false
            updateWatched()
        }
        guard let hooks else { return try body() }
        return try hooks.silently(body)
    }

    func updateWatched() {
        isWatched =
            (watchesStatements || readRecorder != nil || tracer != nil || meter != nil
                || budget?.isEnforced == true || hooks?.moduleRestriction != nil)
            && !isRunningOwnQueries
        isStepSpecial = isWatched || remote != nil
    }

    func setTracer(_ tracer: StatementTracer?) {
        self.tracer = tracer
        updateWatched()
    }

    func setMeter(_ meter: StatementMeter?) {
        self.meter = meter
        updateWatched()
    }

    /// Called when a run of a statement has finished.
    func didReturn(_ statement: Statement, _ error: (any Error)? = nil) {
        tracer?.didReturn(statement, error)
        meter?.didReturn(statement, error)
        budget?.didReturn(statement)
    }

    /// Fails the statement during which one of Rowan's own queries has lost the program's transaction: the statement
    /// must not run or commit outside its transaction.
    func throwLostTransaction() throws {
        guard let error = lostTransaction else { return }
        lostTransaction = nil
        throw error
    }

    /// Runs the first step of a statement and reports it.
    func watchedStep(_ statement: Statement) throws -> CInt {
        guard isWatched else { return plainStep(statement) }
        tracer?.willStep(statement)
        meter?.willStep(statement)
        guard budget != nil || hooks?.moduleRestriction != nil, let hooks else { return try recordedStep(statement) }
        budget?.willStep(statement)
        _ = hooks.restriction?.takeRefusal()
        _ = hooks.moduleRestriction?.takeRefusal()
        let code = try hooks.starting(statement.handle) { try recordedStep(statement) }
        guard let budget else { return code }
        return code == SQLITE_ROW && budget.isExceeded ? SQLITE_INTERRUPT : code
    }

    private func recordedStep(_ statement: Statement) throws -> CInt {
        guard let readRecorder else { return try watchedWrite(statement) }
        readRecorder.willRead(statement)
        let epoch = statement.epoch
        let code = try watchedWrite(statement)
        if code == SQLITE_ROW || code == SQLITE_DONE {
            // Another connection may have changed the schema, so that the statement now reads other tables and columns.
            statement.noteRecompilation()
            if statement.epoch != epoch { readRecorder.willRead(statement) }
        }
        return code
    }

    private func watchedWrite(_ statement: Statement) throws -> CInt {
        guard watchesStatements, let watcher, statement.traits.contains(.isWatchable) else {
            return plainStep(statement)
        }
        lostTransaction = nil
        let isAccepted = watcher.willStep(statement)
        if let lost = lostTransaction {
            didReturn(statement, lost)
            watcher.didStep(statement, .failed)
            try throwLostTransaction()
        }
        let code =
            isAccepted && acceptsRemoteCommit(of: statement, watcher)
            ? plainStep(statement) : rollbackOfRefusedCommit()
        if code == ResultCode.SQLITE_CONSTRAINT_COMMITHOOK.rawValue, case .release = statement.transactionOperation {
            // SQLite has rolled back, but its autocommit flag still shows that a transaction is open.
            _ = rollbackOfRefusedCommit()
        }
        // After an error, this would overwrite it.
        if code == SQLITE_ROW || code == SQLITE_DONE { statement.noteRecompilation() }
        watcher.didStep(statement, code == SQLITE_ROW ? .row : code == SQLITE_DONE ? .done : .failed)
        if let lost = lostTransaction {
            didReturn(statement, lost)
            sqlite3_reset(statement.handle)
            try throwLostTransaction()
        }
        return code
    }

    /// Connects a remote database to the connection, which is in memory.
    package func follow(_ runner: any StatementRunner) throws {
        let remote = RemoteConnection(runner, self)
        let pointer = try openPointer()
        try check(RemoteModule.install(remote, in: pointer))
        sqlite3_limit(pointer, SQLITE_LIMIT_VARIABLE_NUMBER, CInt(RemoteModule.maximumArgumentCount))
        self.remote = remote
        abilities = .remote
        hooks?.remoteStatements = remote.statements
        updateWatched()
        try remote.open()
    }

    private func plainStep(_ statement: Statement) -> CInt {
        guard let remote else { return stepWaiting(statement.handle) }
        return remote.step(statement)
    }

    /// Calls the watcher for a statement that commits its own changes remotely, for which the local SQLite can't.
    private func acceptsRemoteCommit(of statement: Statement, _ watcher: any StatementWatcher) -> Bool {
        guard statement.place != .shadow, statement.transactionOperation == nil, !isInsideTransaction else {
            return true
        }
        return watcher.willCommitRemotely()
    }

    /// Rolls back as SQLite does when its commit hook rejects a commit.
    private func rollbackOfRefusedCommit() -> CInt {
        _ = runUnchecked("ROLLBACK")
        return ResultCode.SQLITE_CONSTRAINT_COMMITHOOK.rawValue
    }

    /// Whether a transaction has written or holds the write lock.
    package var isWriting: Bool {
        guard remote == nil else { return false }
        return pointer.map { sqlite3_txn_state($0, nil) == SQLITE_TXN_WRITE } ?? false
    }
}
