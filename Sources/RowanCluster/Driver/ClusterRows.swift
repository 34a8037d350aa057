// The rows of a statement, as they arrive from the leader in parts.

import Rowan

/// The rows of a statement.
final class ClusterRows: RemoteRows {
    /// The source of the parts. It keeps the rows until all have arrived.
    private weak var session: ClusterSession?
    /// The number of columns; nil without rows.
    let columnCount: Int?
    /// Whether all parts have arrived.
    private(set) var isComplete = true
    /// Whether the rows that have not arrived will not be read.
    private(set) var isAbandoned = false
    /// The parts that have arrived, starting with the current one.
    private var parts: [RowsPart] = []
    private var partIndex = 0
    private var reader: RowReader?
    private(set) var isAtEnd = false
    /// The failure of a call: the rows are incomplete.
    private var failure: (any Error)?
    /// The number of interruptions before the rows; nil for rows that the driver reads.
    private var interruptions: (guardian: SessionGuard, count: Int)?

    /// No rows.
    init() {
        columnCount = nil
        isAtEnd = true
    }

    /// - Parameter first: the first response.
    init(_ session: ClusterSession, _ first: Response) {
        guard case .rows(let part) = first else {
            columnCount = nil
            isAtEnd = true
            return
        }
        columnCount = part.columnCount
        parts = [part]
        self.session = session
        isComplete = part.isLast
    }

    /// Moves to the first row.
    func start() throws {
        guard !isAtEnd else { return }
        reader = RowReader(parts[0])
        try next()
    }

    /// Makes interruptions from now on end the rows, as they end the running statements of SQLite.
    func watch(_ guardian: SessionGuard) { interruptions = (guardian, guardian.interruptionCount) }

    /// - Throws: SQLITE_INTERRUPT after an interruption, or the failure of the connection.
    func next() throws {
        if let interruptions, interruptions.guardian.interruptionCount != interruptions.count {
            throw DatabaseError.lost(.cancelled, "")
        }
        while true {
            if try reader?.next() == true { return }
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

    private func receivePart() throws {
        guard let session else {
            isComplete = true
            let error = DatabaseError.lost(.closed("the connection to the leader has ended"), "Read again")
            failure = error
            throw error
        }
        do {
            guard case .rows(let part) = try session.laterAnswer() else {
                throw WireError.malformed("it did not answer with rows")
            }
            if !isAbandoned { parts.append(part) }
            isComplete = part.isLast
            if isComplete { try session.streamDidEnd() }
        } catch let error as WireError {
            isComplete = true
            session.end(error)
            let known = DatabaseError.lost(error, "Read again")
            failure = known
            throw known
        } catch {
            isComplete = true
            failure = error
            do { try session.streamDidEnd(failed: true) } catch { session.end(error as? WireError) }
            throw error
        }
    }

    /// Receives all rows, because another request follows.
    ///
    /// - Throws: `WireError.malformed` if they have more bytes than the limit.
    func readToEnd(atMost maximum: Int = .max) throws {
        var byteCount = parts.reduce(0) { $0 + $1.byteCount }
        while !isComplete {
            guard byteCount <= maximum else {
                isComplete = true
                let error = WireError.malformed("it sent more than \(maximum) bytes for a small result")
                session?.end(error)
                throw error
            }
            let count = parts.count
            try receivePart()
            byteCount += parts[count...].reduce(0) { $0 + $1.byteCount }
        }
    }

    func setResult(_ result: RemoteResult, column: Int) { reader?.setResult(result, column) }

    func close() {
        // The rows that have not arrived are received before the next request, or never.
        (parts, reader, isAtEnd, isAbandoned) = ([], nil, true, true)
    }

    /// All values, for the driver.
    func values() throws -> [[DatabaseValue]] {
        var all: [[DatabaseValue]] = []
        try start()
        while !isAtEnd {
            all.append(reader?.values ?? [])
            try next()
        }
        return all
    }
}
