// Random SQL through the driver: some SQL crashes a node, and the driver must not let it through.

import Foundation
import Rowan
import RowanCluster

extension Part {
    static let clusterFuzz = Part(
        name: "cluster-fuzz", summary: "random SQL on a cluster: no node ends by itself"
    ) { run in
        guard run.hasNode("cluster-fuzz") else { return }
        let nodes = try ClusterNodes(folder: run.folder)
        defer { nodes.stop() }
        var options = ClusterOptions()
        options.requestTimeout = .seconds(5)
        options.failoverTimeout = .seconds(20)
        func open(_ number: Int) throws -> DatabaseCluster {
            try DatabaseCluster(addresses: nodes.addresses, database: "fuzz-\(number)", options: options)
        }
        var (client, other) = (try open(0), try open(0))
        var accessCount = 0
        let end = min(run.deadline, Date(timeIntervalSinceNow: 60))
        var recent: [String] = []
        repeat {
            accessCount += 1
            if accessCount % 200 == 0 {
                // Statements that copy tables would take longer and longer, and nodes can't be interrupted.
                (client, other) = (try open(accessCount), try open(accessCount))
            }
            var grammar = ClusterGrammar(random: SplitMix64(seed: run.random.next()))
            let texts = grammar.texts()
            run.note("seed \(run.seed): \(texts.joined(separator: " | "))")
            for sql in texts { run.count("statements", sql.isEmpty ? 0 : 1) }
            do {
                // Both ways of running a statement: with and without reading rows.
                let readsRows = run.chance(60)
                let isTransaction = run.chance(40)
                let way = "\(readsRows ? "rows" : "execute"), \(isTransaction ? "transaction" : "alone")"
                recent = (recent + ["\(way): \(texts.joined(separator: " | "))"]).suffix(3)
                let access: @Sendable (Database) throws -> Void = { db in
                    for sql in texts {
                        if readsRows { _ = try Row.fetchAll(db, sql: sql) } else { try db.execute(sql: sql) }
                    }
                }
                let runner = run.chance(80) ? client : other
                if isTransaction {
                    try await runner.write(access)
                } else {
                    try await runner.writeWithoutTransaction(access)
                }
                run.count("accesses that succeed")
            } catch {
                run.count("accesses that fail")
                recent.append("-> \(error)")
                if let error = error as? DatabaseError, error.resultCode == .SQLITE_MISUSE { run.count("refusals") }
            }
            let deaths = nodes.takeDeaths()
            if case let count = nodes.takeInterruptedLeaders(), count > 0 {
                run.count("leaders that ended in the middle of rows", count)
                try nodes.heal()
            }
            for death in deaths {
                run.fail("\(death)\nafter \(recent.joined(separator: "\n  "))")
                try nodes.heal()
            }
        } while Date() < end && run.failures.isEmpty
        let last = client
        for number in 1...20 {
            try await last.write(retrying: 10) { db in
                try db.execute(sql: "CREATE TABLE IF NOT EXISTS last (n); INSERT INTO last VALUES (\(number))")
            }
        }
        for death in nodes.takeDeaths() { run.fail("\(death)\nafter \(recent.joined(separator: "\n  "))") }
        run.didCase()
    }
}

/// Generates mostly valid SQL on few tables, so that statements interact.
private struct ClusterGrammar {
    var random: SplitMix64

    init(random: SplitMix64) { self.random = random }

    private mutating func pick(_ choices: [String]) -> String { choices.randomElement(using: &random)! }
    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    /// The statements of an access.
    mutating func texts() -> [String] { (0..<Int.random(in: 1...5, using: &random)).map { _ in statement() } }

    private mutating func table() -> String { pick(["t1", "t2", "t3", "v1"]) }
    private mutating func column() -> String { pick(["a", "b", "c", "rowid"]) }

    /// Values are small: a statement that takes longer than the election timeout makes the leader step down.
    private mutating func value() -> String {
        pick([
            "NULL", "0", "1", "-1", "9223372036854775807", "1.5", "1e300", "9e999", "''", "'text'", "'2026-01-01'",
            "x''", "x'00ff'", "zeroblob(500)", "hex(zeroblob(400))", "'é👩‍👩‍👧'", "random()", "CAST('a' AS BLOB)",
            "TRUE",
            "date('now')", "abs(-9223372036854775808)", "json('{\"a\": 1}')",
        ])
    }

