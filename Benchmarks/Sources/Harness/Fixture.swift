/// The database that a run starts from. The harness makes it with the floor, outside of the measured time.
public struct Fixture: Hashable, Sendable {
    public enum Table: Hashable, Sendable {
        /// Ten integers: `ints(c0, ..., c9)`.
        case ints
        /// `place(id, title, isFavorite, latitude, longitude, note, created)`.
        case places
    }

    public enum Journal: Hashable, Sendable {
        case delete
        case wal
    }

    public private(set) var table: Table
    /// How many rows the table holds when the run starts.
    public private(set) var rows: Int
    public private(set) var journal = Journal.delete
    /// True when runs write: each gets a database of its own.
    public private(set) var isFresh: Bool

    public static func ints(_ rows: Int) -> Fixture { Fixture(table: .ints, rows: rows, isFresh: false) }
    public static func places(_ rows: Int) -> Fixture { Fixture(table: .places, rows: rows, isFresh: false) }
    public static let emptyInts = Fixture(table: .ints, rows: 0, isFresh: true)
    public static let emptyPlaces = Fixture(table: .places, rows: 0, isFresh: true)

    public func writtenAhead() -> Fixture {
        var copy = self
        copy.journal = .wal
        return copy
    }

    public func copiedForEachRun() -> Fixture {
        var copy = self
        copy.isFresh = true
        return copy
    }

    public func sharedByRuns() -> Fixture {
        var copy = self
        copy.isFresh = false
        return copy
    }

    func divided(by divisor: Int) -> Fixture {
        var copy = self
        copy.rows /= divisor
        return copy
    }
}

extension Fixture.Table {
    public var creation: String {
        switch self {
        case .ints:
            let columns = (0..<10).map { "c\($0) INTEGER NOT NULL" }
            return "CREATE TABLE ints (\(columns.joined(separator: ", ")))"
        case .places:
            return """
                CREATE TABLE place (
                    id INTEGER PRIMARY KEY,
                    title TEXT NOT NULL,
                    isFavorite BOOLEAN NOT NULL,
                    latitude DOUBLE NOT NULL,
                    longitude DOUBLE NOT NULL,
                    note TEXT,
                    created DATETIME NOT NULL)
                """
        }
    }
}
