// Pragmas that a cluster rejects: they must have no effect while the local SQLite compiles them.

import Rowan
import Testing

@testable import RowanCluster

@Suite(.enabled(if: TestCluster.isAvailable, TestCluster.missing))
struct ClusterPragmaTests {
    @Test(arguments: [
        "query_only = 1", "hard_heap_limit = 1024", "writable_schema(1)", "main.locking_mode = EXCLUSIVE",
    ])
    func refusedPragmasDoNothing(pragma: String) throws {
        let cluster = try DatabaseCluster.new()
        try cluster.write { try $0.createPlayers() }
        for sql in ["PRAGMA \(pragma)", "EXPLAIN PRAGMA \(pragma)"] {
            let error = #expect(throws: DatabaseError.self) {
                try cluster.writeWithoutTransaction { try $0.execute(sql: sql) }
            }
            #expect(error?.resultCode == .SQLITE_MISUSE)
        }
        try cluster.write { db in
            var player = Player(name: "Arthur", score: 1)
            try player.insert(db)
        }
        #expect(try cluster.read { try Player.fetchCount($0) } == 1)
        let memory = try DatabaseQueue()
        #expect(try memory.read { try Int.fetchOne($0, sql: "PRAGMA hard_heap_limit") } == 0)
    }

    @Test func pragmasAsTables() throws {
        let cluster = try DatabaseCluster.new()
        try cluster.write { db in
            try db.createPlayers()
            try db.execute(sql: "PRAGMA user_version = 7")
        }
        try cluster.read { db throws in
            #expect(try Int.fetchOne(db, sql: "SELECT user_version FROM pragma_user_version") == 7)
            #expect(try Int.fetchOne(db, sql: "SELECT page_count > 2 FROM pragma_page_count") == 1)
            #expect(
                try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info('player')") == ["id", "name", "score"])
        }
        let error = #expect(throws: DatabaseError.self) {
            try cluster.read { try Int.fetchOne($0, sql: "SELECT * FROM pragma_journal_mode") }
        }
        #expect(error?.resultCode == .SQLITE_MISUSE)
    }

    @Test(arguments: ["DATE", "\"DATE\"", "[DateTime]", "`BOOLEAN`", "'Date'", "/**/TIMESTAMP/**/"])
    func typesThatEndANode(type: String) throws {
        let cluster = try DatabaseCluster.new()
        try cluster.write { db in
            try db.execute(sql: "CREATE TABLE t (a \(type), b INTEGER)")
            try db.execute(sql: "INSERT INTO t VALUES (1.5, 2)")
            #expect(try Row.fetchOne(db, sql: "SELECT * FROM t") == ["a": 1.5, "b": 2])
        }
    }
}