    private mutating func type() -> String {
        pick([
            "", "INTEGER", "TEXT", "BLOB", "REAL", "BOOLEAN", "DATE", "DATETIME", "TIMESTAMP", "boolean", "Date",
            "DATETIME NOT NULL DEFAULT 1.5", "BOOLEAN DEFAULT 'x'", "TIMESTAMP DEFAULT x'00'", "BOOLEAN(1)", "BOOL",
            "\"DATE\"", "[DATETIME]", "NUMERIC", "VARCHAR(10)", "/**/DATE/**/", "\"BOOLEAN\" DEFAULT 'x'",
        ])
    }

    private mutating func expression(_ depth: Int = 0) -> String {
        guard depth < 3, chance(60) else { return chance(50) ? column() : value() }
        let (left, right) = (expression(depth + 1), expression(depth + 1))
        switch Int.random(in: 0...7, using: &random) {
        case 0: return "(\(left) || \(right))"
        case 1: return "(\(left) + \(right))"
        case 2: return "CAST(\(left) AS \(pick(["INTEGER", "TEXT", "BLOB", "REAL", "DATE", "BOOLEAN"])))"
        case 3: return "(SELECT \(pick(["max", "min", "count", "group_concat", "sum"]))(\(column())) FROM \(table()))"
        case 4: return "CASE WHEN \(left) THEN \(right) ELSE \(value()) END"
        case 5: return "coalesce(\(left), \(right))"
        case 6: return "\(left) IN (\(right), \(value()))"
        default: return "\(pick(["typeof", "hex", "quote", "length", "date", "json_array"]))(\(left))"
        }
    }

    private mutating func select() -> String {
        switch Int.random(in: 0...8, using: &random) {
        case 0: return "SELECT * FROM \(table())"
        case 1: return "SELECT *, \(expression()) FROM \(table()) x, \(table()) y LIMIT 3000"
        case 2:
            let name = String(repeating: "n", count: Int.random(in: 1...300, using: &random))
            let count = Int.random(in: 1...200, using: &random)
            return "SELECT " + (0..<count).map { "\(value()) AS \(name)\($0)" }.joined(separator: ", ")
        case 3:
            // Several parts.
            return "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
                + "\(pick(["10", "1000", "20000"]))) SELECT i, \(value()) FROM n LIMIT 20000"
        case 4: return "SELECT \(column()) FROM \(table()) UNION ALL SELECT \(column()) FROM \(table())"
        case 5: return "SELECT \(expression()) OVER (ORDER BY 1) FROM \(table())"
        case 6: return "SELECT \(expression()), sum(\(column())) OVER (ORDER BY \(column())) FROM \(table()) GROUP BY 1"
        case 7: return "EXPLAIN \(pick(["", "QUERY PLAN "]))\(insert())"
        default: return "SELECT \(expression()) AS \(column()), \(column()) FROM \(table()) WHERE \(expression())"
        }
    }

    private mutating func insert() -> String {
        let returning = chance(50) ? " RETURNING \(pick(["*", "a", "rowid, b", "quote(a), c"]))" : ""
        switch Int.random(in: 0...4, using: &random) {
        case 0: return "INSERT INTO \(table()) (a, b) VALUES (\(value()), \(value()))\(returning)"
        case 1:
            return "INSERT OR \(pick(["IGNORE", "REPLACE", "FAIL", "ROLLBACK", "ABORT"])) INTO \(table()) (a, b, c) "
                + "VALUES (\(value()), \(value()), \(value())), (\(value()), 1, 2)\(returning)"
        case 2: return "UPDATE \(table()) SET \(pick(["a", "b", "c"])) = \(expression())\(returning)"
        case 3: return "DELETE FROM \(table()) WHERE \(expression())\(returning)"
        default: return "INSERT INTO \(table()) (a, b) SELECT * FROM (\(select())) LIMIT 500\(returning)"
        }
    }

