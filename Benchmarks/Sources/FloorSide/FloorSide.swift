import CFloor
public import Harness

/// The raw C API, with which the other sides are compared.
public struct FloorSide: Side {
    public let name = "c"

    public init() {}

    public func prepare(_ assignment: Assignment) throws -> any Run {
        let path = assignment.path
        let count = assignment.count
        let samples = assignment.samples

        switch assignment.workload {
        case .fetchIndex, .fetchName, .fetchCodable, .fetchRecord:
            return try run(path, into: IntsList()) { connection, result in
                floor_fetch_ints(connection, &result.list)
            }

        case .fetchInt:
            return try run(path, into: IntList()) { connection, result in
                floor_fetch_int(connection, &result.list)
            }

        case .fetchPlace, .fetchPlaceCodable, .fetchPlaceRecord:
            return try run(path, into: PlaceList()) { connection, result in
                floor_fetch_places(connection, &result.list)
            }

        case .fetchText, .fetchTextCodable, .fetchTextRecord:
            return try run(path, into: OrderList()) { connection, orders in
                floor_fetch_orders(connection, &orders.list)
            }

        case .fetchJSON:
            return try run(path, into: DocumentList()) { connection, documents in
                floor_fetch_documents(connection, &documents.list)
            }

        case .fetchRows:
            return try run(path, into: MeasureList()) { connection, measures in
                floor_fetch_measures(connection, &measures.list)
            }

        case .requestJSON:
            return try run(path, into: JSONText()) { connection, text in
                text.bytes = floor_copy_text(connection, PlacesJSON.sql)
                return text.bytes == nil ? 1 : 0
            }

        case .insertStatement, .insertStruct, .insertAll, .insertAllRecord, .insertCodable, .insertRecord:
            let rows = samples.ints.prefix(count).map { FloorInts($0) }
            return try run(path, into: Nothing()) { connection, _ in
                floor_insert_ints(connection, rows, rows.count)
            }

        case .insertPlace, .insertPlaceCodable, .insertPlaceRecord:
            return try run(path, into: PlaceList(samples.places.prefix(count))) { connection, places in
                floor_insert_places(connection, places.list.rows, places.list.count)
            }

        case .insertFile, .insertAllFile, .updateFile, .upsertFile, .deleteFile, .changesetRecord,
            .changesetApply:
            return try runTickets(assignment)

        case .updateStruct, .updatePlaceRecord:
            return try run(path, into: updatedPlaces(path: path)) { connection, places in
                floor_update_places(connection, places.list.rows, places.list.count)
            }

        case .updateChanges, .updateChangesRecord:
            // The stock of each item, incremented by one.
            let stocks = (1...Int64(count)).map { $0 % 100 + 1 }
            return try run(path, into: Nothing()) { connection, _ in
                floor_update_stocks(connection, stocks, stocks.count)
            }

        case .saveJSON:
            return try saveProfiles(assignment)

        case .recordClass:
            // The libraries report a change before the update, and none after it.
            let places = try PlaceList(samples.places.prefix(count))
            return try run(path, into: Sum()) { connection, sum in
                sum.value = Int64(count)
                return floor_insert_and_update_places(connection, places.list.rows, places.list.count)
            }

        case .namedArguments, .scaleInsert1M, .scaleInsert10M:
            return try insertPlayers(assignment)

        case .script:
            let sql = Array(samples.script(count).utf8CString)
            return try run(path, into: Nothing()) { connection, _ in
                floor_run_script(connection, sql)
            }

        case .pointRead, .pointReadRecord:
            return try run(path, into: Sum()) { connection, sum in
                floor_read_points(connection, samples.keys, count, &sum.value)
            }

        case .pointReadAccess, .pointReadPool, .asyncRead:
            let access: Access = assignment.workload == .pointReadAccess ? .queue : .pool
            return try run(path, access: access, into: Sum()) { connection, sum in
                floor_read_points_in_transactions(connection, samples.keys, count, &sum.value, nil)
            }

        case .filteredRead, .scopedRead:
            let sql = "SELECT id, title, 0 FROM issue WHERE projectId = 1 ORDER BY id"
            return try run(path, into: TallyList()) { connection, tallies in
                floor_fetch_tallies_again(connection, sql, count, &tallies.list)
            }

        case .pointWriteAccess, .scopedInsert:
            let places = try PlaceList(samples.places.prefix(count))
            return try run(path, access: .writeAheadQueue, into: places) { connection, places in
                floor_write_points(connection, places.list.rows, places.list.count)
            }

        case .groupCommit:
            // One transaction for each insertion: sharing transactions, as the libraries do, must cost less.
            let places = try PlaceList(samples.places.prefix(count))
            return try run(path, access: .durablePool, into: places) { connection, places in
                floor_write_points(connection, places.list.rows, places.list.count)
            }

        case .openClose, .untrustedOpen:
            return try run(path, into: Sum()) { _, sum in
                floor_open_read_close(path, count, &sum.value)
            }

        case .migrate:
            return try run(path, access: .writeAheadQueue, into: Sum()) { connection, sum in
                floor_migrate(connection, count, &sum.value)
            }

        case .checkSchema:
            return try run(path, into: Sum()) { connection, sum in
                floor_check_schema(connection, count, &sum.value)
            }

        case .fullTextBuild:
            let pages = samples.pages(count)
            let (titles, bodies) = (CTexts(pages.map(\.title)), CTexts(pages.map(\.body)))
            return try run(path, into: Nothing()) { connection, _ in
                floor_insert_pages(connection, titles.pointers, bodies.pointers, count)
            }

        case .fullTextSearch:
            let patterns = CTexts(samples.searches(count, inPages: assignment.rows))
            return try run(path, into: FindingList()) { connection, findings in
                floor_search_pages(connection, patterns.pointers, count, &findings.list)
            }

        case .vectorSearch:
            let elements = samples.vectorSearches(count).flatMap { $0 }
            return try run(path, into: NeighborList()) { connection, neighbors in
                floor_search_vectors(connection, elements, Samples.dimension, count, &neighbors.list)
            }

        case .cursorMillion:
            return try run(path, into: Sum()) { connection, sum in
                floor_sum_generated(connection, Int64(count), &sum.value)
            }

        case .requestBuild:
            return try run(path, into: Sum()) { connection, sum in
                floor_bind_requests(connection, count, &sum.value)
            }

        case .includeAll, .includeAllRows, .includeAllRecord:
            return try run(path, into: AuthorList()) { connection, authors in
                floor_fetch_library(connection, &authors.list)
            }

        case .includeAllComposite:
            return try run(path, into: ShelfList()) { connection, shelves in
                floor_fetch_shelves(connection, &shelves.list)
            }

        case .joinBelongsTo, .joinBelongsToCodable, .joinBelongsToRecord:
            return try run(path, into: BookInfoList()) { connection, books in
                floor_fetch_books_with_authors(connection, &books.list)
            }

        case .countHasMany:
            let sql = "SELECT id, name, (SELECT COUNT(*) FROM book WHERE authorId = author.id) FROM author"
            return try run(path, into: TallyList()) { connection, tallies in
                floor_fetch_tallies(connection, sql, &tallies.list)
            }

        case .countThroughPivot:
            return try run(path, into: TallyList()) { connection, tallies in
                floor_fetch_tallies_again(connection, sqlOfIssueCounts, count, &tallies.list)
            }

        case .keysetPageFirst, .keysetPage, .pageDeep, .scalePage1M, .scalePage10M:
            return try runPages(assignment)

        case .scaleCursor1M, .scaleCursor10M:
            return try digestPlayers(assignment)

        case .scalePoints1M, .scalePoints10M:
            return try digestPlayersByID(assignment)

        case .scaleUpdateAll1M, .scaleUpdateAll10M:
            return try run(path, into: Nothing()) { connection, _ in
                floor_run_script(connection, "UPDATE player SET team = 'Whites'")
            }

        case .dumpCSV:
            return runShell(assignment, [".mode csv", ".output '\(assignment.dumpPath)'", "SELECT * FROM player"]) {
                try $0.add(csv: $1)
            }

        case .importCSV:
            assignment.writePlayersCSV()
            return runShell(assignment, [".mode csv", ".import '\(assignment.importPath)' player", ".exit"]) { _, _ in }

        case .importJSONLines:
            assignment.writePlayersJSONLines()
            // A table of lines, because the shell reads no JSON.
            let script = """
                CREATE TEMP TABLE line (text);
                .mode ascii
                .separator "\u{1F}" "\\n"
                .import --schema temp '\(assignment.importPath)' line
                INSERT INTO player
                SELECT text->>'$.id', text->>'$.name', text->>'$.team', text->>'$.score' FROM line;
                """
            OutputFile(path: assignment.dumpPath).write(script)
            return runShell(assignment, [".read '\(assignment.dumpPath)'", ".exit", ".exit"]) { _, _ in }

        case .dumpSQL:
            return runShell(assignment, [".output '\(assignment.dumpPath)'", ".dump", ".exit"]) {
                try $0.add(literals: $1)
            }

        case .insertObserved0, .insertObserved1, .insertObserved100:
            let rows = samples.ints.prefix(count).map { FloorInts($0) }
            let observers = assignment.workload.observerCount
            return try run(path, into: Sum()) { connection, sum in
                floor_insert_observed_ints(connection, rows, rows.count, observers, &sum.value)
            }

        case .observeLatency:
            return try runWritesWithQueries(assignment, query: "SELECT MAX(id) FROM t%d", copies: 1)

        case .observeStorm:
            let query = "SELECT COUNT(*) FROM t%d WHERE team = %d"
            return try runWritesWithQueries(assignment, query: query, copies: 10)

        case .poolRead, .poolReadWriter:
            return try runReadsInThreads(assignment)

        case .walBounded:
            return try writeWhileReading(assignment)

        case .planAll, .planAllOther, .planUnindexed, .planUnindexedOther, .planOne, .planOneOther,
            .planOneUnindexed, .planOneUnindexedOther:
            return try runPlan(assignment)
        }
    }

