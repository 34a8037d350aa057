/// A workload to measure, the same for all sides.
public struct Workload: Sendable {
    public enum ID: String, CaseIterable, Sendable {
        case fetchIndex = "fetch-index"
        case fetchName = "fetch-name"
        case fetchRecord = "fetch-record"
        case fetchCodable = "fetch-codable"
        case fetchInt = "fetch-int"
        case fetchPlace = "fetch-place"
        case fetchPlaceCodable = "fetch-place-codable"
        case fetchPlaceRecord = "fetch-place-record"
        case fetchText = "fetch-text"
        case fetchTextCodable = "fetch-text-codable"
        case fetchTextRecord = "fetch-text-record"
        case fetchJSON = "fetch-json"
        case fetchRows = "fetch-rows"
        case requestJSON = "request-json"
        case insertStatement = "insert-statement"
        case insertStruct = "insert-struct"
        case insertAll = "insert-all"
        case insertAllRecord = "insert-all-record"
        case insertCodable = "insert-codable"
        case insertRecord = "insert-record"
        case insertPlace = "insert-place"
        case insertPlaceCodable = "insert-place-codable"
        case insertPlaceRecord = "insert-place-record"
        case insertFile = "insert-file"
        case insertAllFile = "insert-all-file"
        case updateFile = "update-file"
        case upsertFile = "upsert-file"
        case deleteFile = "delete-file"
        case updateStruct = "update-struct"
        case updatePlaceRecord = "update-place-record"
        case updateChanges = "update-changes"
        case updateChangesRecord = "update-changes-record"
        case saveJSON = "save-json"
        case recordClass = "record-class"
        case namedArguments = "named-arguments"
        case script
        case pointRead = "point-read"
        case pointReadRecord = "point-read-record"
        case pointReadAccess = "point-read-access"
        case pointReadPool = "point-read-pool"
        case pointWriteAccess = "point-write-access"
        case openClose = "open-close"
        case untrustedOpen = "untrusted-open"
        case filteredRead = "filtered-read"
        case scopedRead = "scoped-read"
        case scopedInsert = "scoped-insert"
        case changesetRecord = "changeset-record"
        case changesetApply = "changeset-apply"
        case migrate = "migrate-100"
        case checkSchema = "check-schema"
        case fullTextBuild = "fulltext-build"
        case fullTextSearch = "fulltext-search"
        case vectorSearch = "vector-search"
        case cursorMillion = "cursor-million"
        case requestBuild = "request-build"
        case includeAll = "include-all"
        case includeAllRows = "include-all-rows"
        case includeAllComposite = "include-all-composite"
        case includeAllRecord = "include-all-record"
        case joinBelongsTo = "join-belongs-to"
        case joinBelongsToCodable = "join-belongs-to-codable"
        case joinBelongsToRecord = "join-belongs-to-record"
        case countHasMany = "count-has-many"
        case countThroughPivot = "count-through-pivot"
        case keysetPageFirst = "keyset-page-first"
        case keysetPage = "keyset-page"
        case pageDeep = "page-deep"
        case dumpCSV = "dump-csv"
        case dumpSQL = "dump-sql"
        case importCSV = "import-csv"
        case importJSONLines = "import-jsonl"
        case insertObserved0 = "insert-observed-0"
        case insertObserved1 = "insert-observed-1"
        case insertObserved100 = "insert-observed-100"
        case observeLatency = "observe-latency"
        case observeStorm = "observe-storm"
        case poolRead = "pool-read-8"
        case poolReadWriter = "pool-read-8-writer"
        case walBounded = "wal-bounded"
        case asyncRead = "async-read"
        case groupCommit = "group-commit"
        case planAll = "aggregate-plan-all"
        case planAllOther = "aggregate-plan-all-other"
        case planUnindexed = "aggregate-plan-unindexed"
        case planUnindexedOther = "aggregate-plan-unindexed-other"
        case planOne = "aggregate-plan-one"
        case planOneOther = "aggregate-plan-one-other"
        case planOneUnindexed = "aggregate-plan-one-unindexed"
        case planOneUnindexedOther = "aggregate-plan-one-unindexed-other"
        case scaleInsert1M = "scale-insert-1m"
        case scaleInsert10M = "scale-insert-10m"
        case scaleCursor1M = "scale-cursor-1m"
        case scaleCursor10M = "scale-cursor-10m"
        case scalePoints1M = "scale-points-1m"
        case scalePoints10M = "scale-points-10m"
        case scalePage1M = "scale-page-1m"
        case scalePage10M = "scale-page-10m"
        case scaleUpdateAll1M = "scale-update-all-1m"
        case scaleUpdateAll10M = "scale-update-all-10m"

