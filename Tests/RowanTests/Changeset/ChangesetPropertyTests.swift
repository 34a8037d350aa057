// Random writes: what is recorded leads from one state to the other and back, and is what SQLite's own recorder records.

import Foundation
import Rowan
import RowanChangesets
import RowanSQLite
import Testing

@Suite struct ChangesetPropertyTests {
    private static let schema = """
        CREATE TABLE a(id INTEGER PRIMARY KEY, x, y REAL, z TEXT DEFAULT 'z');
        CREATE TABLE b(k TEXT, n INTEGER, v, PRIMARY KEY(k, n)) WITHOUT ROWID;
        CREATE TABLE c(v BLOB, k TEXT PRIMARY KEY COLLATE NOCASE);
        CREATE TABLE d(id INTEGER PRIMARY KEY, g AS (n * 2) STORED, n INTEGER UNIQUE);
        CREATE TABLE p(id INTEGER PRIMARY KEY, parent INTEGER REFERENCES p(id) ON DELETE CASCADE);
        CREATE TABLE log(id INTEGER PRIMARY KEY, what);
        CREATE TRIGGER logged AFTER UPDATE ON a BEGIN INSERT INTO log(what) VALUES (new.id); END;
        CREATE TRIGGER cleaned AFTER DELETE ON b BEGIN DELETE FROM log WHERE id % 2 = 0; UPDATE a SET x = old.v WHERE id = 1; END
        """
    private static let tables = ["a", "b", "c", "d", "p", "log"]

    private func content(_ db: Database) throws -> [String] {
        try Self.tables.flatMap { table in
            try Row.fetchAll(db, sql: "SELECT * FROM \(table)")
                .map { "\(table) " + $0.databaseValues.map { "\($0)" }.joined(separator: "|") }.sorted()
        }
    }

