/// A measured library: the floor in C, Rowan, or the peer.
///
/// This module doesn't depend on a SQLite library. The sides are separate modules, because Rowan and the peer declare
/// the same names.
public protocol Side: Sendable {
    /// `c`, `rowan` or `grdb`.
    var name: String { get }

    /// Opens the database, and prepares everything that a run needs: connections, records to insert.
    func prepare(_ assignment: Assignment) throws -> any Run

    /// The values of pragmas on databases opened by this side. For a fair comparison, all sides must have the same
    /// settings.
    func settings(_ pragmas: [String], of access: Access, path: String) throws -> [String]
}

/// The work for a side.
public struct Assignment: Sendable {
    public let workload: Workload.ID
    public let count: Int
    /// The number of rows in the fixture.
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

/// The way in which a side accesses the database.
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
    /// A checksum that proves that the work was done, equal on all sides.
    func checksum() throws -> UInt64
    /// The duration of each operation of the run, in nanoseconds; empty if only the whole run is timed.
    func latencies() -> [UInt64]
    /// The recorded sizes of the write-ahead log; nil for most runs.
    func log() -> BoundedLog?
    func close() throws
}

/// A run made of closures. It retains the result until it is released, so that freeing the result is not measured.
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
