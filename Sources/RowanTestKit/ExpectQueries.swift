// Expectations about the statements that code runs: their number, repetitions, and scans of whole tables.

import Rowan
public import Testing

/// Expects that a closure runs a number of statements in the database of the test.
///
/// ```swift
/// try expectQueries(2) {
///     try database.writer.read { db in try Author.including(all: Author.books).asRequest(of: Info.self).fetchAll(db) }
/// }
/// ```
///
/// SQLite's engine counts the statements of all connections, including those of child tasks. Statements that only begin
/// or end transactions are not counted, nor are those of triggers, nor those with which Rowan reads the schema.
///
/// - Parameters:
///   - count: the number of statements.
///   - sourceLocation: the location of a failure.
///   - body: the closure. Its errors are rethrown.
/// - Throws: ``TestDatabase/UnavailableError`` without a test database.
public func expectQueries<Value>(
    _ count: Int, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Value
) throws -> Value {
    let (value, queries) = try recordingQueries(body)
    expect(queries, count: count, sourceLocation)
    return value
}

/// Expects that an asynchronous closure runs a number of statements: see `expectQueries`.
public func expectQueries<Value>(
    _ count: Int, sourceLocation: SourceLocation = #_sourceLocation, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Value
) async throws -> Value {
    let (value, queries) = try await recordingQueries(body)
    expect(queries, count: count, sourceLocation)
    return value
}

/// Expects that a closure does not repeat the same query, as in a loop over records that fetches the associated rows of
/// each of them.
///
/// - Parameters:
///   - limit: the maximum number of times a query may run.
///   - sourceLocation: the location of a failure.
///   - body: the closure. Its errors are rethrown.
/// - Throws: ``TestDatabase/UnavailableError`` without a test database.
public func expectNoRepeatedQueries<Value>(
    limit: Int = 1, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Value
) throws -> Value {
    let (value, queries) = try recordingQueries(body)
    expectNoneRepeated(queries, limit, sourceLocation)
    return value
}

/// Expects that an asynchronous closure does not repeat the same query: see `expectNoRepeatedQueries`.
public func expectNoRepeatedQueries<Value>(
    limit: Int = 1, sourceLocation: SourceLocation = #_sourceLocation, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Value
) async throws -> Value {
    let (value, queries) = try await recordingQueries(body)
    expectNoneRepeated(queries, limit, sourceLocation)
    return value
}

/// Expects that no query of a closure scans a whole table, according to the plans of the statements that have run.
///
/// - Parameters:
///   - tables: the tables that may be scanned, such as small ones.
///   - sourceLocation: the location of a failure.
///   - body: the closure. Its errors are rethrown.
/// - Throws: ``TestDatabase/UnavailableError`` without a test database, or a ``/Rowan/DatabaseError`` of an explanation.
public func expectNoFullScan<Value>(
    except tables: Set<String> = [], sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Value
) throws -> Value {
    let (value, queries) = try recordingQueries(body)
    try expectIndexed(queries, tables, sourceLocation)
    return value
}

/// Expects that no query of an asynchronous closure scans a whole table: see `expectNoFullScan`.
public func expectNoFullScan<Value>(
    except tables: Set<String> = [], sourceLocation: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
) async throws -> Value {
    let (value, queries) = try await recordingQueries(body)
    try expectIndexed(queries, tables, sourceLocation)
    return value
}

// MARK: - Recording

private func recordingQueries<Value>(_ body: () throws -> Value) throws -> (Value, [RanQuery]) {
    let recorder = try TestDatabase.current.recorder
    let number = recorder.start()
    defer { recorder.end(number) }
    return (try body(), recorder.queries(number))
}

private func recordingQueries<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
) async throws -> (Value, [RanQuery]) {
    let recorder = try TestDatabase.current.recorder
    let number = recorder.start()
    defer { recorder.end(number) }
    return (try await body(), recorder.queries(number))
}

// MARK: - Judging

private func expect(_ queries: [RanQuery], count: Int, _ sourceLocation: SourceLocation) {
    guard queries.count != count else { return }
    let list = queries.enumerated().map { "\($0 + 1). \($1.expandedSQL)" }.joined(separator: "\n")
    recordIssue(
        "expected \(count) \(count == 1 ? "statement" : "statements"), and \(queries.count) ran\(list.isEmpty ? "" : ":\n\(list)")",
        sourceLocation)
}

private func expectNoneRepeated(_ queries: [RanQuery], _ limit: Int, _ sourceLocation: SourceLocation) {
    let runsBySQL = Dictionary(grouping: queries.filter(\.isReadonly), by: \.sql)
    var seen: Set<String> = []
    for query in queries where seen.insert(query.sql).inserted {
        guard let runs = runsBySQL[query.sql], runs.count > limit else { continue }
        let distinct = Set(runs.map(\.expandedSQL)).count
        let advice =
            distinct == 1
            ? "The arguments are always the same: fetch the value once, and keep it."
            : "Fetch the rows of all records at once: with including(all:) for many rows of each, with "
                + "including(required:) or including(optional:) for one, or with a list of keys."
        recordIssue(
            "a query ran \(runs.count) times, with \(distinct) different \(distinct == 1 ? "argument list" : "argument lists"): "
                + "\(query.sql)\n\(advice)", sourceLocation)
    }
}

private func expectIndexed(_ queries: [RanQuery], _ tables: Set<String>, _ sourceLocation: SourceLocation) throws {
    let writer = try TestDatabase.current.writer
    var seen: Set<String> = []
    for query in queries where seen.insert(query.sql).inserted {
        let plan = try writer.read { db in try db.explain(sql: query.expandedSQL) }
        let scanned = plan.fullScans.filter { !tables.contains($0) }
        guard !scanned.isEmpty else { continue }
        recordIssue(
            "a query reads each row of \(scanned.joined(separator: ", ")): \(query.sql)\n\(plan)\n"
                + "Add an index, or name the table in 'except'.", sourceLocation)
    }
}

/// Records an issue at the line of the caller.
func recordIssue(_ text: String, _ sourceLocation: SourceLocation) {
    Issue.record(Comment(rawValue: text), sourceLocation: sourceLocation)
}
