// What a trace shows of the statements.

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

    /// Each statement by itself, without what surrounds it in its script.
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
        try withDatabase { db in
            db.trace(options: .profile) { event in
                guard case .profile(let statement, let duration) = event else {
                    Issue.record("no profile")
                    return
                }
                #expect(duration >= 0)
                #expect(event.description.hasSuffix("s SELECT ?"))
                #expect(event.expandedDescription.hasSuffix("s SELECT 7"))
                log.append(statement.sql)
            }
            _ = try Int.fetchOne(db, sql: "SELECT ?;", arguments: [7])
        }
        #expect(log.elements == ["SELECT ?"])
    }
}
