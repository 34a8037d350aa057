// A connection to the leader, and its open state: the database, the statements, and the unread replies. It ends with
// the first failure of the connection; the runner opens another one.

import Rowan

/// A connection to the leader.
final class ClusterSession {
    let connection: NodeConnection
    private let directory: NodeDirectory
    private var database: UInt32 = 0
    private let compiled = CompiledStatements()
    /// The replies to receive and discard before the next ones.
    private var owed: [Pipeline.Expectation] = []
    /// The rows that are still arriving.
    private var arriving: Arriving?
    /// Whether the transaction of a single read ends with its rows.
    private var endsReadWithRows = false
    /// Ends the wait for rows that arrive after the statement's first ones; nil for requests of the driver.
    var guardian: SessionGuard?
    /// The reason why it has ended.
    private(set) var failure: WireError?
    /// Whether rows have failed after their first ones, which may have ended the transaction.
    private var hasLateFailure = false

    private enum Arriving {
        /// They have no reader: they are received and discarded.
        case unread
        case read(ClusterRows)
    }

    var isBroken: Bool { failure != nil || connection.isBroken }

    init(
        _ connection: NodeConnection, database name: String, _ directory: NodeDirectory, foreignKeys: Bool
    ) throws {
        self.connection = connection
        self.directory = directory
        var opening = Pipeline()
        let client = opening.client(id: UInt64.random(in: 1...UInt64(Int64.max)))
        let open = try opening.open(name: Self.nameOnNodes(of: name))
        let (chain, _) = opening.chain(turn: nil) { _ in }
        let opened = try send(opening)
        try opened[client]
        do { try opened[chain] } catch is NodeRefusal {
            throw DatabaseError(
                resultCode: .SQLITE_PROTOCOL,
                message: "the node \(connection.address) runs an older version of rowan-node than this client needs: "
                    + "update the nodes before the clients")
        }
        database = try opened[open]
        var settings = pipeline()
        let setup = [
            try settings.execute("PRAGMA foreign_keys = \(foreignKeys ? "ON" : "OFF")"),
            // Pages of an open transaction that left the cache would be written to the log, which the node rejects.
            try settings.execute("PRAGMA cache_spill = OFF"),
        ]
        for sql in ["BEGIN", "BEGIN IMMEDIATE", "COMMIT", SessionPipeline.version, SessionPipeline.counters] {
            try settings.compile(sql)
        }
        let replies = try send(settings)
        for setting in setup { _ = try replies[setting] }
    }

    /// A node mistakes a new name for an existing database whose name begins with it: "app" would be "app2". With a
    /// last character that names can't contain, no name begins with another one.
    static func nameOnNodes(of database: String) -> String { database + "~" }

    deinit { connection.close() }

    /// Ends the session. The leader rolls back its transaction.
    func end(_ reason: WireError = .cancelled) {
        if failure == nil { failure = reason }
        connection.close()
    }

    // MARK: Requests

    /// Requests to send together.
    func pipeline() -> SessionPipeline { SessionPipeline(database, compiled) }

    /// Sends requests and receives their replies. The rows of the last one may still arrive afterwards: see `rows`.
    ///
    /// - Throws: a `WireError`, with which the session ends.
    func send(_ requests: SessionPipeline) throws -> Pipeline.Replies { try send(requests.pipeline) }

    private func send(_ requests: Pipeline) throws -> Pipeline.Replies {
        let handler = directory.options.eventHandler
        let start = handler.map { _ in ContinuousClock.now }
        try transmit(requests)
        var replies = Pipeline.Replies()
        var failure: NodeRefusal?
        for (index, expectation) in requests.expectations.enumerated() {
            let mayArriveLater = expectation.isStream && index == requests.expectations.count - 1
            var reply = try receive(expectation, mayArriveLater)
            if case .failure(let refusal) = reply {
                // What ended the chain is of interest, not that the others did not run.
                let cause = refusal.code == NodeRefusal.skipped ? failure : nil
                reply = .failure(cause ?? refusal)
                failure = cause ?? refusal
            }
            replies.append(reply)
        }
        if let handler, let start {
            handler(.roundTrip(duration: start.duration(to: .now), requestCount: requests.expectations.count))
        }
        return replies
    }

