// The statements shown in a trace.

import RowanSQLite
import Dispatch
import Foundation
import Testing

@testable import Rowan

struct TraceTests {
    private func trace(
        _ configuration: Configuration = Configuration(), _ body: (Database) throws -> Void
    ) throws
        -> [Database.TraceEvent]
    {
        let events = Log<UncheckedBox<Database.TraceEvent>>()
        try withDatabase(configuration) { db in
            db.trace { events.append(UncheckedBox($0)) }
            try body(db)
            db.trace()
            try db.execute(sql: "SELECT 'untraced'")
        }
        return events.elements.map(\.value)
    }

    /// Each statement separately, without the rest of its script.
    @Test func statementsOfAScript() throws {
        let events = try trace { db in
            try db.execute(
                sql: "\n  CREATE TABLE t(a);\n  INSERT INTO t VALUES (?) ; ; SELECT 1 -- one\n;\n", arguments: ["it's"])
            _ = try Int.fetchAll(db, sql: " ; SELECT 2 ; ")
        }
        #expect(
            events.map(\.description) == [
                "CREATE TABLE t(a)", "INSERT INTO t VALUES (?)", "SELECT 1 -- one", "SELECT 2",
            ])
        #expect(events[1].expandedDescription == "INSERT INTO t VALUES ('it''s')")
        guard case .statement(let statement) = events[1] else {
            Issue.record("no statement")
            return
        }
        #expect(statement.sql == "INSERT INTO t VALUES (?)")
        #expect(statement.expandedSQL == "INSERT INTO t VALUES ('it''s')")
    }

    @Test func publicArguments() throws {
        var configuration = Configuration()
        configuration.publicStatementArguments = true
        let events = try trace(configuration) { db in _ = try Int.fetchOne(db, sql: "SELECT ?;", arguments: [1]) }
        #expect(events.map(\.description) == ["SELECT 1"])
    }

    @Test func semicolonsInsideAStatement() throws {
        let trigger = "CREATE TRIGGER u AFTER INSERT ON t BEGIN SELECT ';'; SELECT 2; END"
        let events = try trace { db in try db.execute(sql: "CREATE TABLE t(a); \(trigger); SELECT ';'") }
        #expect(events.map(\.description) == ["CREATE TABLE t(a)", trigger, "SELECT ';'"])
    }

    @Test func durations() throws {
        let log = Log<String>()
        let start = DispatchTime.now().uptimeNanoseconds
        try withDatabase { db in
            db.trace(options: .profile) { event in
                guard case .profile(let statement, let duration) = event else {
                    Issue.record("no profile")
                    return
                }
                let elapsed = Double(DispatchTime.now().uptimeNanoseconds - start) / 1_000_000_000
                #expect(duration > 0 && duration <= elapsed)
                #expect(event.description.hasSuffix("s SELECT ?"))
                #expect(event.expandedDescription.hasSuffix("s SELECT 7"))
                log.append(statement.sql)
            }
            _ = try Int.fetchOne(db, sql: "SELECT ?;", arguments: [7])
        }
        #expect(log.elements == ["SELECT ?"])
    }

    @Test func digitsOfDurations() throws {
        let events = Log<UncheckedBox<Database.TraceEvent>>()
        try withDatabase { db in
            db.trace(options: .profile) { events.append(UncheckedBox($0)) }
            _ = try Int.fetchOne(db, sql: "SELECT 1")
        }
        let event = try #require(events.elements.first?.value)
        guard case .profile(let statement, _) = event else { throw DatabaseError(message: "no profile") }
        for seconds in [
            0, 0.000_000_4, 0.000_001, 0.000_987_654, 0.000_999_999_9, 0.001, 0.0016, 0.25, 59.9996, 86_400,
        ] {
            let text = Database.TraceEvent.profile(statement: statement, duration: seconds).description
            #expect(text == String(format: seconds < 0.001 ? "%.6fs " : "%.3fs ", seconds) + "SELECT 1")
        }
    }

    // MARK: Several traces

    @Test func severalTraces() throws {
        try withDatabase { db in
            var first: [String] = []
            var second: [String] = []
            let token = db.addTrace { first.append($0.description) }
            db.trace { second.append($0.description) }
            _ = try Int.fetchOne(db, sql: "SELECT 1")
            // `trace` only replaces its own trace.
            db.trace(options: .profile) { second.append(String($0.description.suffix(8))) }
            _ = try Int.fetchOne(db, sql: "SELECT 2")
            db.removeTrace(token)
            db.removeTrace(token)
            _ = try Int.fetchOne(db, sql: "SELECT 3")
            db.trace()
            _ = try Int.fetchOne(db, sql: "SELECT 4")
            #expect(first == ["SELECT 1", "SELECT 2"])
            #expect(second == ["SELECT 1", "SELECT 2", "SELECT 3"])
        }
    }

    // MARK: Texts

    /// The text is created when it is read, also after the statement has been rebound or released.
    @Test func keptEvents() throws {
        var events: [Database.TraceEvent] = []
        try withDatabase { db in
            db.trace(options: [.statement, .profile]) { events.append($0) }
            for value in 1...2 { try db.execute(sql: "SELECT ?", arguments: [value]) }
        }
        #expect(
            events.map { $0.expandedDescription.suffix(8) } == ["SELECT 1", "SELECT 1", "SELECT 2", "SELECT 2"])
        #expect(events.map { $0.description.suffix(8) } == Array(repeating: "SELECT ?", count: 4))
    }

    // MARK: Omitted statements

    @Test func withoutTransactions() throws {
        func statements(_ options: Database.TracingOptions) throws -> [String] {
            var statements: [String] = []
            try withDatabase { db in
                db.trace(options: options) { event in
                    switch event {
                    case .statement(let statement), .profile(let statement, _): statements.append(statement.sql)
                    }
                }
                try db.inTransaction {
                    try db.inSavepoint {
                        try db.execute(sql: "CREATE TABLE beginnings(a)")
                        return .commit
                    }
                    return .rollback
                }
            }
            return statements
        }
        let all = try statements(.statement)
        #expect(all.count == 5 && all[2] == "CREATE TABLE beginnings(a)")
        try #expect(statements([.statement, .withoutTransactions]) == ["CREATE TABLE beginnings(a)"])
        try #expect(statements([.profile, .withoutTransactions]) == ["CREATE TABLE beginnings(a)"])
        try #expect(statements([.withoutTransactions]) == ["CREATE TABLE beginnings(a)"])
    }

    @Test func withoutShadowTables() throws {
        func statements(_ options: Database.TracingOptions) throws -> [String] {
            var statements: [String] = []
            try withDatabase { db in
                try db.create(virtualTable: "text", using: FTS5()) { $0.column("a") }
                try db.execute(sql: "CREATE TABLE t(a); CREATE TRIGGER u AFTER INSERT ON t BEGIN SELECT 7; END")
                db.trace(options: options) { event in
                    switch event {
                    case .statement(let statement), .profile(let statement, _): statements.append(statement.sql)
                    }
                }
                try db.execute(sql: "INSERT INTO text VALUES ('a b'); INSERT INTO t VALUES (1)")
                _ = try Row.fetchAll(db, sql: "SELECT * FROM text WHERE text MATCH 'a'")
            }
            return statements
        }
        let own = [
            "INSERT INTO text VALUES ('a b')", "INSERT INTO t VALUES (1)", "SELECT * FROM text WHERE text MATCH 'a'",
        ]
        let all = try statements(.statement)
        #expect(all.contains { $0.contains("text_content") })
        // Statements of triggers are the program's own.
        let starts = try statements([.statement, .withoutShadowTables])
        #expect(starts.filter { !$0.hasPrefix("--") } == own)
        #expect(starts.filter { $0.hasPrefix("--") } == ["-- TRIGGER u", "-- SELECT 7"])
        try #expect(statements([.profile, .withoutShadowTables]) == own)
    }

    /// Statements stepped by the program through the C API.
    @Test func statementsOfTheProgram() throws {
        let events = try profile { db in
            var statement: OpaquePointer?
            #expect(sqlite3_prepare_v2(db.sqliteConnection, "SELECT 5", -1, &statement, nil) == SQLITE_OK)
            #expect(sqlite3_step(statement) == SQLITE_ROW)
            #expect(sqlite3_step(statement) == SQLITE_DONE)
            sqlite3_finalize(statement)
        }
        #expect(events.map(\.sql) == ["SELECT 5"])
    }

    /// A trace that starts while a statement is running.
    @Test func inTheMiddle() throws {
        try withDatabase { db in
            let cursor = try Int.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT 2")
            _ = try cursor.next()
            var events: [(sql: String, duration: Double)] = []
            db.trace(options: .profile) { event in
                guard case .profile(let statement, let duration) = event else { return }
                events.append((statement.sql, duration))
            }
            _ = try cursor.next()
            _ = try cursor.next()
            _ = try Int.fetchOne(db, sql: "SELECT 3")
            // The start of the first statement was not measured.
            #expect(events.map(\.sql) == ["SELECT 3"])
            #expect(events.allSatisfy { $0.duration > 0 && $0.duration < 10 })
        }
    }

    /// A token is never reused for a later trace.
    @Test func tokensAreNotUsedAgain() throws {
        try withDatabase { db in
            var log: [String] = []
            let first = db.addTrace { _ in log.append("first") }
            db.removeTrace(first)
            let second = db.addTrace { log.append("\($0)") }
            #expect(first != second)
            db.removeTrace(first)
            try db.execute(sql: "SELECT 1")
            #expect(log == ["SELECT 1"])
        }
    }

    @Test func aTraceThatRemovesAnother() throws {
        try withDatabase { db in
            var log: [String] = []
            var other: Database.TraceToken?
            _ = db.addTrace { _ in
                log.append("first")
                if let token = other.take() { db.removeTrace(token) }
            }
            other = db.addTrace { _ in log.append("second") }
            try db.execute(sql: "SELECT 1; SELECT 2")
            #expect(log == ["first", "first"])
        }
    }
}
