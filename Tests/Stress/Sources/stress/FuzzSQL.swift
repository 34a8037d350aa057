// Absurd SQL text: it runs or throws.

import Foundation
import Rowan

extension Part {
    static let fuzzSQL = Part(name: "fuzz-sql", summary: "mutated SQL text, arguments and names") { run in
        let queue = try DatabaseQueue(path: run.folder.path("fuzz.sqlite"))
        let watchdog = Watchdog(queue, after: 3)
        defer { watchdog.stop() }
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
                    CREATE TABLE team(id TEXT PRIMARY KEY, x) WITHOUT ROWID;
                    INSERT INTO player(name, score) VALUES ('a', 1), ('b', NULL), (x'00', 2.5);
                    """)
        }
        for _ in 0..<300 {
            var text = mutated(run, seeds)
            // No other files, and no long-running statements.
            for word in ["ATTACH", "VACUUM", "RECURSIVE"] { text = text.replacingOccurrences(of: word, with: "") }
            run.note("seed \(run.seed): \(text.debugDescription)")
            run.count("texts")
            attempt(run, queue, text)
        }
    }
}

private let seeds = [
    "SELECT * FROM player WHERE id = ? AND name LIKE :name OR score IN (1, 2, @a, $b) ORDER BY score DESC LIMIT 3",
    "SELECT p.*, t.x AS \"a.b\" FROM player p LEFT JOIN team t ON t.id = p.name GROUP BY 1, 2 HAVING count(*) > 0",
    "INSERT INTO player(name, score) VALUES ('x''y', ?1), (?2, 1e400) ON CONFLICT DO NOTHING RETURNING *",
    "UPDATE player SET score = score + 1, (name, score) = (SELECT 1, 2) WHERE EXISTS (SELECT 1 FROM team)",
    "DELETE FROM team WHERE id IN (SELECT name FROM player UNION ALL SELECT 'a')",
    "CREATE TABLE IF NOT EXISTS other(a PRIMARY KEY, b CHECK (b > 0), c GENERATED ALWAYS AS (a || b)); DROP TABLE other",
    "WITH c(x) AS (SELECT 1 UNION ALL SELECT 2) SELECT x, row_number() OVER (ORDER BY x) FROM c -- a comment",
    "BEGIN; INSERT INTO team VALUES ('a', 1); SAVEPOINT s; DELETE FROM team; ROLLBACK TO s; RELEASE s; COMMIT",
    "PRAGMA table_info('player'); PRAGMA foreign_keys; PRAGMA user_version = 3; EXPLAIN QUERY PLAN SELECT 1",
    "/* c */ SELECT CASE WHEN 1 THEN 'a' ELSE x'0F' END, json_extract('{\"a\":1}', '$.a'), cast('1' AS INT) ; ;",
    "CREATE TRIGGER IF NOT EXISTS tr AFTER INSERT ON player BEGIN UPDATE team SET x = 1; END; ANALYZE; REINDEX",
]

private let pieces = [
    "'", "\"", "`", "[", "]", "(", ")", ";", ",", ".", "?", "?999999", "?0", ":", "@", "$", "--", "/*", "*/", "\0",
    "\u{FEFF}",
    "SELECT", "NULL", "0x7fffffffffffffff", "1e999", "9223372036854775808", "-", "é", "👩‍👩‍👧", " ", "\n", "BEGIN", "COMMIT",
    "ROLLBACK", "SAVEPOINT a", "RELEASE a", "UNION", "WITH", "FROM player", "x'", "||", "->>", "COLLATE nocase",
    "main.",
    "temp.", "EXPLAIN ", "sqlite_master", "rowid", "*",
]

func mutated(_ run: Run, _ seeds: [String]) -> String {
    var scalars = Array(run.pick(seeds).unicodeScalars)
    for _ in 0..<run.pick([0, 1, 1, 2, 3, 8]) {
        let place = run.number(0...scalars.count)
        switch run.number(0...4) {
        case 0: scalars.insert(contentsOf: run.pick(pieces).unicodeScalars, at: place)
        case 1: scalars.removeSubrange(place..<min(scalars.count, place + run.number(1...12)))
        case 2:
            scalars = Array(scalars.prefix(place)) + Array(run.pick(seeds).unicodeScalars).suffix(run.number(0...60))
        case 3: if place < scalars.count { scalars[place] = Unicode.Scalar(UInt8(run.number(0...127))) }
        default:
            let end = min(scalars.count, place + run.number(1...20))
            scalars.insert(contentsOf: scalars[place..<end], at: run.number(0...scalars.count))
        }
    }
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    return text
}

private func arguments(_ run: Run) -> StatementArguments {
    let values: [DatabaseValue] = [
        .null, 1.databaseValue, "a\0b".databaseValue, Data([0, 255]).databaseValue, Double.infinity.databaseValue,
    ]
    return run.chance(50)
        ? StatementArguments((0..<run.number(0...6)).map { _ in run.pick(values) })
        : StatementArguments(["name": run.pick(values), "a": run.pick(values), "b": run.pick(values)])
}

private func attempt(_ run: Run, _ queue: DatabaseQueue, _ text: String) {
    let arguments = arguments(run)
    let choice = run.number(0...6)
    func use(_ db: Database) throws {
        switch choice {
        case 0: try db.execute(sql: text)
        case 1: try db.execute(sql: text, arguments: arguments)
        case 2: _ = try Array(Row.fetchCursor(db, sql: text, arguments: arguments).prefix(50))
        case 3:
            let statements = try db.allStatements(sql: text, arguments: arguments)
            while let statement = try statements.next() { try statement.execute() }
        case 4: _ = try db.explain(sql: text, arguments: arguments)
        case 5:
            _ = try Row.fetchAll(db, SQLRequest<Row>(sql: text, arguments: arguments))
            _ = try SQLRequest<Row>(sql: text, arguments: arguments).fetchCount(db)
        default:
            // The text as a name that needs quotes.
            _ = try? Table(text).fetchCount(db)
            _ = try? Table("player").filter(Column(text) == 1).fetchOne(db)
            _ = try? db.columns(in: text)
            _ = try? db.primaryKey(text)
            _ = try Row.fetchOne(db, sql: "SELECT 1 AS \(text.quotedDatabaseIdentifier)")
        }
    }
    do {
        // A text that leaves a transaction open causes an error of its access.
        if run.chance(50) { try queue.write(use) } else { try queue.read(use) }
    } catch { run.count("errors") }
    do {
        let isOpen = try queue.read {
            _ = try $0.int("SELECT 1"); return $0.isInsideTransaction
        }
        _ = isOpen
    } catch { run.fail("after \(text.debugDescription): \(error)") }
}