    /// Sends requests whose replies are received before those of the next ones. A refusal ends the session.
    func post(_ requests: SessionPipeline) throws {
        guard !requests.pipeline.isEmpty else { return }
        try transmit(requests.pipeline)
        owed += requests.pipeline.expectations
    }

    private func transmit(_ requests: Pipeline) throws {
        receiveLateRows()
        // Otherwise, it would look like an interruption.
        if let failure { throw failure }
        let deadline = directory.options.requestTimeout.deadline
        do {
            try connection.send(requests.requests, deadline: deadline, maximumBytes: requests.maximumBytes)
        } catch {
            end(error)
            throw error
        }
    }

    // MARK: Replies

    /// Receives the reply to a request.
    private func receive(
        _ expectation: Pipeline.Expectation, _ mayArriveLater: Bool
    ) throws -> Result<Pipeline.Reply, NodeRefusal> {
        try settle()
        let response = try nextResponse(expectation.maximumBytes)
        let reply: Pipeline.Reply
        switch response {
        case .failure(let refusal): return .failure(refusal)
        case .rows(let part) where expectation.type == .rows:
            if mayArriveLater, !part.isLast {
                arriving = .unread
                reply = .rows([part])
            } else {
                switch try allParts(part, expectation.maximumBytes) {
                case .success(let parts): reply = .rows(parts)
                case .failure(let refusal): return .failure(refusal)
                }
            }
        case _ where response.type == expectation.type: reply = .response(response)
        default: throw ended(.unexpected(response))
        }
        expectation.receive?(reply)
        return .success(reply)
    }

    private func allParts(_ first: RowsPart, _ maximumBytes: Int) throws -> Result<[RowsPart], NodeRefusal> {
        var parts = [first]
        let deadline = directory.options.requestTimeout.deadline
        // A part without rows also takes memory.
        let overhead = 256
        var (byteCount, isLast) = (first.byteCount, first.isLast)
        while !isLast {
            guard byteCount <= maximumBytes else {
                throw ended(.malformed("it sent more than \(maximumBytes) bytes for a small result"))
            }
            // Each part is in time, but their number has no limit.
            guard ContinuousClock.now < deadline else { throw ended(.timedOut) }
            switch try nextResponse(maximumBytes) {
            case .rows(let part):
                parts.append(part)
                (byteCount, isLast) = (byteCount + part.byteCount + overhead, part.isLast)
            case .failure(let refusal): return .failure(refusal)
            case let response: throw ended(.unexpected(response))
            }
        }
        return .success(parts)
    }

    /// Receives the replies to discard.
    private func settle() throws {
        while !owed.isEmpty {
            let expectation = owed.removeFirst()
            let response = try nextResponse(expectation.maximumBytes)
            // A transaction that could not end would keep its state of the database.
            if case .failure(let refusal) = response { throw ended(.closed("an earlier request failed: \(refusal)")) }
            guard response.type == expectation.type else { throw ended(.unexpected(response)) }
        }
    }

    private func ended(_ reason: WireError) -> WireError {
        end(reason)
        return reason
    }

    /// How long the leader may be silent before the other nodes are asked for another one.
    private static let silence = Duration.seconds(1)

    /// The next response. A leader that has failed without closing the connection is left when the other nodes follow
    /// another one; until then, it may be running a long statement.
    private func nextResponse(_ maximumBytes: Int) throws -> Response {
        let deadline = directory.options.requestTimeout.deadline
        while true {
            do throws(WireError) {
                return try connection.receive(
                    deadline: min(deadline, Self.silence.deadline), maximumBytes: maximumBytes)
            } catch {
                guard error == .timedOut, ContinuousClock.now < deadline else { throw ended(error) }
            }
            guard let successor = directory.successor(of: connection.address) else { continue }
            // The response may have arrived in the meantime.
            if let response = try? connection.receive(deadline: .now, maximumBytes: maximumBytes) { return response }
            throw ended(
                .replaced("the node \(connection.address) does not respond, and the others follow \(successor)"))
        }
    }

