// The transaction of a connection as a value: what the program and the leader do changes it, and it says what to do
// next. It knows no nodes.

/// The transaction of a connection to a cluster.
enum ClusterTransaction: Equatable {
    case none
    /// The program has begun it. It begins on the leader with its first statement.
    case announced(Beginning)
    /// It has begun on the leader and written nothing.
    case open(Savepoints)
    /// It has written its ticket.
    case writing(Savepoints, Claim)
    /// It has ended on the leader, which the program does not know yet.
    case lost
    /// Its COMMIT has no response.
    case uncertain(TransactionTicket)

    /// How the program has begun the transaction.
    enum Beginning: Equatable {
        case deferred
        /// Its first statement also waits for the lock if it reads.
        case immediate
        /// By a savepoint, whose release commits.
        case savepoint
    }

    /// The open savepoints, the outermost one first.
    struct Savepoints: Equatable {
        fileprivate(set) var names: [String] = []
        /// Whether the outermost savepoint is the transaction.
        var isTransaction = false
    }

    struct Claim: Equatable {
        let ticket: TransactionTicket
        /// The number of savepoints that were open when the ticket was written. Rolling back to one of them removes it.
        fileprivate(set) var depth = 0
    }

    enum Event: Equatable {
        // The program
        case begin(isImmediate: Bool)
        /// A statement that reads or writes is about to run.
        case read, write
        /// - Parameter isImmediate: whether a transaction that begins with it takes the lock.
        case savepoint(isImmediate: Bool)
        case release(String)
        case rollBackTo(String)
        case commit, rollBack

        // The leader
        case began, refusedToBegin
        /// The ticket is written, or known with a newer generation.
        case claimed(TransactionTicket)
        case openedSavepoint(String)
        case released(String)
        case rolledBackTo(String)
        /// COMMIT or ROLLBACK has run.
        case ended
        /// The leader is gone, or has ended the transaction itself.
        case lost
        case didNotRespondToCommit

        /// The program knows that it is lost.
        case reported
    }

    enum Action: Equatable {
        case nothing
        case begin(isImmediate: Bool)
        /// Run the statement on the leader, in the transaction.
        case run
        /// Write the ticket first.
        case claimAndRun
        /// Run the statement on the leader, which commits it.
        case runAlone
        /// End a transaction that has written nothing.
        case endRead
        case commit(TransactionTicket)
        case rollBack
        /// Find out whether the transaction was committed.
        case ask
        /// The transaction is lost: nothing may run until the program knows.
        case refuse
    }

    /// Whether the program has begun a transaction and doesn't know of its end.
    var isPresent: Bool {
        switch self {
        case .none, .lost: false
        case .announced, .open, .writing, .uncertain: true
        }
    }

    /// Whether it has begun on the leader.
    var isOpen: Bool {
        switch self {
        case .open, .writing: true
        case .none, .announced, .lost, .uncertain: false
        }
    }

    mutating func apply(_ event: Event) -> Action {
        switch event {
        case .ended:
            self = .none
            return .nothing
        case .lost:
            if isPresent { self = .lost }
            return .nothing
        case .reported:
            if self == .lost { self = .none }
            return .nothing
        default: break
        }
        switch self {
        case .none: return applyOutside(event)
        case .announced(let beginning): return apply(event, announced: beginning)
        case .open(let savepoints): return apply(event, savepoints, nil)
        case .writing(let savepoints, let claim): return apply(event, savepoints, claim)
        case .lost:
            guard event == .rollBack else { return .refuse }
            self = .none
            return .nothing
        case .uncertain: return .refuse
        }
    }

    private mutating func applyOutside(_ event: Event) -> Action {
        switch event {
        case .begin(let isImmediate):
            self = .announced(isImmediate ? .immediate : .deferred)
            return .nothing
        case .savepoint(let isImmediate):
            self = .announced(.savepoint)
            return .begin(isImmediate: isImmediate)
        case .read, .write: return .runAlone
        // SQLite itself refuses what needs a transaction.
        default: return .nothing
        }
    }

    private mutating func apply(_ event: Event, announced beginning: Beginning) -> Action {
        switch event {
        case .read: return .begin(isImmediate: beginning == .immediate)
        // In a transaction that has begun, a writer could no longer wait for the lock.
        case .write: return .begin(isImmediate: true)
        case .savepoint(let isImmediate): return .begin(isImmediate: isImmediate)
        case .began: self = .open(Savepoints(isTransaction: beginning == .savepoint))
        // Otherwise, the next statement begins it.
        case .refusedToBegin: if beginning == .savepoint { self = .none }
        case .commit, .rollBack: self = .none
        default: break
        }
        return .nothing
    }

    private mutating func apply(_ event: Event, _ savepoints: Savepoints, _ claim: Claim?) -> Action {
        var (savepoints, claim) = (savepoints, claim)
        switch event {
        case .read, .savepoint: return .run
        case .write: return claim == nil ? .claimAndRun : .run
        case .commit: return claim.map { .commit($0.ticket) } ?? .endRead
        case .rollBack: return .rollBack
        case .release(let name):
            guard let index = savepoints.index(of: name) else { return .nothing }
            return index == 0 && savepoints.isTransaction ? apply(.commit) : .run
        case .rollBackTo(let name): return savepoints.index(of: name) == nil ? .nothing : .run
        case .claimed(let ticket): claim = Claim(ticket: ticket, depth: claim?.depth ?? savepoints.names.count)
        case .openedSavepoint(let name): savepoints.names.append(name)
        case .released(let name):
            guard let index = savepoints.index(of: name) else { break }
            savepoints.names.removeSubrange(index...)
            if let depth = claim?.depth { claim?.depth = min(depth, index) }
        case .rolledBackTo(let name):
            guard let index = savepoints.index(of: name) else { break }
            savepoints.names.removeSubrange((index + 1)...)
            // The row of the ticket is gone, as is everything written after it.
            if let depth = claim?.depth, depth > index { claim = nil }
        case .didNotRespondToCommit:
            guard let claim else { break }
            self = .uncertain(claim.ticket)
            return .ask
        // A repeated BEGIN, which SQLite itself refuses.
        default: break
        }
        self = claim.map { .writing(savepoints, $0) } ?? .open(savepoints)
        return .nothing
    }
}

extension ClusterTransaction.Savepoints {
    fileprivate func index(of savepoint: String) -> Int? {
        names.lastIndex { $0.utf8.lazy.map(Self.folded).elementsEqual(savepoint.utf8.lazy.map(Self.folded)) }
    }

    /// SQLite compares names byte by byte, except for the case of ASCII letters.
    private static func folded(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
