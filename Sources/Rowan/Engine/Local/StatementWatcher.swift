// Tells the layers above which statements run, and what they change: for observation. A connection without watchers runs
// its statements without any of this.

import CSQLite

/// A receiver of what the statements of a connection do.
package protocol StatementWatcher: AnyObject {
    /// A statement that may write, or that affects the transaction, is about to run.
    ///
    /// - Returns: false to refuse a commit, and to roll back instead.
    func willStep(_ statement: Statement) -> Bool

    /// The statement has run its first step, in which SQLite makes all changes.
    func didStep(_ statement: Statement, _ result: StepResult)

    /// A statement is reset: if it has committed, the commit is complete.
    func didReset()
}

/// How a step has ended.
package enum StepResult: Sendable {
    case row, done, failed
}

/// A receiver of the statements that read.
package protocol ReadRecorder: AnyObject {
    /// The statement is about to run, or SQLite has just compiled it again for the schema that it reads.
    func willRead(_ statement: Statement)
}

extension LocalConnection {
    /// Sets who is told about statements that write.
    ///
    /// While someone is, a DELETE without condition deletes the rows one by one, so that each deletion is reported.
    package func watchWrites(_ watcher: (any StatementWatcher)?) {
        self.watcher = watcher
        updateWatched()
        hooks?.truncatesTables(watcher == nil)
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

    /// Runs the closure, whose statements are Rowan's own: they are not reported.
    package func unwatched<T>(_ body: () throws -> T) rethrows -> T {
        guard isWatched else { return try body() }
        isRunningOwnQueries = true
        updateWatched()
        defer {
            isRunningOwnQueries = false
            updateWatched()
        }
        return try body()
    }

    private func updateWatched() {
        isWatched = (watcher != nil || readRecorder != nil) && !isRunningOwnQueries
    }

    /// Runs the first step of a statement, and reports it.
    func watchedStep(_ statement: Statement) -> CInt {
        guard let readRecorder else { return watchedWrite(statement) }
        readRecorder.willRead(statement)
        let epoch = statement.epoch
        let code = watchedWrite(statement)
        if code == SQLITE_ROW || code == SQLITE_DONE {
            // Another connection may have changed the schema, so that the statement reads other tables and columns.
            statement.noteRecompilation()
            if statement.epoch != epoch { readRecorder.willRead(statement) }
        }
        return code
    }

    private func watchedWrite(_ statement: Statement) -> CInt {
        guard let watcher, statement.traits.contains(.isWatchable) else {
            return sqlite3_step(statement.sqliteStatement)
        }
        let code =
            watcher.willStep(statement) ? sqlite3_step(statement.sqliteStatement) : rollbackOfRefusedCommit()
        if code == ResultCode.SQLITE_CONSTRAINT_COMMITHOOK.rawValue, case .release = statement.transactionOperation {
            // SQLite has rolled back, but its autocommit flag still says that a transaction is open.
            _ = rollbackOfRefusedCommit()
        }
        // After an error, this would overwrite it.
        if code == SQLITE_ROW || code == SQLITE_DONE { statement.noteRecompilation() }
        watcher.didStep(statement, code == SQLITE_ROW ? .row : code == SQLITE_DONE ? .done : .failed)
        return code
    }

    /// Rolls back as SQLite does when its commit hook refuses a commit.
    private func rollbackOfRefusedCommit() -> CInt {
        _ = runUnchecked("ROLLBACK")
        return ResultCode.SQLITE_CONSTRAINT_COMMITHOOK.rawValue
    }

    /// Whether a transaction has written, or holds the lock to write.
    package var isWriting: Bool { pointer.map { sqlite3_txn_state($0, nil) == SQLITE_TXN_WRITE } ?? false }
}
