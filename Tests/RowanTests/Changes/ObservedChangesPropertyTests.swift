// Compares observers with the actual content of the tables before and after each commit of random scripts. An observer
// must have received each changed table, and each changed row of a table whose rows are reported.

@testable import Rowan
import Testing

@Suite
struct ObservedChangesPropertyTests {
    private static let schema = """
        CREATE TABLE plain (a UNIQUE, b);
        CREATE TABLE keyed (id INTEGER PRIMARY KEY, a UNIQUE ON CONFLICT REPLACE, b);
        CREATE TABLE wide (a PRIMARY KEY, b UNIQUE) WITHOUT ROWID;
        CREATE TABLE parent (id INTEGER PRIMARY KEY, b);
        CREATE TABLE child (id INTEGER PRIMARY KEY, p REFERENCES parent(id) ON DELETE CASCADE ON UPDATE CASCADE);
        CREATE TABLE nephew (id INTEGER PRIMARY KEY, c REFERENCES child(id) ON DELETE SET NULL ON UPDATE SET NULL);
        CREATE TABLE late (p REFERENCES parent(id) DEFERRABLE INITIALLY DEFERRED);
        CREATE TABLE log (id INTEGER PRIMARY KEY, a);
        CREATE TABLE count (k PRIMARY KEY, n) WITHOUT ROWID;
        CREATE VIRTUAL TABLE doc USING fts5(a, b);
        CREATE VIEW both AS SELECT a, b FROM plain;
        CREATE TRIGGER t1 AFTER INSERT ON plain WHEN NEW.a % 2 = 0 BEGIN INSERT INTO log(a) VALUES (NEW.a); END;
        CREATE TRIGGER t2 AFTER DELETE ON plain BEGIN
            INSERT INTO count VALUES (OLD.a % 3, 1) ON CONFLICT DO UPDATE SET n = n + 1;
        END;
        CREATE TRIGGER t3 AFTER UPDATE OF b ON keyed BEGIN UPDATE OR REPLACE plain SET a = NEW.b WHERE a = OLD.b; END;
        CREATE TRIGGER t4 BEFORE INSERT ON wide WHEN NEW.b = 7 BEGIN SELECT RAISE(FAIL, 'seven'); END;
        CREATE TRIGGER t5 INSTEAD OF INSERT ON both BEGIN
            INSERT INTO keyed(a, b) VALUES (NEW.a, NEW.b);
            DELETE FROM log WHERE a = NEW.b;
        END;
        CREATE TRIGGER t6 AFTER INSERT ON child WHEN NEW.id = 5 BEGIN SELECT RAISE(ROLLBACK, 'five'); END;
        """
    private static let tables = [
        "plain", "keyed", "wide", "parent", "child", "nephew", "late", "log", "count", "doc",
    ]

    /// A random statement. Many of them fail.
    private static func statement(_ generator: inout SeededGenerator) -> String {
        func number() -> Int { Int.random(in: 0..<9, using: &generator) }
        func pick(_ choices: String...) -> String { choices.randomElement(using: &generator)! }
        let policy = pick("", "", "", "OR REPLACE", "OR IGNORE", "OR FAIL", "OR ABORT", "OR ROLLBACK")
        let table = pick("plain", "keyed", "wide", "both", "doc")
        let returning = number() < 2 && table != "doc" && table != "both" ? " RETURNING a" : ""
        switch number() {
        case 0, 1:
            let columns = pick("(a, b)", "(b, a)")
            let rows = (0...number() / 3).map { _ in "(\(number()), \(number()))" }.joined(separator: ", ")
            return "INSERT \(policy) INTO \(table)\(columns) VALUES \(rows)\(returning)"
        case 2:
            let target = table == "both" ? "plain" : table
            return
                "UPDATE \(policy) \(target) SET \(pick("a", "b")) = \(number()) WHERE \(pick("a", "b")) > \(number())"
                + (target == "doc" ? "" : returning)
        case 3:
            let condition = pick("", " WHERE a = \(number())", " WHERE b < \(number())")
            return "DELETE FROM \(table == "both" ? "keyed" : table)\(condition)"
                + (table == "doc" || table == "both" ? "" : returning)
        case 4:
            return pick(
                "INSERT \(policy) INTO parent VALUES (\(number()), \(number()))",
                "INSERT \(policy) INTO child VALUES (\(number()), \(number()))",
                "INSERT \(policy) INTO nephew VALUES (\(number()), \(number()))",
                "INSERT INTO late VALUES (\(number()))", "DELETE FROM late",
                "DELETE FROM parent WHERE id = \(number())", "DELETE FROM parent",
                "UPDATE \(policy) parent SET id = \(number()) WHERE id = \(number())",
                "UPDATE \(policy) child SET id = id + 1")
        case 5:
            return pick(
                "INSERT INTO wide SELECT a, b FROM plain WHERE true ON CONFLICT(a) DO UPDATE SET b = excluded.b + 1",
                "INSERT INTO plain SELECT * FROM keyed WHERE false", "REPLACE INTO plain SELECT a, b FROM keyed",
                "UPDATE \(policy) plain SET rowid = \(number()) WHERE a = \(number())",
                "UPDATE \(policy) keyed SET id = \(number()), b = 3 WHERE a = \(number())",
                "UPDATE keyed SET _rowid_ = -id", "INSERT INTO doc(doc) VALUES ('optimize')")
        case 6: return pick("BEGIN", "BEGIN IMMEDIATE", "SAVEPOINT s\(number() / 4)", "SAVEPOINT S0")
        case 7: return pick("ROLLBACK TO s\(number() / 4)", "RELEASE s\(number() / 4)", "COMMIT", "ROLLBACK")
        default: return pick("COMMIT", "COMMIT", "SELECT * FROM plain", "DELETE FROM \(pick("plain", "wide", "log"))")
        }
    }

