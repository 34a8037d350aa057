// Schema changes while SQLite calls the program during a step: SQLite would continue with freed pages and programs.

import Foundation
import Rowan
import Testing

struct CallbackSchemaChangeTests {
    private static let changes = [
        "CREATE TABLE u(a)", "CREATE INDEX i ON t(x)", "CREATE VIEW v AS SELECT 1", "DROP TABLE t",
        "ALTER TABLE t ADD COLUMN y", "ALTER TABLE t RENAME TO u", "CREATE TEMP TABLE u(a)",
        "CREATE TRIGGER r AFTER UPDATE ON t BEGIN SELECT 1; END", "CREATE VIRTUAL TABLE d USING fts5(a)", "ANALYZE",
        // Pragmas take effect when they are compiled.
        "PRAGMA writable_schema = RESET",
    ]

    /// The connection retains its function, so the function gets the connection indirectly.
    private final class Reach: @unchecked Sendable {
        // Used only by the thread that has access.
        unowned(unsafe) var db: Database?
        var sql = ""
        var error: (any Error)?

        func run() {
            do { try db?.execute(sql: sql) } catch { self.error = error }
        }
    }

    private func reach(_ db: Database) -> Reach {
        let reach = Reach()
        reach.db = db
        db.add(
            function: DatabaseFunction("run", argumentCount: 0) { _ in
                reach.run()
                return 1
            })
        return reach
    }

    @Test(arguments: ConnectionKind.allCases)
    func inFunctions(kind: ConnectionKind) throws {
        for isObserved in [false, true] {
            for sql in Self.changes {
                try withTable(kind) { writer in
                    let log = PreUpdateLog()
                    if isObserved { writer.add(transactionObserver: log) }
                    try writer.writeWithoutTransaction { db in
                        let reach = reach(db)
                        reach.sql = sql
                        try db.execute(sql: "UPDATE t SET x = x + run() WHERE x < 3")
                        let error = try #require(reach.error as? DatabaseError, "\(sql)")
                        #expect(error.resultCode == .SQLITE_MISUSE, "\(sql)")
                        #expect(
                            error.message
                                == "the schema can't change while SQLite calls a function, a collation, a tokenizer or "
                                + "a trace of the program: change it before or after the statement", "\(sql)")
                        #expect(error.sql == sql)
                        #expect(try db.values() == [2, 3])
                    }
                    withExtendedLifetime(log) {}
                }
            }
        }
    }

    /// Statements other than schema changes, run inside a function.
    @Test func otherStatements() throws {
        try withTable(.memoryQueue) { writer in
            try writer.writeWithoutTransaction { db in
                let reach = reach(db)
                for sql in ["SELECT count(*) FROM t", "INSERT INTO t VALUES (10)", "SAVEPOINT s; RELEASE s"] {
                    reach.sql = sql
                    try db.execute(sql: "UPDATE t SET x = x + run() WHERE x = 1 OR x = 2")
                    #expect(reach.error == nil, "\(sql)")
                }
                // The schema changes after the statement has finished.
                reach.sql = "SELECT 1"
                #expect(try Int.fetchAll(db, sql: "SELECT run()") == [1])
                try db.execute(sql: "CREATE TABLE u(a)")
                #expect(try db.tableExists("u"))
            }
        }
    }

    @Test func inCollations() throws {
        try withTable(.memoryQueue) { writer in
            try writer.writeWithoutTransaction { db in
                let reach = reach(db)
                reach.sql = "DROP TABLE t"
                db.add(
                    collation: DatabaseCollation("c") { a, b in
                        reach.run()
                        return a < b ? .orderedAscending : .orderedDescending
                    })
                try db.execute(sql: "SELECT x FROM t ORDER BY CAST(x AS TEXT) COLLATE c")
                #expect((reach.error as? DatabaseError)?.resultCode == .SQLITE_MISUSE)
                #expect(try db.values() == [1, 2])
            }
        }
    }
}