        /// Whether it is included in a run without `--only`.
        public var isRunByDefault: Bool { aggregatePlan == nil && !rawValue.hasPrefix("scale-") }

        /// Whether all connections need the sqlite-vec extension.
        public var needsVectors: Bool { self == .vectorSearch }
    }

    /// The target of the library.
    public enum Target: Sendable {
        /// The maximum time, as a multiple of the floor's.
        case ratio(Double)
        /// The maximum number of bytes allocated at any time.
        case peakBytes(Int)
        /// The maximum number of bytes in the write-ahead log after any write.
        case logBytes(Int)
        /// The maximum number of nanoseconds per row, if C has no equivalent.
        case nanoseconds(Double)
        /// The minimum speed, as a multiple of the peer's.
        case timesPeer(Double)
        /// The minimum factor by which the median latency is shorter than the peer's.
        case latencyTimesPeer(Double)
        /// The maximum time, as a multiple of Rowan's time in another workload of the same run of `bench`.
        case timesWorkload(ID, Double)
        /// The maximum number of nanoseconds per row in addition to Rowan's in another workload of the same run of
        /// `bench`.
        case overWorkload(ID, nanoseconds: Double)
    }

    public let id: ID
    /// The number of rows that a run reads or writes; for `openClose`, the number of opened connections.
    public let count: Int
    public let fixture: Fixture
    /// Nil for workloads that are measured without a target.
    public let target: Target?

    public var name: String { id.rawValue }
}

extension Workload {
    /// - Parameter divisor: divides the number of rows, including those in the tables.
    public init(_ id: ID, dividedBy divisor: Int = 1) {
        let specification = Self.specification(of: id)
        self.id = id
        self.count = specification.count / divisor
        self.fixture = specification.fixture.divided(by: divisor)
        self.target = specification.target
    }

