// Expectations about the SQL and the plans of requests.

import Foundation
public import Rowan
public import Testing

/// Expects the SQL of a request and its arguments.
///
/// ```swift
/// try expectSQL(City.filter { $0.population > 1000 }, arguments: [1000]) {
///     """
///     SELECT "id", "name", "population" FROM "city" WHERE "population" > ?
///     """
/// }
/// ```
///
/// - Parameters:
///   - request: the request. It does not run, but SQLite compiles it in the database of the test.
///   - arguments: the arguments; nil for any.
///   - sourceLocation: the location of a failure.
///   - sql: the expected SQL.
/// - Throws: ``TestDatabase/UnavailableError`` without a test database, or a ``/Rowan/DatabaseError`` if SQLite can't compile the
///   request.
public func expectSQL(
    _ request: some FetchRequest, arguments: StatementArguments? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, _ sql: () -> String
) throws {
    let found = try TestDatabase.current.writer.read { db in try request.sql(db) }
    compare(found.sql, with: sql(), sourceLocation)
    if let arguments, arguments != found.arguments {
        recordIssue("the arguments are \(found.arguments), and not \(arguments)", sourceLocation)
    }
}

/// Expects that the SQL of a request is that of a file: `Snapshots/<name>.sql` next to the test file.
///
/// With `ROWAN_RECORD=1` in the environment, the test writes the file instead.
///
/// - Parameters:
///   - request: the request.
///   - name: the name of the file.
///   - file: the test file.
///   - sourceLocation: the location of a failure.
/// - Throws: ``TestDatabase/UnavailableError`` without a test database, a ``/Rowan/DatabaseError``, or an error if the
///   file can't be written.
public func expectSQL(
    _ request: some FetchRequest, snapshot name: String, file: StaticString = #filePath,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let found = try TestDatabase.current.writer.read { db in try request.sql(db) }
    let text = "\(found.sql)\n-- \(found.arguments)\n"
    let url = URL(fileURLWithPath: "\(file)").deletingLastPathComponent()
        .appendingPathComponent("Snapshots").appendingPathComponent("\(name).sql")
    if ProcessInfo.processInfo.environment["ROWAN_RECORD"] == "1" {
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        return try Data(text.utf8).write(to: url, options: .atomic)
    }
    guard FileManager.default.fileExists(atPath: url.path) else {
        recordIssue("there is no snapshot \(url.path): run the test with ROWAN_RECORD=1 to write it", sourceLocation)
        return
    }
    compare(text, with: try String(contentsOf: url, encoding: .utf8), sourceLocation)
}

/// Expects that SQLite finds the rows of a request with an index.
///
/// - Parameters:
///   - request: the request. It does not run.
///   - index: the name of the index.
///   - sourceLocation: the location of a failure.
/// - Throws: ``TestDatabase/UnavailableError`` without a test database, or a ``/Rowan/DatabaseError``.
public func expectPlan(
    _ request: some FetchRequest, uses index: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let plan = try TestDatabase.current.writer.read { db in try request.explain(db) }
    guard !plan.indexes.contains(index) else { return }
    recordIssue("the plan does not use the index \(index):\n\(plan)", sourceLocation)
}

private func compare(_ found: String, with expected: String, _ sourceLocation: SourceLocation) {
    guard found != expected else { return }
    recordIssue("the SQL differs.\nexpected: \(expected)\nfound:    \(found)", sourceLocation)
}
