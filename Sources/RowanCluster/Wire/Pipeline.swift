// Requests that are sent together. Each of them returns a handle, which finds its reply among the replies: a reply that
// is not read is nevertheless received, and can't be mistaken for that of another request.

import Rowan

/// Requests about a database, in the order of their replies.
///
/// ```swift
/// var pipeline = Pipeline()
/// let begin = try pipeline.exec(database, .sql("BEGIN"))
/// let rows = try pipeline.query(database, .sql("SELECT 1"))
/// let replies = try session.send(pipeline)
/// _ = try replies[begin]
/// print(try replies[rows].values())
/// ```
struct Pipeline {
    private(set) var requests = RequestBuffer()
    private(set) var expectations: [Expectation] = []

    var isEmpty: Bool { expectations.isEmpty }

    /// The maximum size of a reply that is not the rows of the program. The largest one is the schema.
    static let smallReply = 1 << 24

    /// The maximum size of a reply.
    var maximumBytes: Int { expectations.lazy.map(\.maximumBytes).max() ?? Self.smallReply }

    /// What belongs to one request.
    struct Expectation {
        let type: ResponseType
        /// The maximum size of its reply in bytes.
        var maximumBytes = Pipeline.smallReply
        /// Whether its rows may arrive later, if no request follows.
        var isStream = false
        /// Called with the reply, whether it is read or not.
        var receive: ((Reply) -> Void)?
    }

    /// The reply to a request.
    enum Reply {
        case response(Response)
        /// The parts that have arrived.
        case rows([RowsPart])
    }

    /// Finds the reply to a request.
    struct Handle<Value> {
        fileprivate let index: Int
        fileprivate let read: (Reply) throws -> Value?
    }

    /// The replies to the requests, in their order.
    struct Replies {
        fileprivate var all: [Result<Reply, NodeRefusal>] = []

        /// The reply to a request.
        ///
        /// - Throws: the `NodeRefusal` with which the node has replied; `WireError.malformed`.
        subscript<Value>(handle: Handle<Value>) -> Value {
            get throws {
                let reply = try all[handle.index].get()
                guard let value = try handle.read(reply) else {
                    throw WireError.malformed("a reply has other contents than its request")
                }
                return value
            }
        }

        mutating func append(_ reply: Result<Reply, NodeRefusal>) { all.append(reply) }
    }

    private mutating func expect<Value>(
        _ expectation: Expectation, _ read: @escaping (Reply) throws -> Value?
    ) -> Handle<Value> {
        expectations.append(expectation)
        return Handle(index: expectations.count - 1, read: read)
    }

    // MARK: Requests

    /// Introduces the client.
    mutating func client(id: UInt64) -> Handle<Void> {
        requests.client(id: id)
        return expect(Expectation(type: .welcome)) { _ in () }
    }

    /// Opens a database, the only one of the connection.
    mutating func open(name: String) throws -> Handle<UInt32> {
        try requests.open(name: name)
        return expect(Expectation(type: .database)) { reply in
            if case .response(.database(let id)) = reply { id } else { nil }
        }
    }

    /// Compiles a statement.
    ///
    /// - Parameter receive: called with its number, unless the node refuses.
    mutating func prepare(_ database: UInt32, _ sql: String, _ receive: @escaping (UInt32) -> Void) throws {
        try requests.prepare(db: database, sql: sql)
        var expectation = Expectation(type: .statement)
        expectation.receive = { if case .response(.statement(_, let id, _)) = $0 { receive(id) } }
        expectations.append(expectation)
    }

    /// Releases a statement.
    mutating func finalize(_ database: UInt32, _ statement: UInt32) {
        requests.finalize(db: database, statement: statement)
        expectations.append(Expectation(type: .empty))
    }

    /// A statement, as its text or as the number of a compiled one.
    enum Text {
        case sql(String)
        case compiled(UInt32)
    }

    /// Runs a statement that returns no rows.
    mutating func exec(_ database: UInt32, _ text: Text, _ values: [DatabaseValue] = []) throws -> Handle<RowCounts> {
        switch text {
        case .sql(let sql): try requests.execSQL(db: database, sql: sql, values: values)
        case .compiled(let id): try requests.exec(db: database, statement: id, values: values)
        }
        return expect(Expectation(type: .result)) { reply in
            if case .response(.result(let counts)) = reply { counts } else { nil }
        }
    }

    /// Runs a statement that returns rows.
    ///
    /// - Parameters:
    ///   - maximumBytes: the maximum size of the rows; a larger result is an error of the connection.
    ///   - isStream: whether to return with the first rows if no request follows.
    mutating func query(
        _ database: UInt32, _ text: Text, _ values: [DatabaseValue] = [],
        maximumBytes: Int = FrameBuffer.largestFrame, isStream: Bool = false
    ) throws -> Handle<[RowsPart]> {
        switch text {
        case .sql(let sql): try requests.querySQL(db: database, sql: sql, values: values)
        case .compiled(let id): try requests.query(db: database, statement: id, values: values)
        }
        return expect(Expectation(type: .rows, maximumBytes: maximumBytes, isStream: isStream)) { reply in
            if case .rows(let parts) = reply { parts } else { nil }
        }
    }
}

extension Pipeline {
    /// Requests of which none runs after one has failed.
    ///
    /// - Parameter turn: how long they wait until no other client writes; nil if they do not have to.
    /// - Returns: the reply to the chain itself, a refusal with SQLITE_BUSY if the turn did not come.
    mutating func chain<T>(
        turn: Duration?, _ body: (inout Pipeline) throws -> T
    ) rethrows -> (Handle<Void>, T) {
        let place = requests.beginChain(turn: turn)
        let handle = expect(Expectation(type: .empty)) { _ in () }
        let first = expectations.count
        let result = try body(&self)
        requests.endChain(place, requestCount: expectations.count - first)
        return (handle, result)
    }
}

extension Pipeline.Handle {
    /// A handle with a part of the value.
    func map<Part>(_ transform: @escaping (Value) throws -> Part) -> Pipeline.Handle<Part> {
        let read = read
        return Pipeline.Handle<Part>(index: index) { try read($0).map(transform) }
    }
}
