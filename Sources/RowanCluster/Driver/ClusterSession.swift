// A connection to the leader, and its open state: the database, the statements, and the unread responses. It ends with
// its first failure; the runner opens another one.

import Rowan

/// A connection to the leader.
final class ClusterSession {
    let connection: NodeConnection
    let database: UInt32
    private let options: ClusterOptions
    /// The statements that the leader has compiled, by their local number. Those that have run only once are not
    /// compiled.
    private var compiled: [Int: UInt32?] = [:]
    /// The statements of the driver.
    private var own: [String: UInt32] = [:]
    /// The number of responses to discard before the next ones.
    private var owedCount = 0
    /// The rows that are still arriving.
    private var stream: ClusterRows?
    /// Whether the transaction of a single read ends with its rows.
    private var endsReadWithStream = false
    /// Ends the wait for rows that arrive after the statement's first ones; nil for requests of the driver.
    var guardian: SessionGuard?
    /// Whether it has ended, or must end: an unrequested response is a failure.
    private(set) var isBroken = false
    /// The reason why it has ended; nil if unknown.
    private(set) var failure: WireError?
    /// Whether rows have failed after their first ones, which may have ended the transaction.
    private var hasLateFailure = false

    /// The leader does not keep statements beyond this number.
    private static let maximumStatementCount = 512

    init(_ connection: NodeConnection, database name: String, _ options: ClusterOptions, foreignKeys: Bool) throws {
        self.connection = connection
        self.options = options
        var requests = RequestBuffer()
        requests.client(id: UInt64.random(in: 1...UInt64(Int64.max)))
        try requests.open(name: Self.nameOnNodes(of: name))
        let deadline = options.requestTimeout.deadline
        try connection.send(requests, deadline: deadline)
        _ = try Self.checked(connection.receive(deadline: deadline))
        guard case .database(let id) = try Self.checked(connection.receive(deadline: deadline)) else {
            throw WireError.malformed("it did not open the database")
        }
        database = id
        try execute("PRAGMA foreign_keys = \(foreignKeys ? "ON" : "OFF")")
        // Pages of an open transaction that left the cache would be written to the log, which the node rejects.
        try execute("PRAGMA cache_spill = OFF")
        try prepareOwn(["BEGIN", "BEGIN IMMEDIATE", "COMMIT", Self.version, ClusterRunner.counters])
    }

    static let version = "PRAGMA schema_version"
    /// The size of the results that the driver reads for itself. The largest one is the schema.
    private static let maximumOwnBytes = 1 << 26

    /// A node mistakes a new name for an existing database whose name begins with it: "app" would be "app2". With a
    /// last character that names can't contain, no name begins with another one.
    static func nameOnNodes(of database: String) -> String { database + "~" }

    /// Has the leader compile the statements that each access sends.
    private func prepareOwn(_ texts: [String]) throws {
        var requests = RequestBuffer()
        for sql in texts { try requests.prepare(db: database, sql: sql) }
        try send(requests)
        for sql in texts {
            guard case .statement(_, let id, _) = try answer() else {
                throw WireError.malformed("it did not compile a statement")
            }
            own[sql] = id
        }
    }

    deinit { connection.close() }

    /// Ends the session. The leader rolls back its transaction.
    func end(_ reason: WireError? = nil) {
        isBroken = true
        failure = failure ?? reason
        connection.close()
    }

    private static func checked(_ response: Response) throws -> Response {
        if case .failure(let code, let message) = response { throw DatabaseError.refused(code, message) }
        return response
    }

    // MARK: Requests

    /// Sends requests, after reading all outstanding responses.
    func send(_ requests: RequestBuffer) throws {
        receiveLateRows()
        // Otherwise, it would look like an interruption.
        if let failure { throw failure }
        try connection.send(requests, deadline: options.requestTimeout.deadline)
    }

    /// Receives the rows that are still arriving. A failure of these rows is reported only to their reader.
    private func receiveLateRows() {
        do { try stream?.readToEnd() } catch {}
        stream = nil
    }

    /// Whether rows have failed since the last call, after receiving those that are still arriving.
    func takeLateFailure() -> Bool {
        receiveLateRows()
        defer { hasLateFailure = false }
        return hasLateFailure
    }

    /// Sends requests whose responses are discarded.
    func sendWithoutAnswer(_ requests: RequestBuffer) throws {
        try send(requests)
        owedCount += requests.count
    }

    /// The next response, which may be a failure.
    func receive() throws -> Response {
        try settle()
        return try connection.receive(deadline: options.requestTimeout.deadline)
    }

    /// The next response.
    ///
    /// - Throws: the failure with which the leader responds.
    func answer() throws -> Response { try Self.checked(receive()) }