    private mutating func definition() -> String {
        let name = pick(["t1", "t2", "t3"])
        switch Int.random(in: 0...11, using: &random) {
        case 0...2:
            return "CREATE TABLE IF NOT EXISTS \(name) (a \(type()), b \(type()), c \(type()))"
                + pick(["", "", " STRICT"])
        case 3: return "CREATE TABLE IF NOT EXISTS \(name) (a PRIMARY KEY, b \(type()), c AS (a || b)) WITHOUT ROWID"
        case 4: return "CREATE TABLE IF NOT EXISTS \(name) AS \(select())"
        case 5: return "DROP TABLE IF EXISTS \(name)"
        case 6: return "CREATE VIEW IF NOT EXISTS v1 AS SELECT a, b, c FROM \(name)"
        case 7: return "DROP VIEW IF EXISTS v1"
        case 8: return "ALTER TABLE \(name) \(pick(["ADD COLUMN d DATE", "DROP COLUMN d", "RENAME COLUMN c TO d"]))"
        case 9: return "CREATE INDEX IF NOT EXISTS i1 ON \(name) (\(expression()))"
        case 10:
            return "CREATE TRIGGER IF NOT EXISTS tr AFTER INSERT ON \(name) BEGIN \(insert()); END"
        default:
            return "CREATE VIRTUAL TABLE IF NOT EXISTS \(name) USING "
                + pick(["fts5(a, b, c)", "rtree(a, b, c)", "fts4(a, b, c)", "dbstat"])
        }
    }

    private mutating func pragma() -> String {
        let name = pick([
            "page_size", "journal_mode", "synchronous", "wal_checkpoint", "auto_vacuum", "encoding", "mmap_size",
            "locking_mode", "hard_heap_limit", "writable_schema", "query_only", "user_version", "application_id",
            "foreign_keys", "defer_foreign_keys", "recursive_triggers", "optimize", "integrity_check", "table_info",
            "cache_size", "data_version", "schema_version", "incremental_vacuum", "temp_store", "legacy_alter_table",
            "case_sensitive_like", "threads", "shrink_memory", "database_list", "busy_timeout", "cache_spill",
        ])
        let prefix = pick(["PRAGMA ", "pragma main.", "/* c */ PRAGMA "])
        return switch Int.random(in: 0...3, using: &random) {
        case 0: prefix + name
        case 1: "\(prefix)\(name) = \(pick(["0", "1", "2", "1024", "DELETE", "OFF", "'WAL'", "FULL"]))"
        case 2: "\(prefix)\(name)(\(pick(["0", "1", "t1", "TRUNCATE", "EXCLUSIVE"])))"
        default: "SELECT * FROM pragma_\(name)"
        }
    }

    private mutating func statement() -> String {
        switch Int.random(in: 0...20, using: &random) {
        case 0...4: return select()
        case 5...9: return insert()
        case 10...12: return definition()
        case 13...15: return pragma()
        case 16:
            return pick([
                "BEGIN", "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK", "SAVEPOINT s", "RELEASE s", "ROLLBACK TO s", "END",
                "BEGIN; ROLLBACK", "SAVEPOINT s; RELEASE s",
            ])
        case 17:
            return pick([
                "VACUUM", "vacuum main", "VACUUM INTO '/tmp/x'", "ATTACH 'fuzz' AS o", "ATTACH ':memory:' AS o",
                "ANALYZE",
                "REINDEX", "DETACH o", "EXPLAIN VACUUM", "/**/ VACUUM", "-- c\nVACUUM", "; VACUUM", "ANALYZE t1",
            ])
        case 18:
            return pick([
                "CREATE TEMP TABLE x (a)", "SELECT load_extension('x')", "SELECT fts3_tokenizer('simple')", "", ";",
                "--",
                "SELECT * FROM rowan_client", "DELETE FROM rowan_client", "DROP TABLE rowan_client",
                "UPDATE sqlite_master SET sql = 'x'", "SELECT * FROM sqlite_schema", "SELECT * FROM sqlite_dbpage",
            ])
        case 19: return insert() + "; " + select()
        default: return "WITH x AS (\(select())) SELECT * FROM x LIMIT 50"
        }
    }
}