    private static func specification(of id: ID) -> (count: Int, fixture: Fixture, target: Target?) {
        switch id {
        case .fetchIndex: (200_000, .ints(200_000), .ratio(1.15))
        case .fetchRecord: (200_000, .ints(200_000), .ratio(1.08))
        case .fetchName: (200_000, .ints(200_000), .ratio(1.5))
        case .fetchCodable: (200_000, .ints(200_000), .ratio(3))
        case .fetchInt: (200_000, .ints(200_000), .ratio(1.3))
        case .fetchPlace: (100_000, .places(100_000), .ratio(1.6))
        case .fetchPlaceRecord: (100_000, .places(100_000), .ratio(1.35))
        case .fetchPlaceCodable: (100_000, .places(100_000), .ratio(3))
        case .fetchText: (20_000, .orders(20_000), .ratio(1.3))
        case .fetchTextRecord: (20_000, .orders(20_000), .ratio(1.35))
        case .fetchTextCodable: (20_000, .orders(20_000), .ratio(2.3))
        case .fetchJSON: (20_000, .documents(20_000), .timesPeer(2))
        case .fetchRows: (436_000, .measures(436_000), .timesPeer(2))
        case .requestJSON: (100_000, .places(100_000), .timesPeer(3))
        case .insertStatement: (50_000, .emptyInts, .ratio(1.5))
        case .insertStruct: (50_000, .emptyInts, .ratio(1.5))
        case .insertRecord: (50_000, .emptyInts, .ratio(1.15))
        case .insertAll: (50_000, .emptyInts, .ratio(0.9))
        case .insertAllRecord: (50_000, .emptyInts, .ratio(0.7))
        case .insertCodable: (50_000, .emptyInts, .ratio(2.8))
        case .insertPlace: (100_000, .emptyPlaces, .ratio(1.8))
        case .insertPlaceRecord: (100_000, .emptyPlaces, .ratio(1.3))
        case .insertPlaceCodable: (100_000, .emptyPlaces, .ratio(3))
        case .insertFile: (100_000, .emptyTickets, .ratio(1.4))
        case .insertAllFile: (100_000, .emptyTickets, .timesWorkload(.insertFile, 1))
        case .updateFile: (100_000, .tickets(100_000).copiedForEachRun(), .ratio(1.3))
        case .upsertFile: (100_000, .tickets(100_000).copiedForEachRun(), .ratio(2))
        case .deleteFile: (50_000, .tickets(100_000).copiedForEachRun(), .ratio(1.3))
        case .updateStruct: (100_000, .places(100_000).copiedForEachRun(), .ratio(1.8))
        case .updatePlaceRecord: (100_000, .places(100_000).copiedForEachRun(), .ratio(1.3))
        case .updateChanges: (5_000, .items(5_000).copiedForEachRun(), .timesPeer(2))
        case .updateChangesRecord: (5_000, .items(5_000).copiedForEachRun(), .ratio(1.5))
        case .saveJSON: (20_000, .emptyProfiles, .timesPeer(2))
        case .recordClass: (20_000, .emptyPlaces, .timesPeer(2))
        case .namedArguments: (50_000, .emptyPlayers, .timesPeer(2))
        case .script: (20_000, .emptyInts, .ratio(1.5))
        case .pointRead: (100_000, .places(100_000), .ratio(2))
        case .pointReadRecord: (100_000, .places(100_000), .ratio(1.3))
        case .pointReadAccess: (100_000, .places(100_000), .ratio(1.5))
        case .pointReadPool: (100_000, .places(100_000).writtenAhead(), .ratio(1.5))
        case .pointWriteAccess: (5_000, .emptyPlaces.writtenAhead(), .ratio(1.5))
        case .openClose: (1_000, .ints(1_000), .ratio(2))
        case .untrustedOpen: (1_000, .ints(1_000), .timesWorkload(.openClose, 1.3))
        case .filteredRead: (10_000, .issues(1_000), .ratio(1.5))
        case .scopedRead: (10_000, .issues(1_000), .timesWorkload(.filteredRead, 1.2))
        case .scopedInsert: (5_000, .emptyPlaces.writtenAhead(), .timesWorkload(.pointWriteAccess, 2))
        case .changesetRecord: (100_000, .tickets(100_000).copiedForEachRun(), .ratio(2.5))
        case .changesetApply: (100_000, .tickets(100_000).copiedForEachRun(), .ratio(1.1))
        case .migrate: (100, .emptyInts.writtenAhead(), .timesPeer(2))
        case .checkSchema: (200, .entries(200), .nanoseconds(250_000))
        case .fullTextBuild: (100_000, .emptyPages, .ratio(1.2))
        case .fullTextSearch: (1_000, .pages(100_000), .ratio(1.2))
        case .vectorSearch: (20, .vectors(100_000), .ratio(1.1))
        case .cursorMillion: (1_000_000, .ints(1_000), .peakBytes(1 << 20))
        case .requestBuild: (100_000, .players(1_000), .nanoseconds(3_000))
        case .includeAll: (111_000, .library(1_000, books: 10, reviews: 10), .timesPeer(2))
        case .includeAllRows: (111_000, .library(1_000, books: 10, reviews: 10), .timesPeer(2))
        case .includeAllRecord: (111_000, .library(1_000, books: 10, reviews: 10), .ratio(2.5))
        case .includeAllComposite: (42_000, .shelves(2_000, volumes: 20), .timesPeer(2))
        case .joinBelongsTo: (100_000, .library(1_000, books: 100), .timesPeer(2))
        case .joinBelongsToRecord: (100_000, .library(1_000, books: 100), .ratio(1.5))
        case .joinBelongsToCodable: (100_000, .library(1_000, books: 100), .timesPeer(2))
        case .countHasMany: (10_000, .library(10_000, books: 10), .timesPeer(2))
        case .countThroughPivot: (20, .issues(20_000), .ratio(1.5))
        case .keysetPageFirst: (1_000, .players(1_000_000), .timesPeer(2))
        case .keysetPage: (1_000, .players(1_000_000), .timesPeer(2))
        case .pageDeep: (1_000, .runners(1_000_000), .ratio(1.5))
        case .dumpCSV, .dumpSQL: (1_000_000, .players(1_000_000), .ratio(1))
        case .importCSV, .importJSONLines: (1_000_000, .emptyPlayers, .ratio(1))
        case .insertObserved0: (50_000, .emptyInts, .timesWorkload(.insertStruct, 1.03))
        case .insertObserved1: (50_000, .emptyInts, .timesPeer(2))
        case .insertObserved100: (50_000, .emptyInts, nil)
        case .observeLatency: (1_000, .teams(100).writtenAhead().copiedForEachRun(), .latencyTimesPeer(2))
        case .observeStorm: (1_000, .teams(100).writtenAhead().copiedForEachRun(), .timesPeer(4))
        case .poolRead: (100_000, .places(100_000).writtenAhead(), .timesPeer(2))
        case .poolReadWriter: (100_000, .places(100_000).writtenAhead().copiedForEachRun(), .timesPeer(2))
        case .walBounded: (1_200, .places(100_000).writtenAhead().copiedForEachRun(), .logBytes(72 << 20))
        case .asyncRead: (100_000, .places(100_000).writtenAhead(), .overWorkload(.pointReadPool, nanoseconds: 10_000))
        case .groupCommit: (1_000, .emptyPlaces.writtenAhead(), .ratio(0.1))
        case .planAll, .planAllOther: (100_000, .library(100_000, books: 10), .ratio(1.3))
        case .planUnindexed: (100_000, .library(100_000, books: 10).withoutIndex(), .ratio(1.3))
        case .planUnindexedOther: (2_000, .library(2_000, books: 10).withoutIndex(), .ratio(1.3))
        case .planOne: (1_000, .library(100_000, books: 10), .ratio(3))
        case .planOneOther: (20, .library(100_000, books: 10), .ratio(3))
        case .planOneUnindexed, .planOneUnindexedOther:
            (20, .library(100_000, books: 10).withoutIndex(), .ratio(1.3))
        case .scaleInsert1M: (1_000_000, .emptyPlayers, nil)
        case .scaleInsert10M: (10_000_000, .emptyPlayers, nil)
        case .scaleCursor1M: (1_000_000, .players(1_000_000), nil)
        case .scaleCursor10M: (10_000_000, .players(10_000_000), nil)
        case .scalePoints1M: (100_000, .players(1_000_000), nil)
        case .scalePoints10M: (100_000, .players(10_000_000), nil)
        case .scalePage1M: (1_000, .players(1_000_000), nil)
        case .scalePage10M: (1_000, .players(10_000_000), nil)
        case .scaleUpdateAll1M: (1_000_000, .players(1_000_000).copiedForEachRun(), nil)
        case .scaleUpdateAll10M: (10_000_000, .players(10_000_000).copiedForEachRun(), nil)
        }
    }
}

