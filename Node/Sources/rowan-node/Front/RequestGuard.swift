// The requests of one connection, on their way to dqlite. Only whole, well-formed requests pass, and one at a time: dqlite
// ends its process if a statement is used after its end, or if a request arrives while it sends a response.
//
// A chain is a number of requests that a client sends without waiting: each of them runs only if the one before it has
// succeeded. So COMMIT can follow a statement that may fail, and a statement the BEGIN that another client may prevent.

/// Finds the requests in the bytes of a connection and decides which may pass.
struct RequestGuard {
    /// What happens to the next bytes.
    enum Decision: Equatable {
        /// The request of this size passes.
        case pass(RequestKind, size: Int)
        /// The request of this size does not run: an earlier one of its chain has failed.
        case skip(size: Int)
        /// A chain begins, possibly with the turn to write: see `begin(_:)`.
        case begin(Chain, size: Int)
        /// The request is incomplete.
        case wait
        /// The request has to wait for the response to the one before.
        case hold
        /// The request does not pass, and the connection ends; with a sentence for the client.
        case refuse(String)
    }

    /// The request without a response.
    private var pending: RequestKind?
    private var database: UInt32?
    /// The name of the database, once it is open.
    private(set) var databaseName: String?
    private var openingName: String?
    private var chain = Chain()
    private var statements: Set<UInt32> = []

    /// The largest request: that of the driver.
    static let largestSize = 1 << 30
    /// More statements than a client uses: dqlite keeps all of them.
    private static let largestStatementCount = 10_000

    /// Whether dqlite still has to respond.
    var isWaiting: Bool { pending != nil }

    /// Requests of which none runs after one has failed.
    struct Chain: Equatable {
        /// The number of requests without a response.
        fileprivate(set) var rest = 0
        fileprivate(set) var hasFailed = false
        /// How long to wait for the turn to write; nil for a chain that needs none.
        fileprivate(set) var turnLimit: Duration?

        fileprivate init() {}

        fileprivate init(_ body: UnsafeRawBufferPointer) {
            func word(_ index: Int) -> UInt64 {
                UInt64(littleEndian: body.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
            }
            rest = Int(word(0))
            // Longer than any client waits.
            turnLimit = word(1) == .max ? nil : .milliseconds(Int64(min(word(1), 1 << 40)))
        }
    }

    /// Whether responses of a chain are missing.
    var isInChain: Bool { chain.rest > 0 }

    /// Begins a chain.
    ///
    /// - Parameter isFailed: whether none of its requests runs.
    mutating func begin(_ chain: Chain, isFailed: Bool = false) {
        self.chain = chain
        self.chain.hasFailed = isFailed
    }

    /// - Parameter bytes: what has arrived after the requests that have passed.
    mutating func next(_ bytes: UnsafeRawBufferPointer) -> Decision {
        guard pending == nil else { return .hold }
        guard bytes.count >= 8 else { return .wait }
        let size = 8 + 8 * Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
        guard size > 8, size <= Self.largestSize else { return .refuse("a request of \(size - 8) bytes") }
        guard let kind = RequestKind(rawValue: bytes[4]) else {
            return .refuse("a request of the unknown type \(bytes[4])")
        }
        guard bytes[5] == 0 else { return .refuse("a request with the unknown schema \(bytes[5])") }
        guard size <= bytes.count else { return .wait }
        let body = UnsafeRawBufferPointer(rebasing: bytes[8..<size])
        guard kind.accepts(body) else { return .refuse("a malformed request of type \(kind.rawValue)") }
        return decide(kind, body, size)
    }

    private mutating func decide(_ kind: RequestKind, _ body: UnsafeRawBufferPointer, _ size: Int) -> Decision {
        if isInChain {
            guard kind != .chain, kind != .connect, kind != .open else {
                return .refuse("a request of type \(kind.rawValue) in a chain")
            }
            if chain.hasFailed || kind.isOwn { chain.rest -= 1 }
            if chain.hasFailed { return .skip(size: size) }
        }
        if kind == .chain {
            let chain = Chain(body)
            guard chain.turnLimit == nil || database != nil else { return .refuse("a turn without a database") }
            return .begin(chain, size: size)
        }
        if kind.usesDatabase {
            let id = UInt32(littleEndian: body.loadUnaligned(as: UInt32.self))
            guard id == database else { return .refuse("a request for the database \(id), which is not open") }
        }
        if kind.usesStatement {
            let id = UInt32(littleEndian: body.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
            guard statements.contains(id) else {
                return .refuse("a request for the statement \(id), which does not exist")
            }
            if kind == .finalize { statements.remove(id) }
        }
        if kind == .prepare, statements.count == Self.largestStatementCount {
            return .refuse("more than \(statements.count) statements")
        }
        if kind == .open { openingName = String(decoding: body.prefix { $0 != 0 }, as: UTF8.self) }
        // Messages between nodes have no responses.
        if kind != .connect, !kind.isOwn { pending = kind }
        return .pass(kind, size: size)
    }

    /// Called when a response is complete.
    ///
    /// - Returns: the request to which it belongs; nil if there is none.
    mutating func receive(_ response: ResponseScanner.Response) -> RequestKind? {
        if pending == .open, let id = response.database {
            (database, databaseName, statements) = (id, openingName, [])
        }
        if pending == .prepare, let id = response.statement { statements.insert(id) }
        if isInChain {
            chain.rest -= 1
            chain.hasFailed = response.isFailure
        }
        defer { pending = nil }
        return pending
    }
}
