// Damaged files and hostile SQL on connections that trust neither: each statement ends, and no other file is touched.

import Foundation
import Rowan

extension Part {
    static let untrusted = Part(
        name: "untrusted", summary: "damaged files and hostile SQL with Configuration.trust"
    ) { run in
        let (file, _) = try originalOfFuzz(run)
        let folder = run.folder.path("untrusted")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/hostile.sqlite"
        // A process works in a folder of its own, so that relative paths are found there, too.
        FileManager.default.changeCurrentDirectoryPath(folder)
        var limits = SQLLimits()
        limits.time = .milliseconds(20)
        limits.rows = 500
        limits.temporaryBytes = 1 << 20
        var configuration = Configuration()
        configuration.trust = [.untrustedFile, .untrustedSQL(limits)]
        configuration.prepareDatabase { db in
            db.add(
                function: DatabaseFunction("launch", safety: .default) { _ in
                    fatalError("untrusted SQL has called a function that is not innocuous")
                })
        }
        for _ in 0..<20 where !run.isOver || run.counts["files"] == nil {
            var damaged = file
            if run.chance(70) { damage(&damaged, run) }
            try damaged.write(to: URL(fileURLWithPath: path))
            run.count("files")
            run.note("seed \(run.seed), file \(run.counts["files"] ?? 0)")
            do {
                let queue = try DatabaseQueue(path: path, configuration: configuration)
                for _ in 0..<30 {
                    let text = mutated(run, attacks)
                    run.note("seed \(run.seed): \(text.debugDescription)")
                    run.count("texts")
                    do {
                        try queue.writeWithoutTransaction { db in
                            do { try db.execute(sql: text) } catch { run.count("errors") }
                            if db.isInsideTransaction { try db.execute(sql: "ROLLBACK") }
                        }
                    } catch { run.count("errors") }
                }
                try queue.close()
            } catch { run.count("errors") }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            let others = names.filter { !$0.hasPrefix("hostile.sqlite") }
            if !others.isEmpty { run.fail("other files: \(others)") }
            for name in names { try? FileManager.default.removeItem(atPath: folder + "/" + name) }
        }
    }
}

private let attacks = [
    "ATTACH 'other.db' AS other; CREATE TABLE other.t(a)",
    "VACUUM INTO 'copy.db'",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n ORDER BY hex(i) DESC",
    "SELECT launch(), launch(1), (SELECT launch()) FROM player ORDER BY launch()",
    "CREATE VIEW v AS SELECT launch() AS a; SELECT a FROM v",
    "CREATE TRIGGER r AFTER INSERT ON player BEGIN SELECT launch(new.id); END; INSERT INTO player(name) VALUES ('x')",
    "CREATE TABLE g(a, b AS (launch(a)), c DEFAULT (launch()), CHECK (launch(a))); INSERT INTO g(a) VALUES (1)",
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE TABLE player(a)'; PRAGMA trusted_schema = 1",
    "PRAGMA journal_mode = OFF; PRAGMA temp_store_directory = '/tmp'; PRAGMA mmap_size = 100000000; PRAGMA user_version",
    "SELECT load_extension('evil.so'), fts3_tokenizer('simple', x'0011223344556677'), readfile('/etc/passwd')",
    "CREATE VIRTUAL TABLE f USING fts5(a); INSERT INTO f VALUES ('text'); SELECT highlight(f, 0, '<', '>') FROM f('text')",
    "CREATE VIRTUAL TABLE c USING csv(filename='/etc/passwd'); CREATE VIRTUAL TABLE r USING rtree(id, a, b)",
    "CREATE TEMP TABLE player(a); CREATE TEMP TRIGGER t AFTER INSERT ON main.player BEGIN SELECT 1; END",
    "SELECT replace(hex(zeroblob(400000)), '0', 'xxxxxxxx'), printf('%.*c', 100000000, 'x'), zeroblob(1000000000)",
    "SELECT a.id FROM player a, player b, player c, player d ORDER BY a.name, b.name, c.name, d.name",
    "INSERT INTO player(name, info) SELECT name, zeroblob(900000) FROM player; DELETE FROM player; DROP TABLE pair",
    "SELECT * FROM sqlite_dbpage; SELECT * FROM pragma_database_list, json_each('[1]'), dbstat, sqlite_stmt",
    "SELECT group_concat(name, x'00') OVER (PARTITION BY id ORDER BY score ROWS UNBOUNDED PRECEDING) FROM player",
    "BEGIN; SAVEPOINT s; UPDATE player SET name = name || name; ROLLBACK TO s; RELEASE s; COMMIT",
]
