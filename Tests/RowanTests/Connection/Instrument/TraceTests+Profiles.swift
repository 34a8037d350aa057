// The durations and results of traced statements.

import RowanSQLite
import Dispatch
import Foundation
import Testing
@testable import Rowan

extension TraceTests {
    /// The profile events of a closure.
    func profile(
        _ options: Database.TracingOptions = .profile, _ body: (Database) throws -> Void
    ) throws -> [(sql: String, duration: Double, error: DatabaseError?)] {
        var events: [(sql: String, duration: Double, error: DatabaseError?)] = []
        try withDatabase { db in
            db.trace(options: options) { event in
                guard case .profile(let statement, let duration) = event else { return }
                events.append((statement.sql, duration, statement.error as? DatabaseError))
            }
            try body(db)
        }
        return events
    }

    /// SQLite's clock has millisecond resolution.
    @Test func shortDurations() throws {
        let events = try profile { db in
            for value in 0..<50 { _ = try Int.fetchOne(db, sql: "SELECT ?", arguments: [value]) }
            try db.execute(sql: "CREATE TABLE t(a)")
        }
        #expect(events.count == 51)
        #expect(events.allSatisfy { $0.duration > 0 && $0.duration < 10 })
        #expect(Set(events.map(\.duration)).count > 10)
    }

    @Test func aDurationIsInSeconds() throws {
        let start = DispatchTime.now().uptimeNanoseconds
        let events = try profile { db in
            db.add(
                function: DatabaseFunction("pause", argumentCount: 0) { _ in
                    usleep(20_000)
                    return nil
                })
            _ = try Row.fetchOne(db, sql: "SELECT pause()")
        }
        let all = Double(DispatchTime.now().uptimeNanoseconds - start) / 1_000_000_000
        #expect(events.count == 1)
        #expect(events[0].duration >= 0.02 && events[0].duration <= all)
    }

    /// A statement's event is sent when it has finished, with its error, before the error is thrown.
    @Test func failedStatements() throws {
        var counts: [Int] = []
        let log = Log<String>()
        try withDatabase { db in
            db.trace(options: .profile) { event in
                guard case .profile(let statement, _) = event else { return }
                let description = event.description.split(separator: "s ", maxSplits: 1)[1]
                log.append("\(description) | \(statement.expandedSQL)")
            }
            func count() { counts.append(log.elements.count) }
            try db.execute(sql: "CREATE TABLE t(a UNIQUE)")
            count()
            try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [1])
            count()
            #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [1]) }
            count()
            let overflow = "SELECT abs(a - 9223372036854775807 - 2) FROM t"
            #expect(throws: DatabaseError.self) { try Int.fetchAll(db, sql: overflow) }
            count()
            _ = try Int.fetchOne(db, sql: "SELECT a FROM t")
            count()
        }
        #expect(counts == [1, 2, 3, 4, 5])
        #expect(
            log.elements == [
                "CREATE TABLE t(a UNIQUE) | CREATE TABLE t(a UNIQUE)",
                "INSERT INTO t VALUES (?) | INSERT INTO t VALUES (1)",
                "(SQLite error 2067: UNIQUE constraint failed: t.a) INSERT INTO t VALUES (?) | INSERT INTO t VALUES (1)",
                "(SQLite error 1: integer overflow) SELECT abs(a - 9223372036854775807 - 2) FROM t | SELECT abs(a - 9223372036854775807 - 2) FROM t",
                "SELECT a FROM t | SELECT a FROM t",
            ])
    }

    /// SQLite restarts with the new schema, and reports two ends.
    @Test func afterAChangeOfTheSchema() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(a UNIQUE)")
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (1)")
            try statement.execute()
            try db.execute(sql: "CREATE TABLE u(a)")
            var events: [(String, Bool)] = []
            db.trace(options: .profile) { event in
                guard case .profile(let statement, let duration) = event else { return }
                #expect(duration > 0)
                events.append((statement.sql, statement.error != nil))
            }
            do { try statement.execute() } catch { events.append(("thrown", true)) }
            #expect(events.map(\.0) == ["INSERT INTO t VALUES (1)", "thrown"])
            #expect(events.map(\.1) == [true, true])
        }
    }

    /// A function runs statements while another statement runs.
    @Test func statementsOfFunctions() throws {
        let log = Log<String>()
        let events = try profile { db in
            try db.execute(sql: "CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (1)")
            let box = UncheckedBox(db)
            db.add(
                function: DatabaseFunction("nested", argumentCount: 0) { _ in
                    // Its failure is not attributed to the outer statement.
                    do { try box.value.execute(sql: "INSERT INTO t VALUES (1)") } catch { log.append("\(error)") }
                    return try Int.fetchOne(box.value, sql: "SELECT 7")
                })
            _ = try Int.fetchOne(db, sql: "SELECT nested()")
        }
        #expect(
            events.map(\.sql) == [
                "CREATE TABLE t(a UNIQUE)", "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (1)", "SELECT 7",
                "SELECT nested()",
            ])
        #expect(log.elements.count == 1)
        #expect(
            events.map { $0.error?.extendedResultCode } == [
                nil, nil, .SQLITE_CONSTRAINT_UNIQUE, nil, nil,
            ])
    }

    /// A cursor released before its last row has not failed.
    @Test func cursors() throws {
        let events = try profile { db in
            let sql = "SELECT 1 UNION ALL SELECT 2"
            do {
                let cursor = try Int.fetchCursor(db, sql: sql)
                _ = try cursor.next()
            }
            _ = try Int.fetchAll(db, sql: sql)
        }
        #expect(events.map(\.sql) == Array(repeating: "SELECT 1 UNION ALL SELECT 2", count: 2))
        #expect(events.allSatisfy { $0.error == nil })
    }

    /// A commit that is rejected.
    @Test func aRefusedCommit() throws {
        struct Refusal: Error {}
        final class Observer: TransactionObserver {
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseWillCommit() throws { throw Refusal() }
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        let observer = Observer()
        var events: [(String, Bool)] = []
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(a)")
            db.add(transactionObserver: observer)
            db.trace(options: .profile) { event in
                guard case .profile(let statement, _) = event else { return }
                events.append((statement.sql, statement.error is Refusal))
            }
            #expect(throws: Refusal.self) { try db.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        #expect(events.map(\.0) == ["INSERT INTO t VALUES (1)"])
        #expect(events.map(\.1) == [true])
    }
}