    public func settings(_ pragmas: [String], of access: Access, path: String) throws -> [String] {
        let connection = try open(path, access: access)
        return try pragmas.map { try connection.text("PRAGMA \($0)") }
    }
}

private func open(_ path: String, access: Access) throws -> Connection {
    let connection = try Connection(path: path, isReader: access == .pool || access == .writeAheadPool)
    switch access {
    case .queue, .pool: break
    case .writeAheadQueue, .writeAheadPool: try connection.execute("PRAGMA synchronous = NORMAL")
    case .durablePool: try connection.execute("PRAGMA synchronous = FULL")
    }
    return connection
}

/// A run that calls one C function, which writes into `result`.
func run<Result: Digestible>(
    _ path: String,
    access: Access = .queue,
    into result: Result,
    body: @escaping (OpaquePointer, Result) -> CInt
) throws -> any Run {
    var connection: Connection? = try open(path, access: access)
    return ClosureRun {
        try connection!.check(body(connection!.handle, result))
        return result
    } digest: { result, checksum in
        result.digest(into: &checksum)
    } close: {
        connection = nil
    }
}

/// A run of the sqlite3 shell, which writes or reads a file.
private func runShell(
    _ assignment: Assignment, _ commands: [String], digest: @escaping (inout Checksum, String) throws -> Void
) -> any Run {
    ClosureRun {
        let code = floor_run_shell(assignment.path, commands[0], commands[1], commands[2])
        guard code == 0 else { throw FloorError(code: code, message: "the sqlite3 shell did not run: install it") }
    } digest: { _, checksum in
        try digest(&checksum, assignment.dumpPath)
    } close: {
    }
}

private func runPlan(_ assignment: Assignment) throws -> any Run {
    let plan = assignment.workload.aggregatePlan!
    let ids = assignment.authorIDs
    return try run(assignment.path, into: TallyList()) { connection, tallies in
        plan.isForOneRow
            ? floor_fetch_tallies_by_id(connection, plan.sql, ids, ids.count, &tallies.list)
            : floor_fetch_tallies(connection, plan.sql, &tallies.list)
    }
}

/// The stored places, with new values in two columns.
private func updatedPlaces(path: String) throws -> PlaceList {
    let connection = try Connection(path: path)
    let places = PlaceList()
    try connection.check(floor_fetch_places(connection.handle, &places.list))
    for index in 0..<places.list.count {
        places.list.rows[index].isFavorite.toggle()
        places.list.rows[index].latitude += 1
    }
    return places
}