    // MARK: Rows that arrive later

    /// The rows of the last statement.
    func rows(_ parts: [RowsPart]) -> ClusterRows {
        let rows = ClusterRows(parts, from: self)
        if !rows.isComplete { arriving = .read(rows) }
        return rows
    }

    /// Whether rows are arriving that will not be read.
    var hasAbandonedRows: Bool {
        switch arriving {
        case nil: false
        case .unread: true
        case .read(let rows): rows.isAbandoned
        }
    }

    /// Receives the rows that are still arriving, all of them in the time of one request. A failure is reported only to
    /// their reader.
    private func receiveLateRows() {
        guard let arriving else { return }
        let deadline = directory.options.requestTimeout.deadline
        do {
            switch arriving {
            case .unread: while !(try nextPart(until: deadline).isLast) {}
            case .read(let rows): try rows.readToEnd(until: deadline)
            }
        } catch {}
        self.arriving = nil
    }

    /// Whether rows have failed since the last call, after receiving those that are still arriving.
    func takeLateFailure() -> Bool {
        receiveLateRows()
        defer { hasLateFailure = false }
        return hasLateFailure
    }

    /// The next part of the rows that are arriving. Another thread may interrupt.
    ///
    /// - Parameter end: when all rows must have arrived; nil while the program reads them one by one.
    /// - Throws: the `NodeRefusal` with which the rows end, or a `WireError`.
    func nextPart(until end: ContinuousClock.Instant? = nil) throws -> RowsPart {
        if let end, ContinuousClock.now >= end { throw ended(.timedOut) }
        let response: Response
        do {
            response =
                try guardian?.running {
                    let outer = try guardian?.wait(for: connection)
                    defer { guardian?.stopWaiting(outer) }
                    return try nextResponse(FrameBuffer.largestFrame)
                } ?? nextResponse(FrameBuffer.largestFrame)
        } catch let error as WireError {
            // The rows would become the reply to the next request.
            throw ended(error)
        }
        switch response {
        case .rows(let part):
            if part.isLast { try rowsDidEnd() }
            return part
        case .failure(let refusal):
            hasLateFailure = true
            // The session has then ended, which its next request reports.
            try? rowsDidEnd()
            throw refusal
        default: throw ended(.unexpected(response))
        }
    }

    /// Ends the transaction of a single read after its rows have arrived.
    func endReadAfterRows() throws {
        endsReadWithRows = true
        if arriving == nil { try rowsDidEnd() }
    }

    private func rowsDidEnd() throws {
        arriving = nil
        guard endsReadWithRows else { return }
        endsReadWithRows = false
        var requests = pipeline()
        try requests.execute("COMMIT")
        try post(requests)
    }

    // MARK: SQL of the driver

    /// Runs SQL without rows.
    func execute(_ sql: String, _ values: [DatabaseValue] = []) throws {
        var requests = pipeline()
        let done = try requests.execute(sql, values)
        _ = try send(requests)[done]
    }

    /// Begins a transaction of the driver that writes.
    ///
    /// - Parameter turn: how long to wait until no other client writes.
    func beginImmediate(turn: Duration) throws {
        var requests = pipeline()
        let (chain, begin) = try requests.chain(turn: turn) { try $0.execute("BEGIN IMMEDIATE") }
        let replies = try send(requests)
        try replies[chain]
        _ = try replies[begin]
    }

    /// Runs SQL with few rows.
    func rows(_ sql: String, _ values: [DatabaseValue] = []) throws -> [[DatabaseValue]] {
        var requests = pipeline()
        let rows = try requests.rows(sql, values)
        return try send(requests)[rows]
    }

    // MARK: Statements of the program

    /// Releases statements.
    func forget(_ numbers: [Int]) {
        var requests = pipeline()
        requests.forget(numbers)
        // A failure has ended the session, which the next request reports.
        try? post(requests)
    }

    /// Releases all statements, because the schema has changed.
    func forgetAll() { forget(Array(compiled.program.keys)) }
}
