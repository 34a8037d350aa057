extension Fixture.Table {
    /// Four indexes, two of them in random order.
    static let ticketTable = """
        CREATE TABLE ticket (
            id INTEGER PRIMARY KEY,
            code TEXT NOT NULL,
            ownerId INTEGER NOT NULL,
            status TEXT NOT NULL,
            priority INTEGER NOT NULL,
            title TEXT NOT NULL,
            due INTEGER NOT NULL);
        CREATE UNIQUE INDEX ticket_on_code ON ticket(code);
        CREATE INDEX ticket_on_ownerId ON ticket(ownerId);
        CREATE INDEX ticket_on_status ON ticket(status, priority);
        CREATE INDEX ticket_on_due ON ticket(due);
        """

    static let ticketProof = """
        SELECT group_concat(
            id || ' ' || code || ' ' || ownerId || ' ' || status || ' ' || priority || ' ' || title || ' ' || due)
        FROM (SELECT * FROM ticket ORDER BY id)
        """
}

/// A row of the table with four indexes.
public struct TicketSample: Sendable {
    public let id: Int64
    public let code: String
    public let ownerId: Int64
    public let status: String
    public let priority: Int64
    public let title: String
    public let due: Int64

    /// - Parameter hasNewOwner: true for values that differ from the fixture's.
    init(id: Int64, hasNewOwner: Bool = false) {
        // The multipliers are odd, so the codes are unique and unordered.
        let random = UInt32(truncatingIfNeeded: id) &* 2_654_435_761
        self.id = id
        code = "T-" + String(random, radix: 16)
        ownerId = (id * 7919 + (hasNewOwner ? 1 : 0)) % 5003
        status = ["open", "in review", "waiting", "closed"][Int(random >> 8) % 4]
        priority = Int64(random >> 16) % 10
        title = "What the ticket with number \(id) is about"
        due = Int64(random &* 40_503) % 100_000_000
    }
}

extension Samples {
    /// The rows of the fixture.
    public func tickets(_ count: Int) -> [TicketSample] { (0..<count).map { TicketSample(id: Int64($0) + 1) } }
}

extension Assignment {
    /// The records written by the run.
    public var tickets: [TicketSample] {
        switch workload {
        case .updateFile, .changesetRecord, .changesetApply:
            return scrambledIDs.map { TicketSample(id: $0, hasNewOwner: true) }
        case .upsertFile:
            // Alternates between rows of the fixture and new ones.
            return (0..<Int64(count)).map { index in
                let id = index.isMultiple(of: 2) ? index + 1 : Int64(rows) + (index + 1) / 2
                return TicketSample(id: id, hasNewOwner: true)
            }
        default:
            return samples.tickets(count)
        }
    }

    /// Ids of the fixture in pseudorandom order.
    public var scrambledIDs: [Int64] {
        (0..<Int64(count)).map { $0 * 7919 % Int64(rows) + 1 }
    }
}
