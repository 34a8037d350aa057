// Shared by the tests of records, requests and schemas: an in-memory database that logs its SQL.

import Foundation
import Rowan
import Synchronization

/// The statements that a connection ran, without Rowan's own (transactions, settings, schema queries).
final class SQLLog: Sendable {
    private struct Entry: Sendable {
        var sql: String
        var expandedSQL: String

        var isBookkeeping: Bool {
            let words = ["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "PRAGMA", "--"]
            return words.contains(where: sql.hasPrefix) || sql.contains("pragma_table_list")
                || sql.contains("sqlite_master") || sql.contains("sqlite_temp_master")
        }
    }

    private let entries = Mutex<[Entry]>([])

    func add(_ event: Database.TraceEvent) {
        guard case .statement(let statement) = event else { return }
        entries.withLock { $0.append(Entry(sql: statement.sql, expandedSQL: statement.expandedSQL)) }
    }

    private func takeEntries() -> [Entry] {
        entries.withLock { entries in
            defer { entries = [] }
            return entries
        }
    }

    /// The SQL since the last call, with its parameters.
    func take() -> [String] { takeEntries().filter { !$0.isBookkeeping }.map(\.sql) }

    /// The SQL since the last call, with its arguments as literals.
    func takeExpanded() -> [String] { takeEntries().filter { !$0.isBookkeeping }.map(\.expandedSQL) }

    /// All statements since the last call, including Rowan's own.
    func takeAll() -> [String] { takeEntries().map(\.sql) }
}

/// An in-memory database with a schema, and its log.
func loggedQueue(
    _ schema: String = "", configuration: Configuration = Configuration()
) throws -> (queue: DatabaseQueue, log: SQLLog) {
    let log = SQLLog()
    var configuration = configuration
    configuration.prepareDatabase { db in db.trace { log.add($0) } }
    let queue = try DatabaseQueue(configuration: configuration)
    try queue.write { db in
        let statements = try db.allStatements(sql: schema)
        while let statement = try statements.next() { try statement.execute() }
    }
    _ = log.takeAll()
    return (queue, log)
}

/// Runs the closure in a write access to an in-memory database.
@discardableResult
func inLoggedDatabase<T>(
    _ schema: String = "", configuration: Configuration = Configuration(),
    _ body: (Database, SQLLog) throws -> T
) throws -> T {
    let (queue, log) = try loggedQueue(schema, configuration: configuration)
    return try queue.write { db in try body(db, log) }
}

/// The SQL and the arguments of a request.
func statementText(
    _ db: Database, _ request: some FetchRequest, forSingleResult: Bool = false
) throws -> (sql: String, arguments: StatementArguments) {
    let statement = try request.makePreparedRequest(db, forSingleResult: forSingleResult).statement
    return (statement.sql, statement.arguments)
}

/// The SQL and the arguments of an expression.
func expressionText(_ expression: some SQLExpressible) -> (sql: String, arguments: StatementArguments) {
    var renderer = Renderer()
    renderer.write(expression.sqlExpression)
    return (renderer.text, renderer.arguments)
}

/// The value of an expression that doesn't refer to columns.
func evaluated(_ expression: some SQLExpressible) throws -> DatabaseValue {
    try inLoggedDatabase { db, _ throws in
        let (sql, arguments) = expressionText(expression)
        return try DatabaseValue.fetchOne(db, sql: "SELECT \(sql)", arguments: arguments) ?? .null
    }
}

/// A stand-in for the Core Location type.
struct CLLocationCoordinate2D: Equatable {
    var latitude: CLLocationDegrees
    var longitude: CLLocationDegrees
}

typealias CLLocationDegrees = Double

/// The error of a validation in a callback.
struct CallbackFailure: Error, Equatable {
    var name: String
    init(_ name: String) { self.name = name }
}

/// The SQLite error thrown by the closure, or nil if it throws none or another error.
func databaseError<T>(_ body: () throws -> T) -> DatabaseError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? DatabaseError
    }
}

/// The key of the record not found by the closure, or nil if it throws no such error.
func missingKey<T>(_ body: () throws -> T) -> [String: DatabaseValue]? {
    do {
        _ = try body()
        return nil
    } catch RecordError.recordNotFound(databaseTableName: _, key: let key) {
        return key
    } catch {
        return nil
    }
}

/// A path for a database file, which the test deletes.
func temporaryDatabasePath() -> String {
    FileManager.default.temporaryDirectory.appendingPathComponent("rowan-\(UUID().uuidString).sqlite").path
}
