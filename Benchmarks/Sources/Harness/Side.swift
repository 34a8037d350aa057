/// A library under measure: the floor in C, Rowan, or the peer.
///
/// This module knows no SQLite library. The sides live in modules of their own, because Rowan and the peer define the
/// same names.
public protocol Side: Sendable {
    /// `c`, `rowan` or `grdb`.
    var name: String { get }

    /// Opens the database, and makes ready all that a run should find: connections, records to insert.
    func prepare(_ assignment: Assignment) throws -> any Run

    /// The values of pragmas, as this side opens databases. A fair race has equal settings.
    func settings(_ pragmas: [String], of access: Access, path: String) throws -> [String]
}

/// What a side has to run.
public struct Assignment: Sendable {
    public let workload: Workload.ID
    public let count: Int
    /// How many rows the fixture has.
    public let rows: Int
    /// The path to a database made from the workload's fixture.
    public let path: String
    public let samples: Samples

    public init(workload: Workload, path: String, samples: Samples) {
        self.workload = workload.id
        self.count = workload.count
        self.rows = workload.fixture.rows
        self.path = path
        self.samples = samples
    }
}

/// How a side reaches the database.
public enum Access: String, CaseIterable, Sendable {
    /// One connection, and the default settings.
    case queue
    /// One connection to a database in WAL mode, synchronous NORMAL.
    case writeAheadQueue = "write-ahead queue"
    /// The readers of a database in WAL mode.
    case pool
    /// The readers of a database in WAL mode, synchronous NORMAL.
    case writeAheadPool = "write-ahead pool"
    /// The writer of a database in WAL mode, synchronous FULL: each commit waits for the disk.
    case durablePool = "durable pool"
}

/// One execution of a workload. Only `start` is measured: opening, verifying and freeing are not.
public protocol Run {
    func start() throws
    /// Proves that the work was done. Equal on all sides.
    func checksum() throws -> UInt64
    /// How long each operation of the run took, in nanoseconds; empty if only the whole run is timed.
    func latencies() -> [UInt64]
    /// What the run noted of the write-ahead log; nil for most runs.
    func log() -> BoundedLog?
    func close() throws
}

/// A run made of closures. It keeps the result alive until it goes away, so that no side is charged for freeing it.
public final class ClosureRun<Result>: Run {
    private let body: () throws -> Result
    private let digest: (Result, inout Checksum) throws -> Void
    private let onLatencies: (Result) -> [UInt64]
    private let onLog: (Result) -> BoundedLog?
    private let onClose: () throws -> Void
    private var result: Result?

    public init(
        _ body: @escaping () throws -> Result,
        digest: @escaping (Result, inout Checksum) throws -> Void,
        latencies: @escaping (Result) -> [UInt64] = { _ in [] },
        log: @escaping (Result) -> BoundedLog? = { _ in nil },
        close: @escaping () throws -> Void
    ) {
        self.body = body
        self.digest = digest
        self.onLatencies = latencies
        self.onLog = log
        self.onClose = close
    }

    public func start() throws {
        result = try body()
    }

    public func checksum() throws -> UInt64 {
        var checksum = Checksum()
        if let result {
            try digest(result, &checksum)
        }
        return checksum.value
    }

    public func latencies() -> [UInt64] {
        result.map(onLatencies) ?? []
    }

    public func log() -> BoundedLog? {
        result.flatMap(onLog)
    }

    public func close() throws {
        try onClose()
    }
}