    /// The next response, outside a request: another thread may interrupt.
    func laterAnswer() throws -> Response {
        guard let guardian else { return try answer() }
        return try guardian.running {
            let outer = try guardian.wait(for: connection)
            defer { guardian.stopWaiting(outer) }
            return try answer()
        }
    }

    /// Reads the responses to discard.
    private func settle() throws {
        while owedCount > 0 {
            owedCount -= 1
            let response = try connection.receive(deadline: options.requestTimeout.deadline)
            // A transaction that could not end would keep its state of the database.
            if case .failure(let code, let message) = response {
                isBroken = true
                throw WireError.closed("an earlier request failed: \(message) (\(code))")
            }
        }
    }

    /// Whether rows are arriving that will not be read.
    var hasAbandonedRows: Bool { stream.map { $0.isAbandoned && !$0.isComplete } ?? false }

    func begin(_ rows: ClusterRows) { stream = rows.isComplete ? nil : rows }

    /// Ends the transaction of a single read after its rows have arrived.
    func endReadAfterRows() throws {
        guard stream == nil else { return endsReadWithStream = true }
        try endRead()
    }

    /// Called after all rows of the stream have arrived, or will no longer arrive.
    func streamDidEnd(failed: Bool = false) throws {
        stream = nil
        if failed { hasLateFailure = true }
        guard endsReadWithStream else { return }
        endsReadWithStream = false
        try endRead()
    }

    private func endRead() throws {
        var requests = RequestBuffer()
        try add(exec: "COMMIT", to: &requests)
        try sendWithoutAnswer(requests)
    }

    // MARK: SQL of the driver

    /// Adds a statement of the driver that returns no rows.
    func add(exec sql: String, to requests: inout RequestBuffer) throws {
        guard let id = own[sql] else { return try requests.execSQL(db: database, sql: sql) }
        try requests.exec(db: database, statement: id, values: [])
    }

    /// Adds a statement of the driver that returns rows.
    func add(query sql: String, to requests: inout RequestBuffer) throws {
        guard let id = own[sql] else { return try requests.querySQL(db: database, sql: sql) }
        try requests.query(db: database, statement: id, values: [])
    }

    /// Runs SQL without rows.
    func execute(_ sql: String, _ values: [DatabaseValue] = []) throws {
        var requests = RequestBuffer()
        if values.isEmpty {
            try add(exec: sql, to: &requests)
        } else {
            try requests.execSQL(db: database, sql: sql, values: values)
        }
        try send(requests)
        _ = try answer()
    }

    /// Runs SQL with few rows.
    func rows(_ sql: String, _ values: [DatabaseValue] = []) throws -> [[DatabaseValue]] {
        var requests = RequestBuffer()
        try requests.querySQL(db: database, sql: sql, values: values)
        try send(requests)
        return try receiveRows()
    }

    /// The rows of a query that was sent.
    func receiveRows() throws -> [[DatabaseValue]] {
        let rows = ClusterRows(self, try answer())
        try rows.readToEnd(atMost: Self.maximumOwnBytes)
        return try rows.values()
    }

    // MARK: Statements of the program

    /// Adds the request that runs a statement: by its text at first; a statement that runs again is compiled.
    ///
    /// - Returns: whether a response with the compiled statement comes first.
    func add(_ statement: RemoteStatement, _ values: [DatabaseValue], to requests: inout RequestBuffer) throws -> Bool {
        let hasRows = statement.columnCount > 0
        if let id = compiled[statement.number] ?? nil {
            if hasRows {
                try requests.query(db: database, statement: id, values: values)
            } else {
                try requests.exec(db: database, statement: id, values: values)
            }
            return false
        }
        let isKnown = compiled.updateValue(nil, forKey: statement.number) != nil
        let compiles = isKnown && compiled.count < Self.maximumStatementCount
        if compiles { try requests.prepare(db: database, sql: statement.sql) }
        if hasRows {
            try requests.querySQL(db: database, sql: statement.sql, values: values)
        } else {
            try requests.execSQL(db: database, sql: statement.sql, values: values)
        }
        return compiles
    }

    /// Reads the response with a compiled statement. If the leader rejects it, it also refuses to run it.
    func receiveCompiled(_ statement: RemoteStatement) throws {
        if case .statement(_, let id, _) = try receive() { compiled[statement.number] = id }
    }

    /// Releases statements.
    func forget(_ numbers: [Int]) {
        var requests = RequestBuffer()
        for number in numbers {
            guard let known = compiled.removeValue(forKey: number), let id = known else { continue }
            requests.finalize(db: database, statement: id)
        }
        guard !requests.isEmpty else { return }
        // The next request also fails and opens another session.
        do { try sendWithoutAnswer(requests) } catch { isBroken = true }
    }

    /// Releases all statements, because the schema has changed.
    func forgetAll() { forget(Array(compiled.keys)) }
}