    /// The content of the tables by rowid.
    private static func content(_ db: Database) throws -> [String: [String: String]] {
        var content: [String: [String: String]] = [:]
        for table in tables {
            let key = ["wide": "a", "count": "k"][table] ?? "rowid"
            var rows: [String: String] = [:]
            for row in try Row.fetchAll(db, sql: "SELECT \(key) AS rowKey, * FROM \(table)") {
                rows[DatabaseValue.fromRow(row)] = row.description
            }
            content[table] = rows
        }
        return content
    }

    /// Runs random statements, and compares at the end of each transaction.
    ///
    /// - Parameter asksForRegions: whether only regions are observed, so that a reported statement is no longer
    ///   watched.
    private func run(
        seed ownSeed: UInt64, statementCount: Int, usesCache: Bool, asksForRegions: Bool = false
    ) throws -> (commits: Int, changes: Int) {
        var generator = SeededGenerator(ownSeed)
        let seed = generator.seed
        var counts = (commits: 0, changes: 0)
        try withDatabase { db in
            try db.execute(sql: Self.schema)
            let log = ChangeLog()
            // An observer of each table, like those of observations.
            let observations = try Self.tables.map { table in
                let columns = ["wide", "count"].contains(table) ? "*" : "rowid, *"
                let region = try db.makeStatement(sql: "SELECT \(columns) FROM \(table)").databaseRegion
                return (table, region, ChangeLog(region), ChangeLog(region, .region))
            }
            if !asksForRegions { try db.subscribe(log) }
            for (_, _, rows, regions) in observations {
                if !asksForRegions { try db.subscribe(rows) }
                try db.subscribe(regions)
            }
            var before = try Self.content(db)
            var script: [String] = []
            for _ in 0..<statementCount {
                let sql = Self.statement(&generator)
                script.append(sql)
                do {
                    if sql.contains("RETURNING"), Bool.random(using: &generator) {
                        _ = try Row.fetchOne(db, sql: sql)
                    } else if usesCache {
                        try db.cachedStatement(sql: sql).execute()
                    } else {
                        try db.execute(sql: sql)
                    }
                } catch is DatabaseError {}
                guard !db.isInsideTransaction else { continue }
                let after = try Self.content(db)
                let region = log.committed.reduce(into: DatabaseRegion()) { $0.formUnion($1.region) }
                let rows = log.committed.flatMap(\.rows)
                counts.commits += asksForRegions ? 1 : log.committed.count
                for table in Self.tables {
                    let (old, new) = (before[table] ?? [:], after[table] ?? [:])
                    guard old != new else { continue }
                    counts.changes += 1
                    let (_, observed, observation, regions) = observations.first { $0.0 == table }!
                    let isRegionNoticed = regions.notices(observed)
                    #expect(isRegionNoticed, "\(table) in \(script.suffix(12)) of ROWAN_SEED=\(seed)")
                    guard !asksForRegions else { continue }
                    let whole = region.contains(table: table)
                    let events = Set(rows.filter { $0.tableName == table }.map { "\($0.rowID)" })
                    let missed = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] && !events.contains($0) }
                    #expect(
                        whole || missed.isEmpty,
                        "\(table) \(missed) in \(script.suffix(12)) of ROWAN_SEED=\(seed): \(region), \(events)")
                    let isNoticed = observation.notices(observed)
                    #expect(isNoticed, "\(table) in \(script.suffix(12)) of ROWAN_SEED=\(seed)")
                }
                _ = log.take()
                for (_, _, rows, regions) in observations { _ = (rows.take(), regions.take()) }
                before = after
                script = []
            }
            if db.isInsideTransaction { try db.rollback() }
        }
        return counts
    }

    @Test(arguments: [UInt64(21), 22, 23, 24, 25, 26], [false, true])
    func scripts(_ seed: UInt64, _ usesCache: Bool) throws {
        let counts = try run(seed: seed, statementCount: 1_500, usesCache: usesCache)
        #expect(counts.commits > 100, "ROWAN_SEED=\(seed)")
        #expect(counts.changes > 100, "ROWAN_SEED=\(seed)")
    }
}

extension DatabaseValue {
    fileprivate static func fromRow(_ row: Row) -> String { (row[0] as DatabaseValue).description }
}

extension DatabaseRegion {
    /// Whether the region contains a table with all its rows.
    fileprivate func contains(table: String) -> Bool {
        let table = StatementProfile.Table(schema: "main", name: table)
        return rowCount(of: table) == nil
    }
}
