import CFloor
public import Harness

/// The harness's database operations before and after the runs of any side.
extension FloorSide {
    /// Creates the database of a fixture.
    public func create(_ fixture: Fixture, path: String, samples: Samples) throws {
        let connection = try Connection(path: path)
        // The database is discarded after a crash.
        try connection.execute("PRAGMA synchronous = OFF")
        if fixture.journal == .wal {
            try connection.execute("PRAGMA journal_mode = WAL")
        }
        try connection.execute(fixture.table.creation)
        switch fixture.table {
        case .ints:
            let rows = samples.ints.prefix(fixture.rows).map { FloorInts($0) }
            try connection.check(floor_insert_ints(connection.handle, rows, rows.count))
        case .places:
            let places = try PlaceList(samples.places.prefix(fixture.rows))
            try connection.check(floor_insert_places(connection.handle, places.list.rows, places.list.count))
        case .tickets:
            let tickets = TicketList(samples.tickets(fixture.rows))
            try connection.check(floor_insert_tickets(connection.handle, tickets.rows, tickets.rows.count))
        case .pages:
            try connection.insert(samples.pages(fixture.rows))
        case .vectors:
            let elements = samples.vectors(fixture.rows)
            try connection.check(
                floor_insert_vectors(connection.handle, elements, Samples.dimension, fixture.rows))
        case .teams, .profiles:
            break
        case .library, .players, .orders, .documents, .measures, .items, .shelves, .entries, .runners, .issues:
            if let sql = fixture.table.filling(rows: fixture.rows) { try connection.execute(sql) }
        }
    }

    /// The checksum of the whole table after a run. Dates in another than the expected format are an error.
    public func checksum(of table: Fixture.Table, path: String) throws -> UInt64 {
        let connection = try Connection(path: path)
        var checksum = Checksum()
        switch table {
        case .ints:
            let rows = IntsList()
            try connection.check(floor_fetch_ints(connection.handle, &rows.list))
            rows.digest(into: &checksum)
        case .places:
            let places = PlaceList()
            try connection.check(floor_fetch_places(connection.handle, &places.list))
            places.digest(into: &checksum)
        case .items, .pages, .teams, .tickets, .players, .profiles:
            try checksum.add(connection.text(table.proof!))
        case .library, .orders, .documents, .measures, .shelves, .entries, .runners, .issues, .vectors:
            preconditionFailure("no run writes there")
        }
        return checksum.value
    }

    public var sqliteVersion: String {
        get throws { try Connection(path: ":memory:").text("SELECT sqlite_version()") }
    }
}
