import CFloor
public import Harness

/// The raw C API: what the other sides are compared with.
public struct FloorSide: Side {
    public let name = "c"

    public init() {}

    public func prepare(_ assignment: Assignment) throws -> any Run {
        let path = assignment.path
        let count = assignment.count
        let samples = assignment.samples

        switch assignment.workload {
        case .fetchIndex, .fetchName, .fetchCodable:
            return try run(path, { IntsList() }, digest: { $0.digest(into: &$1) }) { connection, result in
                floor_fetch_ints(connection, &result.list)
            }

        case .fetchInt:
            return try run(path, { IntList() }, digest: { $0.digest(into: &$1) }) { connection, result in
                floor_fetch_int(connection, &result.list)
            }

        case .fetchPlace, .fetchPlaceCodable:
            return try run(path, { PlaceList() }, digest: { $0.digest(into: &$1) }) { connection, result in
                floor_fetch_places(connection, &result.list)
            }

        case .insertStatement, .insertStruct, .insertCodable:
            let rows = samples.ints.prefix(count).map { FloorInts($0) }
            return try run(path, digest: { _, _ in }) { connection in
                floor_insert_ints(connection, rows, rows.count)
            }

        case .insertPlace, .insertPlaceCodable:
            let places = try PlaceList(samples.places.prefix(count))
            return try run(path, digest: { _, checksum in places.ids.forEach { checksum.add($0) } }) { connection in
                floor_insert_places(connection, places.list.rows, places.list.count)
            }

        case .updateStruct:
            let places = try updatedPlaces(path: path)
            return try run(path, digest: { _, _ in }) { connection in
                floor_update_places(connection, places.list.rows, places.list.count)
            }

        case .pointRead:
            return try run(path, { Sum() }, digest: { $1.add($0.value) }) { connection, sum in
                floor_read_points(connection, samples.keys, count, &sum.value)
            }

        case .pointReadAccess, .pointReadPool:
            return try run(path, { Sum() }, digest: { $1.add($0.value) }) { connection, sum in
                floor_read_points_in_transactions(connection, samples.keys, count, &sum.value)
            }

        case .pointWriteAccess:
            let places = try PlaceList(samples.places.prefix(count))
            return try run(
                path, access: .writeAheadQueue, digest: { _, checksum in places.ids.forEach { checksum.add($0) } }
            ) { connection in
                floor_write_points(connection, places.list.rows, places.list.count)
            }

        case .openClose:
            return try run(path, { Sum() }, digest: { $1.add($0.value) }) { _, sum in
                floor_open_read_close(path, count, &sum.value)
            }

        case .cursorMillion:
            return try run(path, { Sum() }, digest: { $1.add($0.value) }) { connection, sum in
                floor_sum_generated(connection, Int64(count), &sum.value)
            }
        }
    }

    public func settings(_ pragmas: [String], of access: Access, path: String) throws -> [String] {
        let connection = try open(path, access: access)
        return try pragmas.map { try connection.text("PRAGMA \($0)") }
    }
}

/// A result that has to be an object, for C to write into it.
private final class Sum {
    var value: Int64 = 0
}

private func open(_ path: String, access: Access) throws -> Connection {
    let connection = try Connection(path: path)
    if access == .writeAheadQueue {
        try connection.execute("PRAGMA synchronous = NORMAL")
    }
    return connection
}

/// A run that calls one C function.
private func run<Result>(
    _ path: String,
    access: Access = .queue,
    _ makeResult: @escaping () -> Result,
    digest: @escaping (Result, inout Checksum) -> Void,
    body: @escaping (OpaquePointer, Result) -> CInt
) throws -> any Run {
    var connection: Connection? = try open(path, access: access)
    return ClosureRun {
        let result = makeResult()
        try connection!.check(body(connection!.handle, result))
        return result
    } digest: {
        digest($0, &$1)
    } close: {
        connection = nil
    }
}

private func run(
    _ path: String,
    access: Access = .queue,
    digest: @escaping (Void, inout Checksum) -> Void,
    body: @escaping (OpaquePointer) -> CInt
) throws -> any Run {
    try run(path, access: access, {}, digest: digest) { connection, _ in body(connection) }
}

/// The stored places, with another value in two columns.
private func updatedPlaces(path: String) throws -> PlaceList {
    let connection = try Connection(path: path)
    let places = PlaceList()
    try connection.check(floor_fetch_places(connection.handle, &places.list))
    for place in UnsafeMutableBufferPointer(start: places.list.rows, count: places.list.count).indices {
        places.list.rows[place].isFavorite.toggle()
        places.list.rows[place].latitude += 1
    }
    return places
}
