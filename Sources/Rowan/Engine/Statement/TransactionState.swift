// The state of the connection's transaction: one value that follows SQLite's autocommit flag. The flag is read after
// each statement that may have changed it (transaction control, and any error), before any callback runs.

/// Whether a transaction is open, and whether it may be committed.
package struct TransactionState: Sendable {
    package enum Phase: Equatable, Sendable {
        /// No transaction: each statement commits on its own.
        case none
        case open
        /// The transaction has ended without notice to the code that began it: no statement may run.
        case ended(Ending)
        /// A rollback has failed: the transaction is still open and must not be committed.
        case condemned
    }

    package enum Ending: Equatable, Sendable {
        /// Rolled back by SQLite itself: ON CONFLICT ROLLBACK, a full disk…
        case rolledBackBySQLite
        /// A statement in the scope of `inTransaction` has rolled it back.
        case rolledBack
        /// A statement in the scope of `inTransaction` has committed it.
        case committed
    }

    /// The owner that must end the transaction.
    package enum Owner: Sendable {
        /// The program, with a statement: it was begun by a BEGIN statement.
        case statement
        /// The program, with `commit` or `rollback`.
        case program
        /// The scope of `inTransaction` or of a write.
        case scope
    }

    package private(set) var phase = Phase.none
    /// A number that increases whenever a transaction begins or ends.
    package private(set) var number = 0
    private var owner = Owner.statement
    /// The schema version when the transaction began: a rollback undoes later changes.
    private var startEpoch = 0
    /// The savepoints of a transaction begun by a SAVEPOINT statement, outermost first; empty for other transactions.
    private var savepoints: [String] = []
    /// Whether the scope of the transaction is ending: no statement may run.
    package var isScopeEnding = false

    /// Whether a transaction was open when the flag was last read.
    package var isOpen: Bool { phase == .open || phase == .condemned }

    /// Whether releasing a savepoint commits the transaction.
    package func isCommitted(byReleasing name: String) -> Bool { index(ofSavepoint: name) == 0 }

    /// Tracks savepoints, which SQLite does not report. SQLite compares their names like others and uses the last
    /// match.
    mutating func didRun(_ operation: StatementProfile.TransactionOperation) {
        switch operation {
        case .savepoint(let name): if !isOpen || !savepoints.isEmpty { savepoints.append(name) }
        case .release(let name): index(ofSavepoint: name).map { savepoints.removeSubrange($0...) }
        case .rollbackTo(let name): index(ofSavepoint: name).map { savepoints.removeSubrange(($0 + 1)...) }
        case .begin, .commit, .rollback: break
        }
    }

    private func index(ofSavepoint name: String) -> Int? {
        savepoints.lastIndex { $0.isSameDatabaseName(as: name) }
    }

    /// Updates the state after reading the autocommit flag.
    ///
    /// - Parameters:
    ///   - commits: whether the statement commits if it has ended the transaction.
    ///   - isStatement: whether a statement that ends transactions has run; otherwise SQLite has ended the transaction
    ///     on its own.
    /// - Returns: how the transaction has ended, or nil if it is still open.
    package mutating func update(isOpen: Bool, commits: Bool, isStatement: Bool, epoch: Int) -> Ending? {
        guard self.isOpen != isOpen else { return nil }
        number &+= 1
        if isOpen {
            phase = .open
            startEpoch = epoch
            return nil
        }
        savepoints = []
        let ending: Ending = commits ? .committed : (isStatement ? .rolledBack : .rolledBackBySQLite)
        let isNoticed =
            switch owner {
            case .statement: true
            case .program: isStatement
            case .scope: isScopeEnding
            }
        phase = isNoticed ? .none : .ended(ending)
        if isNoticed { owner = .statement }
        return ending
    }

    /// Sets the owner of a transaction that has just begun. In a scope whose transaction has ended, the scope owns the
    /// new one.
    package mutating func begin(owner: Owner, epoch: Int) {
        if self.owner != .scope { self.owner = owner }
        // This transaction may have begun in a callback at the end of another.
        if owner == .scope { isScopeEnding = false }
        startEpoch = epoch
    }

    /// Begins a savepoint. The surrounding transaction must not end in its scope.
    package mutating func beginSavepoint() { (owner, isScopeEnding) = (.scope, false) }

    /// Records that the program is aware that no transaction is left to commit.
    package mutating func acknowledge() {
        guard case .ended = phase else { return }
        if owner == .scope, !isScopeEnding {
            phase = .ended(.rolledBack)
        } else {
            (phase, owner) = (.none, .statement)
        }
    }

    /// Ends the scope of a transaction.
    ///
    /// - Parameter outer: the state before the scope. A surrounding scope whose own transaction has ended keeps
    ///   rejecting statements.
    package mutating func endScope(outer: TransactionState) {
        let goesOn = outer.owner == .scope && !outer.isScopeEnding
        (owner, isScopeEnding) = (goesOn ? .scope : .statement, outer.isScopeEnding)
        if phase != .open, phase != .condemned { phase = goesOn ? outer.phase : .none }
    }

    /// Ends the scope of a savepoint.
    ///
    /// - Parameter outer: the state before the scope.
    package mutating func endSavepoint(outer: TransactionState) {
        (owner, isScopeEnding) = (outer.owner, outer.isScopeEnding)
        switch (phase, owner) {
        case (.ended(.rolledBackBySQLite), .program), (_, .scope), (.none, _), (.open, _), (.condemned, _): break
        case (.ended, .statement), (.ended, .program): phase = .none
        }
    }

    /// Resets the state when an access finishes, so that the next one starts afresh.
    package mutating func forget() {
        isScopeEnding = false
        if case .ended = phase { phase = .none }
        owner = .statement
    }

    /// Records that a rollback has failed.
    package mutating func condemn() { if phase == .open { phase = .condemned } }

    /// Whether the schema has changed since the transaction began.
    package func hasMovedSchema(_ epoch: Int) -> Bool { epoch != startEpoch }

    /// The reason why a statement can't run, or nil if it can.
    ///
    /// - Parameter operation: the statement's effect on the transaction.
    package func refusal(of operation: StatementProfile.TransactionOperation?) -> String? {
        switch (phase, operation) {
        case (.none, _), (.open, _), (.condemned, .rollback), (.ended, .rollback): nil
        case (.ended(.committed), .begin), (.ended(.committed), .savepoint): nil
        case (.ended(.rolledBack), .begin), (.ended(.rolledBack), .savepoint): nil
        case (.ended(let ending), _): ending.message
        case (.condemned, _):
            "the transaction can't be committed because its rollback has failed: call rollback() again"
        }
    }
}

extension DatabaseError {
    /// The error of a transaction that SQLite has rolled back.
    static var abortedTransaction: DatabaseError {
        DatabaseError(resultCode: .SQLITE_ABORT, message: TransactionState.Ending.rolledBackBySQLite.message)
    }
}

extension TransactionState.Ending {
    package var message: String {
        switch self {
        // Programs rely on this documented message.
        case .rolledBackBySQLite, .rolledBack: "Transaction was aborted"
        case .committed: "the transaction was committed by a statement in it: begin another one to continue"
        }
    }
}