    /// One random statement.
    private func statement(_ random: inout SeededGenerator) -> String {
        func value() -> String {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: "NULL"
            case 1: "\(random.integer(Int64.self))"
            case 2: "\(Int.random(in: -4...4, using: &random)).5"
            case 3: "'\(["", "x", "é", "long text with more than a few bytes"].randomElement(using: &random)!)'"
            case 4: "x'\(["", "00", "ff00ff"].randomElement(using: &random)!)'"
            default: "\(Int.random(in: 0...3, using: &random))"
            }
        }
        func key() -> Int { Int.random(in: 1...8, using: &random) }
        func name() -> String { "'\(["a", "A", "b", "B", "ab"].randomElement(using: &random)!)'" }
        let or = ["", "OR IGNORE", "OR REPLACE", "OR FAIL", "OR ROLLBACK"].dropLast().randomElement(using: &random)!
        switch Int.random(in: 0..<18, using: &random) {
        case 0, 1: return "INSERT \(or) INTO a VALUES (\(key()), \(value()), \(value()), \(value()))"
        case 2: return "UPDATE \(or) a SET x = \(value()), y = \(value()) WHERE id >= \(key())"
        case 3: return "UPDATE \(or) a SET id = \(key()) WHERE id = \(key())"
        case 4: return "DELETE FROM a WHERE id = \(key())"
        case 5, 6: return "INSERT \(or) INTO b VALUES (\(name()), \(key()), \(value()))"
        case 7: return "UPDATE \(or) b SET v = \(value()) WHERE k = \(name())"
        case 8: return "UPDATE \(or) b SET k = \(name()), n = n + 1 WHERE n = \(key())"
        case 9: return "DELETE FROM b WHERE n = \(key())"
        case 10: return "INSERT \(or) INTO c VALUES (\(value()), \([name(), "NULL"].randomElement(using: &random)!))"
        case 11: return "UPDATE \(or) c SET k = \(name()) WHERE k = \(name())"
        case 12: return "DELETE FROM c"
        case 13: return "INSERT \(or) INTO d(id, n) VALUES (\(key()), \(key()))"
        case 14: return "UPDATE \(or) d SET n = n + 1"
        case 15:
            return "INSERT \(or) INTO p VALUES (\(key()), \([String(key()), "NULL"].randomElement(using: &random)!))"
        case 16: return "DELETE FROM p WHERE id = \(key())"
        default:
            return "INSERT INTO b VALUES (\(name()), \(key()), \(value())) ON CONFLICT DO UPDATE SET v = excluded.v"
        }
    }

    /// Whether rows have exchanged unique values, directly or in a circle: see ApplyConstraintsTests.
    private func exchangesValues(_ before: [Int: Int], _ after: [Int: Int]) -> Bool {
        let owners = Dictionary(before.map { ($1, $0) }) { first, _ in first }
        return after.keys.contains { start in
            guard before[start] != nil, before[start] != after[start] else { return false }
            var (id, count) = (start, 0)
            while count < after.count, let value = after[id], let owner = owners[value], after[owner] != nil {
                if owner == start { return true }
                (id, count) = (owner, count + 1)
            }
            return false
        }
    }

    private func uniqueValues(_ db: Database) throws -> [Int: Int] {
        let rows = try Row.fetchAll(db, sql: "SELECT id, n FROM d")
        return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
    }

    /// Some of the statements fail, and some are rolled back.
    private func run(_ statements: [String], _ db: Database, _ random: inout SeededGenerator) throws {
        for sql in statements {
            let isUndone = Int.random(in: 0..<5, using: &random) == 0
            try db.inSavepoint {
                do { try db.execute(sql: sql) } catch let error as DatabaseError
                    where error.resultCode == .SQLITE_CONSTRAINT
                {}
                return isUndone ? .rollback : .commit
            }
        }
    }

    /// The number of cycles. `make stress` runs more of them, with other seeds.
    private static let cycleCount = ProcessInfo.processInfo.environment["ROWAN_CYCLES"].flatMap { Int($0) } ?? 250

    @Test func changesLeadFromOneStateToTheOther() throws {
        var random = SeededGenerator(2026)
        for cycle in 0..<Self.cycleCount {
            let queue = try DatabaseQueue()
            let copy = try DatabaseQueue()
            try queue.write { db throws in
                try db.execute(sql: Self.schema)
                try run((0..<20).map { _ in statement(&random) }, db, &random)
            }
            try queue.backup(to: copy)
            let statements = (0..<Int.random(in: 1...25, using: &random)).map { _ in statement(&random) }
            try queue.write { db throws in
                let before = try content(db)
                let valuesBefore = try uniqueValues(db)
                let hasNullKeys = try Int.fetchOne(db, sql: "SELECT count(*) FROM c WHERE k IS NULL") ?? 0
                let recorder = try db.makeChangesetRecorder()
                let middle = Int.random(in: 0...statements.count, using: &random)
                try run(Array(statements[..<middle]), db, &random)
                let first = try recorder.changeset(db)
                let second = try db.recordChanges { try run(Array(statements[middle...]), db, &random) }
                let changes = try recorder.changeset(db)
                let after = try content(db)
                // Rows without a key are not recorded.
                let isComplete = try hasNullKeys == 0 && recorder.unrecordedRowCount(db) == 0
                let comment = Comment(
                    rawValue: "seed \(random.seed), cycle \(cycle): \(statements.joined(separator: "; "))")
                guard isComplete, try !exchangesValues(valuesBefore, uniqueValues(db)) else { return }

                func applied(_ changes: some DatabaseChanges, to source: DatabaseQueue) throws -> [String] {
                    let target = try DatabaseQueue()
                    try source.backup(to: target)
                    return try target.write { db in
                        do { try db.apply(changes) } catch { Issue.record(error, comment) }
                        return try content(db)
                    }
                }
                #expect(try applied(changes, to: copy) == after, comment)
                #expect(try applied(changes.patchset(), to: copy) == after, comment)
                #expect(try applied(first.combined(with: second), to: copy) == after, comment)
                let difference = try copy.read { try Changeset.difference(from: $0, to: db) }
                #expect(try applied(difference, to: copy) == after, comment)
                #expect(try changes.inverted().inverted() == changes, comment)
                try db.apply(changes.inverted())
                #expect(try content(db) == before, comment)
            }
        }
    }

    /// SQLite's recorder, on a connection of the C API.
    @Test func changesAreThoseOfSQLite() throws {
        guard rowan_has_sessions() != 0 else { return }
        var random = SeededGenerator(1987)
        for cycle in 0..<Self.cycleCount {
            // SQLite 3.40 does not support generated columns here.
            let schema = Self.schema.replacingOccurrences(of: "g AS (n * 2) STORED, ", with: "")
                // By this collation, it takes keys that differ in their case for the same.
                .replacingOccurrences(of: "COLLATE NOCASE", with: "")
            let queue = try DatabaseQueue()
            var connection: OpaquePointer?
            #expect(sqlite3_open(":memory:", &connection) == SQLITE_OK)
            defer { sqlite3_close_v2(connection) }
            sqlite3_exec(connection, "PRAGMA foreign_keys = ON; " + schema, nil, nil, nil)
            try queue.write { try $0.execute(sql: schema) }
            let setup = (0..<15).map { _ in statement(&random) }
            let statements = (0..<15).map { _ in statement(&random) }
            for sql in setup { sqlite3_exec(connection, sql, nil, nil, nil) }
            var session: OpaquePointer?
            #expect(sqlite3session_create(connection, "main", &session) == SQLITE_OK)
            sqlite3session_attach(session, nil)
            for sql in statements { sqlite3_exec(connection, sql, nil, nil, nil) }
            var count: CInt = 0
            var bytes: UnsafeMutableRawPointer?
            #expect(sqlite3session_changeset(session, &count, &bytes) == SQLITE_OK)
            sqlite3session_delete(session)
            let expected = Changeset(data: bytes.map { Data(bytes: $0, count: Int(count)) } ?? Data(), columnNames: [:])
            sqlite3_free(bytes)

            let changes = try queue.writeWithoutTransaction { db throws in
                for sql in setup { try? db.execute(sql: sql) }
                return try db.recordChanges { for sql in statements { try? db.execute(sql: sql) } }
            }
            func list(_ changes: Changeset) throws -> [String] {
                try Changeset(data: changes.data, columnNames: [:]).changes()
                    .map { "\($0.kind) \($0.tableName) \($0.old) \($0.new)" }.sorted()
            }
            let (own, others) = (try list(changes), try list(expected))
            #expect(own == others, "seed \(random.seed), cycle \(cycle): \(statements.joined(separator: "; "))")
        }
    }
}
