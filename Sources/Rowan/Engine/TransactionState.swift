// The state of the connection's transaction: one value, which follows SQLite's autocommit flag. It is read again
// after each statement that may have changed it (transaction control, and any error), before any callback runs.

/// Whether a transaction is open, and whether it may commit.
package struct TransactionState: Sendable {
    package enum Phase: Equatable, Sendable {
        /// There is none: each statement commits by itself.
        case none
        case open
        /// It has ended, and the code that began it doesn't know: nothing may run in its place.
        case ended(Ending)
        /// A rollback has failed: the transaction is still open, and nothing of it may be committed.
        case condemned
    }

    package enum Ending: Equatable, Sendable {
        /// SQLite has rolled it back by itself: ON CONFLICT ROLLBACK, a full disk...
        case rolledBackBySQLite
        /// A statement in the scope of `inTransaction` has rolled it back.
        case rolledBack
        /// A statement in the scope of `inTransaction` has committed it.
        case committed
    }

    /// Who closes the transaction.
    package enum Owner: Sendable {
        /// Nobody that Rowan knows: a BEGIN statement of the program.
        case statement
        /// The program, by `commit` or `rollback`.
        case program
        /// The scope of `inTransaction`, or of a write.
        case scope
    }

    package private(set) var phase = Phase.none
    /// Moves when a transaction begins or ends, whoever begins or ends it.
    package private(set) var number = 0
    private var owner = Owner.statement
    /// The schema epoch when the transaction began: a rollback takes later ones back.
    private var startEpoch = 0
    /// Whether the scope of the transaction is ending: nothing runs after it.
    package var isScopeEnding = false

    /// Whether a transaction was open when the flag was last read.
    package var isOpen: Bool { phase == .open || phase == .condemned }

    /// Takes note of the autocommit flag.
    ///
    /// - Parameters:
    ///   - commits: whether what has run commits, if it has ended the transaction.
    ///   - isStatement: whether a statement that ends transactions has run; if not, SQLite has ended it by itself.
    /// - Returns: how the transaction has ended, nil if it has not.
    package mutating func update(isOpen: Bool, commits: Bool, isStatement: Bool, epoch: Int) -> Ending? {
        guard self.isOpen != isOpen else { return nil }
        number &+= 1
        if isOpen {
            phase = .open
            startEpoch = epoch
            return nil
        }
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

    /// The transaction that was just begun has an owner. In a scope that goes on after its transaction, it is the scope.
    package mutating func begin(owner: Owner, epoch: Int) {
        if self.owner != .scope { self.owner = owner }
        // A callback of the end of another transaction may have begun this one.
        if owner == .scope { isScopeEnding = false }
        startEpoch = epoch
    }

    /// A savepoint begins: the transaction around it must not end in its scope.
    package mutating func beginSavepoint() { (owner, isScopeEnding) = (.scope, false) }

    /// The program knows that there is no transaction to commit: it has rolled it back, or was told.
    package mutating func acknowledge() {
        guard case .ended = phase else { return }
        if owner == .scope, !isScopeEnding {
            phase = .ended(.rolledBack)
        } else {
            (phase, owner) = (.none, .statement)
        }
    }

    /// The scope of a transaction has ended.
    ///
    /// - Parameter outer: the state before it. A scope around it, whose own transaction has ended, goes on to refuse.
    package mutating func endScope(outer: TransactionState) {
        let goesOn = outer.owner == .scope && !outer.isScopeEnding
        (owner, isScopeEnding) = (goesOn ? .scope : .statement, outer.isScopeEnding)
        if phase != .open, phase != .condemned { phase = goesOn ? outer.phase : .none }
    }

    /// The scope of a savepoint has ended.
    ///
    /// - Parameter outer: the state before it.
    package mutating func endSavepoint(outer: TransactionState) {
        (owner, isScopeEnding) = (outer.owner, outer.isScopeEnding)
        switch (phase, owner) {
        case (.ended(.rolledBackBySQLite), .program), (_, .scope), (.none, _), (.open, _), (.condemned, _): break
        case (.ended, .statement), (.ended, .program): phase = .none
        }
    }

    /// The access has ended: the next one knows nothing of its transactions.
    package mutating func forget() {
        isScopeEnding = false
        if case .ended = phase { phase = .none }
        owner = .statement
    }

    /// A rollback has failed.
    package mutating func condemn() { if phase == .open { phase = .condemned } }

    /// Whether the schema has moved since the transaction began.
    package func hasMovedSchema(_ epoch: Int) -> Bool { epoch != startEpoch }

    /// Why a statement can't run, nil if it can.
    ///
    /// - Parameter operation: what the statement does to the transaction.
    package func refusal(of operation: StatementProfile.TransactionOperation?) -> String? {
        switch (phase, operation) {
        case (.none, _), (.open, _), (.condemned, .rollback), (.ended, .rollback): nil
        case (.ended(.committed), .begin), (.ended(.committed), .savepoint): nil
        case (.ended(.rolledBack), .begin), (.ended(.rolledBack), .savepoint): nil
        case (.ended(let ending), _): ending.message
        case (.condemned, _):
            "the transaction could not be rolled back, and must not be committed: call rollback() again"
        }
    }
}

extension TransactionState.Ending {
    package var message: String {
        switch self {
        case .rolledBackBySQLite: "the transaction was rolled back by SQLite"
        case .rolledBack: "the transaction was rolled back by a statement in it: begin another one to go on"
        case .committed: "the transaction was committed by a statement in it: begin another one to go on"
        }
    }
}