extension Workload.Target {
    /// The workload to compare with.
    public var reference: Workload.ID? {
        switch self {
        case .timesWorkload(let id, _), .overWorkload(let id, _): id
        case .ratio, .peakBytes, .logBytes, .nanoseconds, .timesPeer, .latencyTimesPeer: nil
        }
    }
}

extension Workload.ID {
    /// The number of observers during insertions.
    public var observerCount: Int {
        switch self {
        case .insertObserved1: 1
        case .insertObserved100: 100
        default: 0
        }
    }
}

/// Aggregates of the associated rows, for all rows or for one.
///
/// C runs the given SQL: either the plan that suits the indexes or the other one, to show the cost of a wrong choice.
/// The libraries choose themselves, and run the same statement in both cases.
public struct AggregatePlan: Sendable {
    public let isForOneRow: Bool
    /// Whether each row has a subquery, rather than a single grouped table that is joined.
    public let isCorrelated: Bool
}

extension Workload.ID {
    /// The plan of the floor; nil for workloads that don't compare plans.
    public var aggregatePlan: AggregatePlan? {
        switch self {
        case .planAll, .planUnindexedOther: AggregatePlan(isForOneRow: false, isCorrelated: true)
        case .planAllOther, .planUnindexed: AggregatePlan(isForOneRow: false, isCorrelated: false)
        case .planOne, .planOneUnindexed: AggregatePlan(isForOneRow: true, isCorrelated: true)
        case .planOneOther, .planOneUnindexedOther: AggregatePlan(isForOneRow: true, isCorrelated: false)
        default: nil
        }
    }
}
