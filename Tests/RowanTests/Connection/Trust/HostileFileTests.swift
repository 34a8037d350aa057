// A corpus of files that were made to attack: schemas that never end, lie, or are huge, and damaged pages. With both profiles,
// each of them is refused, or answers within its limits; no other file is touched.

import Foundation
import Rowan
import RowanSQLite
import Testing

@Suite struct HostileFileTests {
    private struct Attack: CustomTestStringConvertible {
        let name: String
        /// Makes the file, without any defence.
        let make: @Sendable (OpaquePointer?) -> Void
        let sql: String
        /// What the statement ends with; nil for a result.
        var error: (ResultCode, String)?

        var testDescription: String { name }

        init(
            _ name: String, _ definition: String, _ sql: String, _ error: (ResultCode, String)? = nil
        ) {
            self.init(name, sql, error) { sqlite3_exec($0, definition, nil, nil, nil) }
        }

        init(
            _ name: String, _ sql: String, _ error: (ResultCode, String)? = nil,
            make: @escaping @Sendable (OpaquePointer?) -> Void
        ) {
            (self.name, self.sql, self.error, self.make) = (name, sql, error, make)
        }
    }

    private static let time = (
        ResultCode.SQLITE_INTERRUPT, "the statement ran for more than 0.2 seconds: read less, or raise SQLLimits.time"
    )
    private static let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"

