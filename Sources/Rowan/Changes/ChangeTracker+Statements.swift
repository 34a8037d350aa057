// The changes made by a connection's statements, and the transactions and savepoints that they begin and end.

extension ChangeTracker: StatementWatcher {
    func willStep(_ statement: Statement) -> Bool {
        guard statement.transactionOperation == nil else { return willStepTransaction(statement) }
        guard db.connection.readOnlyDepth == 0 else {
            running.append(nil)
            return true
        }
        let writes = StatementWrites.of(statement, db)
        guard !writes.writes.isEmpty, writes.reported != currentReport else {
            running.append(nil)
            return true
        }
        // A function called by a statement may run the same statement again.
        let last = running.isEmpty && lastWrite?.writes === writes ? lastWrite : nil
        let count = listenCount
        let write = RunningWrite.begin(writes, subscribers, db, reusing: last)
        // A queried subscriber may add others.
        lastWrite = count == listenCount ? write : nil
        setRowHook(isNeeded: write.needsRows || running.contains { $0?.needsRows == true })
        running.append(write)
        if !db.connection.abilities.reportsRows, hasObservers { refuseRowEvents(of: write) }
        return true
    }

    /// A cluster does not report rows. Subscribers to regions receive the table instead.
    private func refuseRowEvents(of write: RunningWrite) {
        for target in write.targets {
            let observers = target.subscribers.filter { $0.receivesRows && $0.subscriber is ObserverSubscriber }
            guard !observers.isEmpty else { continue }
            db.connection.lostTransaction = DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "a transaction observer asks for the rows of \(target.write.table.name), which a cluster does "
                    + "not report: observe commits only, or use ValueObservation or DatabaseRegionObservation")
            return
        }
    }

    func willCommitRemotely() -> Bool { willCommit() }

    private func willStepTransaction(_ statement: Statement) -> Bool {
        running.append(nil)
        epoch += 1
        switch statement.transactionOperation {
        case .savepoint(let name):
            // This also applies to a read, which may be part of a write.
            savepoints.begin(name)
            return true
        case _ where db.connection.readOnlyDepth > 0: return true
        case .commit: return willCommitEmptyTransaction()
        case .release(let name):
            return !db.connection.transaction.isCommitted(byReleasing: name) || willCommitEmptyTransaction()
        case .begin, .rollback, .rollbackTo, nil: return true
        }
    }

    func didStep(_ statement: Statement, _ result: StepResult) {
        let write = running.removeLast()
        defer { if mustListen, running.isEmpty { listen() } }
        switch statement.transactionOperation {
        case .savepoint where result == .failed: savepoints.cancelLast()
        case .release(let name) where result != .failed: flush(savepoints.release(name))
        case .rollbackTo(let name) where result != .failed: savepoints.rollback(to: name)
        case .release, .rollbackTo, .savepoint, .begin, .commit, .rollback: break
        case nil:
            if result == .done, let otherProcesses, statement.profile.changesAttachments {
                // If the system can't watch the file, commits to the other files are still detected.
                try? otherProcesses.watch(db)
            }
            guard let write else { return }
            report(write, result)
            if result != .failed, write.writes.epoch != db.connection.schemaEpoch { reportAll(of: statement) }
        }
    }

    /// Runs the closure, which makes some changes by statements that the connection does not run, and reports them.
    func reporting<T>(_ writes: StatementWrites, _ body: () throws -> T) rethrows -> T {
        let write = RunningWrite.begin(writes, subscribers, db, reusing: nil)
        setRowHook(isNeeded: write.needsRows || running.contains { $0?.needsRows == true })
        running.append(write)
        defer {
            running.removeLast()
            if mustListen, running.isEmpty { listen() }
        }
        let result = try body()
        report(write, .done)
        return result
    }

    /// Reports a statement's changes to the subscribers to regions, including changes that SQLite does not report row
    /// by row.
    private func report(_ write: RunningWrite, _ result: StepResult) {
        let writes = write.writes
        // SQLite counts changes when the statement finishes. If it returns rows, they are not counted yet, but it has
        // changed some. A failed statement may keep changes, which SQLite counts: see ON CONFLICT FAIL.
        let hasChanges =
            result == .row || (result == .done && writes.changesSchema)
            || db.connection.totalChangesCount != write.totalChangesCount
        func isChanged(_ target: RunningWrite.Target) -> Bool {
            target.write.isHidden || writes.changeTogether ? hasChanges : target.hasRows
        }
        var regions: [ObjectIdentifier: DatabaseRegion] = [:]
        var isComplete = true
        for index in write.targets.indices where !write.targets[index].subscribers.isEmpty {
            if write.targets[index].isToldByRows {
                isComplete = false
                continue
            }
            let target = write.targets[index]
            if !target.rowReceivers.isEmpty || !isChanged(target) { isComplete = false }
            guard isChanged(target) else { continue }
            let region = DatabaseRegion(target.write.table, kind: target.write.kind)
            for (subscriber, receivesRows) in target.subscribers
            where !receivesRows || target.write.isHidden || !target.hasRows {
                regions[ObjectIdentifier(subscriber), default: DatabaseRegion()].formUnion(region)
            }
        }
        for subscriber in regions.isEmpty ? [] : subscribers {
            guard let region = regions[ObjectIdentifier(subscriber)] else { continue }
            let isAltered = writes.altersTable && subscriber.comparesRegions
            deliver(isAltered ? .fullDatabase : region, to: subscriber)
        }
        // Observers are queried before each statement.
        if isComplete, !hasObservers { writes.reported = currentReport }
    }

    var currentReport: StatementWrites.Report {
        StatementWrites.Report(epoch: epoch, interests: interests.value)
    }

    /// Reports everything that a statement may have written, after a schema change just before its step.
    private func reportAll(of statement: Statement) {
        let writes = StatementWrites.of(statement, db).writes
        for subscriber in subscribers {
            let region = writes.reduce(into: DatabaseRegion()) { region, write in
                guard subscriber.interest(in: write.table, write.kind) != .none else { return }
                region.formUnion(DatabaseRegion(write.table, kind: write.kind))
            }
            if !region.isEmpty { deliver(region, to: subscriber) }
        }
    }

    func didReset() {
        if running.isEmpty, !db.isInsideTransaction { lastWrite = nil }
        // Outside a transaction, each statement is a transaction, which ends when no more statements write.
        guard phase != .idle, running.isEmpty, !db.isInsideTransaction, !db.connection.isWriting else { return }
        // The error of a cursor that stops early is lost and must not become that of another statement.
        db.connection.commitRefusal = nil
        transactionDidEnd(committed: phase == .committing)
    }

    /// Reports to the subscribers how a transaction has ended. Transactions of reads are not reported.
    func transactionDidEnd(committed: Bool) {
        db.connection.shielded { db.connection.keepingResult { notifyEnd(committed: committed) } }
    }

    private func notifyEnd(committed: Bool) {
        lastWrite = nil
        // Read first, because subscribers may begin another transaction with other endings.
        let endings = endings
        self.endings = []
        savepoints = PendingChanges()
        if db.connection.readOnlyDepth == 0 || phase != .idle {
            phase = .idle
            epoch += 1
            let told = subscribers
            subscribers.removeAll(where: \.endsWithTransaction)
            for subscriber in told { subscriber.transactionDidEnd(committed: committed, db) }
            if subscribers.contains(where: \.isEnded) { subscribers.removeAll(where: \.isEnded) }
            // Subscribers added or removed in a callback are taken into account.
            if subscribers.count != told.count { listen() }
        }
        for ending in endings { ending.run(committed, db) }
        if !endings.isEmpty { listen() }
    }
}

extension Database {
    /// Runs the closure, which makes some changes by statements that the connection does not run, and reports them.
    ///
    /// - Parameters:
    ///   - profile: the possible changes.
    ///   - sql: the statement that makes them.
    package func reportingChanges<T>(
        _ profile: StatementProfile, of sql: String, _ body: () throws -> T
    ) rethrows -> T {
        let writes = connection.unrestricted { StatementWrites.of(profile, sql: sql, self) }
        return try changeTracker.reporting(writes, body)
    }
}
