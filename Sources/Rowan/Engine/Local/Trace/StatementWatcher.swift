// Tells the layers above which statements run, and what they change: for observation. A connection without watchers runs
// its statements without any of this.

import RowanSQLite

/// Hears what the statements of a connection do, and how its transactions end.
package protocol StatementWatcher: AnyObject {
    /// A statement that may write, or that affects the transaction, is about to run.
    ///
    /// - Returns: false to refuse a commit, and to roll back instead.
    func willStep(_ statement: Statement) -> Bool

    /// The statement has run its first step, in which SQLite makes all changes.
    func didStep(_ statement: Statement, _ result: StepResult)

    /// A statement is reset: if it was a transaction, the transaction has ended.
    func didReset()

    /// A statement commits its own changes in a remote database.
    ///
    /// - Returns: false to refuse it.
    func willCommitRemotely() -> Bool

    /// A transaction that a statement had begun has ended, and the statement that ended it is reset.
    func transactionDidEnd(committed: Bool)
}

/// How a step has ended.
package enum StepResult: Sendable {
    case row, done, failed
}

/// A receiver of the statements that read.
package protocol ReadRecorder: AnyObject {
    /// The statement is about to run, or SQLite has just compiled it again for the schema that it reads.
    func willRead(_ statement: Statement)
    /// The program asks for what a table contains that Rowan reads for it.
    func willRead(_ table: StatementProfile.Table)
}

extension LocalConnection {
    /// Sets who hears how transactions end.
    ///
    /// - Parameter statements: whether the watcher hears of statements, too.
    package func watch(_ watcher: (any StatementWatcher)?, statements: Bool) {
        self.watcher = watcher
        watchesStatements = statements
        updateWatched()
    }

    /// Runs the closure, and reports the statements that it runs.
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

    /// The recorder of the statements that read, if they are recorded.
    package var currentReadRecorder: (any ReadRecorder)? { readRecorder }

    /// Whether the statements that read are recorded.
    package var isRecordingReads: Bool { isWatched && readRecorder != nil }

    /// Runs the closure, whose statements are Rowan's own: they are not reported, nor traced.
    ///
    /// A query that fails may have rolled back the transaction of the program: see `lostTransaction`.
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

    private func updateWatched() {
        isWatched =
            (watchesStatements || readRecorder != nil || tracer != nil || meter != nil) && !isRunningOwnQueries
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

    /// A run of a statement has ended.
    func didReturn(_ statement: Statement, _ error: (any Error)? = nil) {
        tracer?.didReturn(statement, error)
        meter?.didReturn(statement, error)
    }

    /// Fails the statement during which a query of Rowan's own has lost the transaction of the program: the statement
    /// must not run, or commit, as if it were alone.
    func throwLostTransaction() throws {
        guard let error = lostTransaction else { return }
        lostTransaction = nil
        throw error
    }

    /// Runs the first step of a statement, and reports it.
    func watchedStep(_ statement: Statement) throws -> CInt {
        guard isWatched else { return plainStep(statement) }
        tracer?.willStep(statement)
        meter?.willStep(statement)
        guard let readRecorder else { return try watchedWrite(statement) }
        readRecorder.willRead(statement)
        let epoch = statement.epoch
        let code = try watchedWrite(statement)
        if code == SQLITE_ROW || code == SQLITE_DONE {
            // Another connection may have changed the schema, so that the statement reads other tables and columns.
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
            // SQLite has rolled back, but its autocommit flag still says that a transaction is open.
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

    /// Makes a remote database part of the connection, which is in memory.
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

    /// Asks the watcher about a statement that commits its own changes elsewhere: the local SQLite can't.
    private func acceptsRemoteCommit(of statement: Statement, _ watcher: any StatementWatcher) -> Bool {
        guard statement.place != .shadow, statement.transactionOperation == nil, !isInsideTransaction else {
            return true
        }
        return watcher.willCommitRemotely()
    }

    /// Rolls back as SQLite does when its commit hook refuses a commit.
    private func rollbackOfRefusedCommit() -> CInt {
        _ = runUnchecked("ROLLBACK")
        return ResultCode.SQLITE_CONSTRAINT_COMMITHOOK.rawValue
    }

    /// Whether a transaction has written, or holds the lock to write.
    package var isWriting: Bool {
        guard remote == nil else { return false }
        return pointer.map { sqlite3_txn_state($0, nil) == SQLITE_TXN_WRITE } ?? false
    }
}
