// The rows of a statement, as they arrive from the leader in parts.

import Rowan

/// The rows of a statement.
final class ClusterRows: RemoteRows {
    /// The source of the parts. It keeps the rows until all have arrived.
    private weak var session: ClusterSession?
    /// The number of columns; nil without rows.
    let columnCount: Int?
    /// Whether all parts have arrived.
    private(set) var isComplete: Bool
    /// Whether the rows that have not arrived will not be read.
    private(set) var isAbandoned = false
    /// The parts that have arrived, starting with the current one.
    private var parts: [RowsPart]
    private var partIndex = 0
    private var reader: RowReader?
    private(set) var isAtEnd: Bool
    /// The failure of a call: the rows are incomplete.
    private var failure: (any Error)?
    /// The number of interruptions before the rows.
    private var interruptions: (guardian: SessionGuard, count: Int)?

    /// - Parameters:
    ///   - parts: the parts that have arrived; none for a statement without rows.
    ///   - session: the source of the others.
    init(_ parts: [RowsPart] = [], from session: ClusterSession? = nil) {
        self.parts = parts
        self.session = session
        columnCount = parts.first?.columnCount
        isComplete = parts.last?.isLast ?? true
        isAtEnd = parts.isEmpty
    }

    /// Moves to the first row.
    func start() throws {
        guard !isAtEnd else { return }
        reader = RowReader(parts[0])
        try advance()
    }

    /// Makes interruptions from now on end the rows, as they end the running statements of SQLite.
    func watch(_ guardian: SessionGuard) { interruptions = (guardian, guardian.interruptionCount) }

    /// - Throws: SQLITE_INTERRUPT after an interruption, or the failure of the connection.
    func next() throws {
        if let interruptions, interruptions.guardian.interruptionCount != interruptions.count {
            throw known(WireError.cancelled, "")
        }
        do { try advance() } catch { throw known(error, "Read again") }
    }

    private func advance() throws {
        while try reader?.next() != true {
            guard try nextPart() else {
                (isAtEnd, reader, parts) = (true, nil, [])
                return
            }
        }
    }

    private func nextPart() throws -> Bool {
        partIndex += 1
        if partIndex >= parts.count {
            // Rows that arrived before the failure are valid.
            if let failure { throw failure }
            guard !isComplete else { return false }
            // The previous parts have been read.
            (parts, partIndex) = ([], 0)
            try receivePart()
        }
        guard partIndex < parts.count else { return false }
        reader = RowReader(parts[partIndex])
        return true
    }

    private func receivePart(until end: ContinuousClock.Instant? = nil) throws {
        do {
            guard let session else { throw WireError.closed("the connection to the leader has ended") }
            let part = try session.nextPart(until: end)
            if !isAbandoned { parts.append(part) }
            isComplete = part.isLast
        } catch {
            isComplete = true
            failure = error
            throw error
        }
    }

    /// Receives all rows, because another request follows.
    func readToEnd(until end: ContinuousClock.Instant) throws { while !isComplete { try receivePart(until: end) } }

    func setResult(_ result: RemoteResult, column: Int) { reader?.setResult(result, column) }

    func close() {
        // The rows that have not arrived are received before the next request, or never.
        (parts, reader, isAtEnd, isAbandoned) = ([], nil, true, true)
    }
}