    private static let attacks: [Attack] = [
        Attack("endless view", "CREATE VIEW v AS \(endless) SELECT count(*) AS a FROM n", "SELECT a FROM v", time),
        Attack(
            "endless trigger",
            "CREATE TABLE t(a); CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO t \(endless.replacingOccurrences(of: "WITH", with: "SELECT * FROM (WITH")) SELECT i FROM n); END",
            "INSERT INTO t VALUES (1)", time),
        Attack(
            "recursive triggers",
            "CREATE TABLE t(a); CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO t VALUES (new.a + 1); END",
            "INSERT INTO t VALUES (1); SELECT count(*) FROM t"),
        Attack(
            "cross join of views",
            "CREATE VIEW v0 AS \(endless) SELECT i FROM n LIMIT 100; "
                + (1...8).map { "CREATE VIEW v\($0) AS SELECT a.i FROM v\($0 - 1) a, v\($0 - 1) b;" }.joined(),
            "SELECT count(*) FROM v3", time),
        Attack(
            "views that grow",
            (1...30).map { number in
                "CREATE VIEW v\(number) AS SELECT * FROM \(number == 1 ? "(SELECT 1 AS x)" : "v\(number - 1)") "
                    + "UNION ALL SELECT * FROM \(number == 1 ? "(SELECT 1 AS x)" : "v\(number - 1)");"
            }.joined(), "SELECT count(*) FROM v30", (.SQLITE_ERROR, "")),
        Attack(
            "huge values", "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(5000000))", "SELECT a FROM t",
            (.SQLITE_TOOBIG, "string or blob too big")),
        Attack(
            "a value that a view makes huge",
            "CREATE VIEW v AS SELECT replace(hex(zeroblob(400000)), '0', 'xxxxxxxxxxxxxxxx') AS a", "SELECT a FROM v",
            (.SQLITE_TOOBIG, "string or blob too big")),
        Attack(
            "a long name", "CREATE TABLE \"\(String(repeating: "n", count: 1 << 20))\"(a)",
            "SELECT count(*) FROM sqlite_master", (.SQLITE_CORRUPT, "")),
        Attack(
            "a view of long VALUES with a window",
            "CREATE VIEW v AS VALUES \(Array(repeating: "(1)", count: 24_000).joined(separator: ",")), (count(*) OVER ())",
            "SELECT 1 FROM v LIMIT 1", (.SQLITE_CORRUPT, "")),
        Attack(
            "such a view whose type SQLite only accepts",
            "CREATE VIEW v AS VALUES \(Array(repeating: "(1)", count: 24_000).joined(separator: ",")), (count(*) OVER ()); "
                + "PRAGMA writable_schema = ON; UPDATE sqlite_master SET type = 'VIEW'",
            "SELECT 1 FROM v LIMIT 1", (.SQLITE_CORRUPT, "")),
        Attack(
            "long unions in views that name each other",
            (1...50).map { number in
                "CREATE VIEW v\(number) AS SELECT \(number == 1 ? "1" : "(SELECT x FROM v\(number - 1))") AS x"
                    + String(repeating: " UNION ALL SELECT 1", count: 400) + ";"
            }.joined(), "SELECT count(*) FROM v50", (.SQLITE_CORRUPT, "")),
        Attack(
            "a definition that is a blob, without a name",
            "CREATE TABLE t(a); CREATE VIEW v AS SELECT 'values over'; PRAGMA writable_schema = ON; "
                + "UPDATE sqlite_master SET name = NULL, sql = CAST(sql AS BLOB) || x'ff' WHERE name = 'v'",
            "SELECT 1 FROM t", (.SQLITE_CORRUPT, "")),
        Attack(
            "a name that is a blob",
            "CREATE TABLE t(a); CREATE VIEW v AS SELECT 'values over'; PRAGMA writable_schema = ON; "
                + "UPDATE sqlite_master SET name = x'ff00', tbl_name = x'ff00' WHERE name = 'v'",
            "SELECT 1 FROM t", (.SQLITE_CORRUPT, "")),
        Attack(
            "a tokenizer of tokenizers",
            "CREATE VIRTUAL TABLE f USING fts5(a); INSERT INTO f VALUES ('running'); PRAGMA writable_schema = ON; "
                + "UPDATE sqlite_master SET sql = 'CREATE VIRTUAL TABLE f USING fts5(a, tokenize=''"
                + "\(String(repeating: "porter ", count: 140_000))unicode61'')' WHERE name = 'f'",
            "SELECT a FROM f", (.SQLITE_CORRUPT, "")),
        Attack("many tables", "SELECT count(*) FROM sqlite_master", nil) { connection in
            sqlite3_exec(connection, "BEGIN", nil, nil, nil)
            for number in 0..<3_000 { sqlite3_exec(connection, "CREATE TABLE t\(number)(a, b)", nil, nil, nil) }
            sqlite3_exec(connection, "COMMIT", nil, nil, nil)
        },
        Attack("unknown module", "SELECT * FROM x", (.SQLITE_ERROR, "no such module: evil")) { connection in
            lie(
                connection,
                "INSERT INTO sqlite_master VALUES ('table', 'x', 'x', 0, 'CREATE VIRTUAL TABLE x USING evil(a)')")
        },
        Attack("a definition with a second statement", "SELECT a FROM t") { connection in
            sqlite3_exec(connection, "CREATE TABLE t(a)", nil, nil, nil)
            lie(connection, "UPDATE sqlite_master SET sql = 'CREATE TABLE t(a); ATTACH ''stolen.db'' AS s'")
        },
        Attack("an index that is a table", "SELECT a FROM t WHERE a = 1", (.SQLITE_CORRUPT, "")) { connection in
            sqlite3_exec(
                connection,
                "CREATE TABLE t(a); CREATE INDEX i ON t(a); CREATE TABLE u(b); INSERT INTO t VALUES (1); INSERT INTO u VALUES ('x')",
                nil, nil, nil)
            lie(
                connection,
                "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'u') WHERE name = 'i'"
            )
        },
        Attack("a root page outside the file", "SELECT a FROM t", (.SQLITE_CORRUPT, "")) { connection in
            sqlite3_exec(connection, "CREATE TABLE t(a)", nil, nil, nil)
            lie(connection, "UPDATE sqlite_master SET rootpage = 99999")
        },
        Attack("a table of its own schema", "SELECT * FROM t", (.SQLITE_CORRUPT, "malformed database schema (t)")) {
            connection in
            sqlite3_exec(connection, "CREATE TABLE t(type, name, tbl_name, rootpage, sql)", nil, nil, nil)
            lie(connection, "UPDATE sqlite_master SET rootpage = 1")
        },
        Attack(
            "a sort that never ends", "CREATE VIEW v AS \(endless) SELECT i FROM n ORDER BY i DESC", "SELECT i FROM v",
            time),
        Attack(
            "an endless generated column",
            "CREATE TABLE t(a, b AS (a LIKE '%\(String(repeating: "a%", count: 40))b')); INSERT INTO t(a) VALUES ('\(String(repeating: "a", count: 5_000))')",
            "SELECT b FROM t", (.SQLITE_ERROR, "LIKE or GLOB pattern too complex")),
    ]

    private static func lie(_ connection: OpaquePointer?, _ sql: String) {
        sqlite3_exec(connection, "PRAGMA writable_schema = ON; \(sql); PRAGMA writable_schema = OFF", nil, nil, nil)
    }

    @Test(arguments: attacks, [true, false])
    private func attacksEnd(_ attack: Attack, isPool: Bool) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("hostile.sqlite")
        var connection: OpaquePointer?
        #expect(sqlite3_open(path, &connection) == SQLITE_OK)
        attack.make(connection)
        sqlite3_close_v2(connection)

        var limits = SQLLimits()
        limits.time = .milliseconds(200)
        var configuration = Configuration()
        configuration.trust = [.untrustedFile, .untrustedSQL(limits)]
        var outcome: (any Error)?
        do {
            let writer: any DatabaseWriter =
                isPool
                ? try DatabasePool(path: path, configuration: configuration)
                : try DatabaseQueue(path: path, configuration: configuration)
            try writer.write { try $0.execute(sql: attack.sql) }
            // What the schema cache asks must not fail in another way, either.
            _ = try? writer.read { db in try db.schemaObjects().count }
        } catch { outcome = error }
        if let (code, message) = attack.error {
            let error = outcome as? DatabaseError
            #expect(error?.resultCode.primaryResultCode == code, "\(outcome as Any)")
            if !message.isEmpty { #expect(error?.message == message) }
        } else if let outcome {
            Issue.record("\(attack.name): \(outcome)")
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(files.allSatisfy { $0.hasPrefix("hostile.sqlite") }, "\(files)")
        #expect(!FileManager.default.fileExists(atPath: "stolen.db"))
    }

    /// Files with random damages: an error, or an answer, and an end.
    @Test func damagedFiles() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("damaged.sqlite")
        let source = try DatabaseQueue(path: folder.path("source.sqlite"))
        try source.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a INTEGER PRIMARY KEY, b, c UNIQUE); CREATE INDEX i ON t(b, c);
                    CREATE VIRTUAL TABLE f USING fts5(body); CREATE VIRTUAL TABLE r USING rtree(id, x0, x1);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
                    INSERT INTO t SELECT i, hex(randomblob(i)), i FROM n;
                    INSERT INTO f SELECT b FROM t LIMIT 20; INSERT INTO r VALUES (1, 2, 3); DELETE FROM t WHERE a % 3 = 0
                    """)
        }
        let sound = try source.read { try $0.serialize() }
        var configuration = Configuration()
        configuration.trust = [.untrustedFile, .untrustedSQL(SQLLimits())]
        configuration.checksFileOnOpen = .seconds(5)
        var random = SeededGenerator(1234)
        var (answers, errors) = (0, 0)
        for round in 0..<300 {
            var bytes = sound
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                // Headers of pages are hit often.
                let page = Int.random(in: 0..<bytes.count / 4_096, using: &random) * 4_096
                let offset = Int.random(in: 0..<[12, 120, 4_096].randomElement(using: &random)!, using: &random)
                bytes[page + offset] = UInt8.random(in: 0...255, using: &random)
            }
            try bytes.write(to: URL(fileURLWithPath: path))
            configuration.checksFileOnOpen = round % 2 == 0 ? .seconds(5) : nil
            do {
                let queue = try DatabaseQueue(path: path, configuration: configuration)
                try queue.write { db in
                    for sql in [
                        "SELECT * FROM t ORDER BY b", "SELECT * FROM f WHERE f MATCH 'a*'",
                        "SELECT * FROM r WHERE x0 < 5", "DELETE FROM t WHERE b > 'A'", "INSERT INTO f VALUES ('new')",
                    ] {
                        try db.execute(sql: sql)
                    }
                }
                answers += 1
            } catch is DatabaseError { errors += 1 }
            for suffix in ["", "-journal", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        #expect(answers + errors == 300)
        #expect(errors > 100)
    }
}
