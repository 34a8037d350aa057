// Constraints of the database that changes are applied to.

import Rowan
import RowanChangesets
import Testing

@Suite struct ApplyConstraintsTests {
    /// No order of single updates leads there. Later versions of SQLite write such rows in two steps.
    @Test func exchangedUniqueValues() throws {
        func make() throws -> DatabaseQueue {
            let queue = try DatabaseQueue()
            try queue.write { db in
                try db.execute(
                    sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, n UNIQUE); INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)"
                )
            }
            return queue
        }
        func apply(_ sql: String) throws -> [Int] {
            let changes = try make().write { db in try db.recordChanges { try db.execute(sql: sql) } }
            return try make().write { db in
                try db.apply(changes)
                return try Int.fetchAll(db, sql: "SELECT n FROM t ORDER BY id")
            }
        }
        let shifted =
            "UPDATE t SET n = 4 WHERE id = 3; UPDATE t SET n = 3 WHERE id = 2; UPDATE t SET n = 2 WHERE id = 1"
        #expect(try apply(shifted) == [2, 3, 4])
        let exchanged =
            "UPDATE t SET n = 9 WHERE id = 1; UPDATE t SET n = 1 WHERE id = 2; UPDATE t SET n = 2 WHERE id = 1"
        guard !isSQLite(3_053_004) else { return #expect(try apply(exchanged) == [2, 1, 3]) }
        expectError(
            .SQLITE_ABORT, "the changes were not applied: update of a row of t by id: it violates a constraint"
        ) { try apply(exchanged) }
    }

    /// The replaced row had other values than the changes contain.
    @Test func foreignKeysOfReplacedRows() throws {
        func make(_ code: String) throws -> DatabaseQueue {
            let queue = try DatabaseQueue()
            try queue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE parent(id INTEGER PRIMARY KEY, code UNIQUE);
                        CREATE TABLE child(id INTEGER PRIMARY KEY, code REFERENCES parent(code)); INSERT INTO parent VALUES (1, '\(code)')
                        """)
            }
            return queue
        }
        for sql in ["UPDATE parent SET code = 'b'", "DELETE FROM parent"] {
            let changes = try make("a").write { db in try db.recordChanges { try db.execute(sql: sql) } }
            let target = try make("x")
            try target.write { try $0.execute(sql: "INSERT INTO child VALUES (1, 'x')") }
            expectError(.SQLITE_ABORT, "the changes were not applied: 1 foreign keys would be violated") {
                try target.write { try $0.apply(changes) { $0.kind == .data ? .replace : .abort } }
            }
        }
    }

    @Test func tablesBehindVirtualOnesAreLeftAlone() throws {
        let source = try DatabaseQueue()
        let changes = try source.write { db in
            try db.execute(sql: "CREATE TABLE f_data(id INTEGER PRIMARY KEY, block BLOB)")
            return try db.recordChanges { try db.execute(sql: "INSERT INTO f_data VALUES (10, x'00')") }
        }
        let target = try DatabaseQueue()
        try target.write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE f USING fts5(a); INSERT INTO f VALUES ('hello')")
            expectError(
                .SQLITE_SCHEMA, "the changes don't fit the schema: \"f_data\" belongs to a virtual table"
            ) {
                try db.apply(changes) { _ in .replace }
            }
        }
    }
}
