// The turns of clients that write. SQLite has no queue: it refuses a second writer, whose retries come too early or too
// late. The front knows when a transaction ends, and lets clients in one after the other.

/// The clients that want to write, by database.
///
/// A turn is advice: SQLite's lock still decides, and clients may write without one.
struct WriterTurns {
    private struct Waiter {
        let client: UInt64
        let deadline: ContinuousClock.Instant
    }

    private struct Line {
        var holder: UInt64?
        var waiters: [Waiter] = []
    }

    enum Decision {
        case granted, waiting
        /// It has waited as long as it wanted to.
        case expired
    }

    private var lines: [String: Line] = [:]

    /// None of those that wait has an earlier deadline.
    private(set) var nextDeadline: ContinuousClock.Instant?

    /// Asks for the turn. A client that waits asks again when the turn of another one ends, and at its deadline.
    ///
    /// - Parameter limit: the longest time to wait, from the first question on.
    mutating func take(
        _ database: String, for client: UInt64, within limit: Duration, now: ContinuousClock.Instant = .now
    ) -> Decision {
        var line = lines[database] ?? Line()
        defer { lines[database] = line }
        if line.holder == client { return .granted }
        let index = line.waiters.firstIndex { $0.client == client }
        if line.holder == nil, (index ?? line.waiters.endIndex) == line.waiters.startIndex {
            if index != nil { line.waiters.removeFirst() }
            line.holder = client
            return .granted
        }
        if let index {
            guard line.waiters[index].deadline <= now else { return .waiting }
            line.waiters.remove(at: index)
            return .expired
        }
        guard limit > .zero else { return .expired }
        let deadline = now + limit
        line.waiters.append(Waiter(client: client, deadline: deadline))
        nextDeadline = min(nextDeadline ?? deadline, deadline)
        return .waiting
    }

    func isHeld(_ database: String, by client: UInt64) -> Bool { lines[database]?.holder == client }

    /// Ends the turn or the wait of a client.
    ///
    /// - Returns: the client whose turn it is now, and which has to ask.
    mutating func end(_ database: String, of client: UInt64) -> UInt64? {
        guard var line = lines[database] else { return nil }
        line.waiters.removeAll { $0.client == client }
        if line.holder == client { line.holder = nil }
        lines[database] = line.holder == nil && line.waiters.isEmpty ? nil : line
        return line.holder == nil ? line.waiters.first?.client : nil
    }

    /// The clients that have waited as long as they wanted to, and have to ask.
    mutating func takeExpired(at now: ContinuousClock.Instant) -> [UInt64] {
        guard let nextDeadline, nextDeadline <= now else { return [] }
        let waiters = lines.values.flatMap(\.waiters)
        self.nextDeadline = waiters.map(\.deadline).filter { $0 > now }.min()
        return waiters.filter { $0.deadline <= now }.map(\.client)
    }
}
