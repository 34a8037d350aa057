/// One thing to measure, the same for all sides.
public struct Workload: Sendable {
    public enum ID: String, CaseIterable, Sendable {
        case fetchIndex = "fetch-index"
        case fetchName = "fetch-name"
        case fetchCodable = "fetch-codable"
        case fetchInt = "fetch-int"
        case fetchPlace = "fetch-place"
        case fetchPlaceCodable = "fetch-place-codable"
        case insertStatement = "insert-statement"
        case insertStruct = "insert-struct"
        case insertAll = "insert-all"
        case insertCodable = "insert-codable"
        case insertPlace = "insert-place"
        case insertPlaceCodable = "insert-place-codable"
        case updateStruct = "update-struct"
        case pointRead = "point-read"
        case pointReadAccess = "point-read-access"
        case pointReadPool = "point-read-pool"
        case pointWriteAccess = "point-write-access"
        case openClose = "open-close"
        case cursorMillion = "cursor-million"
    }

    /// What the library must reach.
    public enum Target: Sendable {
        /// At most so many times the time of the floor.
        case ratio(Double)
        /// At most so many bytes allocated at any time.
        case peakBytes(Int)
    }

    public let id: ID
    /// How many rows one run reads or writes; for `openClose`, how many connections it opens.
    public let count: Int
    public let fixture: Fixture
    public let target: Target

    public var name: String { id.rawValue }
}

extension Workload {
    /// - Parameter divisor: Divides the number of rows, in the tables too.
    public init(_ id: ID, dividedBy divisor: Int = 1) {
        let specification = Self.specification(of: id)
        self.id = id
        self.count = specification.count / divisor
        self.fixture = specification.fixture.divided(by: divisor)
        self.target = specification.target
    }

    private static func specification(of id: ID) -> (count: Int, fixture: Fixture, target: Target) {
        switch id {
        case .fetchIndex: (200_000, .ints(200_000), .ratio(1.15))
        case .fetchName: (200_000, .ints(200_000), .ratio(1.5))
        case .fetchCodable: (200_000, .ints(200_000), .ratio(3))
        case .fetchInt: (200_000, .ints(200_000), .ratio(1.3))
        case .fetchPlace: (100_000, .places(100_000), .ratio(1.6))
        case .fetchPlaceCodable: (100_000, .places(100_000), .ratio(3))
        case .insertStatement: (50_000, .emptyInts, .ratio(1.5))
        case .insertStruct: (50_000, .emptyInts, .ratio(1.5))
        case .insertAll: (50_000, .emptyInts, .ratio(0.9))
        case .insertCodable: (50_000, .emptyInts, .ratio(2.8))
        case .insertPlace: (100_000, .emptyPlaces, .ratio(1.8))
        case .insertPlaceCodable: (100_000, .emptyPlaces, .ratio(3))
        case .updateStruct: (100_000, .places(100_000).copiedForEachRun(), .ratio(1.8))
        case .pointRead: (100_000, .places(100_000), .ratio(2))
        case .pointReadAccess: (100_000, .places(100_000), .ratio(1.5))
        case .pointReadPool: (100_000, .places(100_000).writtenAhead(), .ratio(1.5))
        case .pointWriteAccess: (5_000, .emptyPlaces.writtenAhead(), .ratio(1.5))
        case .openClose: (1_000, .ints(1_000), .ratio(2))
        case .cursorMillion: (1_000_000, .ints(1_000), .peakBytes(1 << 20))
        }
    }
}
