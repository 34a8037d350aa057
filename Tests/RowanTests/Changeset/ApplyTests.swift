// Applying changes: conflicts, constraints, schemas, triggers, observers.

import Foundation
import Rowan
import RowanChangesets
import Testing

@Suite struct ApplyTests {
    static let schema = """
        CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
        CREATE TABLE player(id INTEGER PRIMARY KEY, team INTEGER REFERENCES team(id) ON DELETE CASCADE, score INTEGER CHECK (score >= 0));
        INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues');
        INSERT INTO player VALUES (1, 1, 100), (2, 1, 200), (3, 2, 300)
        """

    static let kinds = ConnectionKind.allCases.filter { $0 != .cluster }

    func make(_ kind: ConnectionKind = .memoryQueue) throws -> (any DatabaseWriter, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        try writer.write { try $0.execute(sql: Self.schema) }
        return (writer, folder)
    }

    func content(_ db: Database) throws -> [String] {
        try ["team", "player"].flatMap { table in
            try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY id").map { row in
                "\(table) " + row.databaseValues.map { "\($0)" }.joined(separator: " ")
            }
        }
    }

    /// The changes that a statement makes of a copy of the database.
    func changes(_ sql: String) throws -> Changeset {
        let (writer, _) = try make()
        return try writer.write { db in try db.recordChanges { try db.execute(sql: sql) } }
    }

    @Test(arguments: kinds) func changesAreApplied(_ kind: ConnectionKind) throws {
        let sql = """
            INSERT INTO team VALUES (3, 'Greens'); INSERT INTO player VALUES (4, 3, 400); UPDATE player SET score = 1 WHERE id = 1;
            DELETE FROM team WHERE id = 2
            """
        let (expected, _) = try make()
        try expected.write { try $0.execute(sql: sql) }
        let (writer, folder) = try make(kind)
        defer { _ = folder }
        let changes = try changes(sql)
        try writer.write { _ = try $0.apply(changes) }
        #expect(try writer.read(content) == expected.read(content))
        // Undone, and applied as a patchset.
        let original = try make().0.read(content)
        try writer.write { db throws in
            try db.apply(changes.inverted())
            #expect(try content(db) == original)
            try db.apply(changes.patchset())
        }
        #expect(try writer.read(content) == expected.read(content))
    }

    @Test func conflicts() throws {
        let changes = try changes(
            """
            UPDATE player SET score = 1 WHERE id = 1; UPDATE player SET score = 2 WHERE id = 2; DELETE FROM player WHERE id = 3;
            INSERT INTO team VALUES (3, 'Greens')
            """)
        let (writer, _) = try make()
        try writer.write { db throws in
            try db.execute(
                sql: """
                    UPDATE player SET score = 50 WHERE id = 1; DELETE FROM player WHERE id IN (2, 3);
                    INSERT INTO team VALUES (3, 'Greys')
                    """)
        }
        let before = try writer.read(content)
        // Nothing is applied.
        let messages = [
            "update of a row of player by id: the row has other values": 1,
            "update of a row of player by id: the row does not exist": 2,
        ]
        for (message, id) in messages {
            expectError(.SQLITE_ABORT, "the changes were not applied: \(message)") {
                try writer.write {
                    try $0.apply(changes.filter { $0.primaryKey["id"] == id && $0.tableName == "player" })
                }
            }
        }
        expectError(
            .SQLITE_ABORT,
            "the changes were not applied: insert of a row of team by id: a row with this key already exists"
        ) {
            try writer.write { try $0.apply(changes) { $0.kind == .conflict ? .abort : .omit } }
        }
        #expect(try writer.read(content) == before)
        struct Refused: Error {}
        #expect(throws: Refused.self) { try writer.write { try $0.apply(changes) { _ in throw Refused() } } }
        #expect(try writer.read(content) == before)

        var kinds: [ChangeConflict.Kind] = []
        var existing: [Row?] = []
        try writer.write { db throws in
            try db.apply(changes) { conflict in
                kinds.append(conflict.kind)
                existing.append(conflict.existing)
                return .omit
            }
        }
        #expect(kinds == [.data, .notFound, .notFound, .conflict])
        #expect(existing[0] == ["id": 1, "team": 1, "score": 50])
        #expect(existing[1] == nil)
        #expect(existing[3] == ["id": 3, "name": "Greys"])
        #expect(try writer.read(content) == before)
        try writer.write { db throws in
            try db.apply(changes) { $0.kind == .data || $0.kind == .conflict ? .replace : .omit }
        }
        #expect(
            try writer.read(content) == [
                "team 1 \"Reds\"", "team 2 \"Blues\"", "team 3 \"Greens\"", "player 1 1 1",
            ])
        expectError(
            .SQLITE_MISUSE,
            "a conflict of the kind \"notFound\" can't be resolved by replacing a row: omit the change, or abort"
        ) {
            try writer.write { try $0.apply(changes) { _ in .replace } }
        }
    }

    @Test func constraints() throws {
        let changes = try changes("INSERT INTO team VALUES (3, 'Greens'); INSERT INTO player VALUES (4, 3, 1)")
        let (writer, _) = try make()
        try writer.write { try $0.execute(sql: "INSERT INTO team VALUES (9, 'Greens')") }
        expectError(
            .SQLITE_ABORT, "the changes were not applied: insert of a row of team by id: it violates a constraint"
        ) {
            try writer.write { try $0.apply(changes) }
        }
        // Without the team, the player has no parent.
        var violationCount = 0
        expectError(.SQLITE_ABORT, "the changes were not applied: 1 foreign keys would be violated") {
            try writer.write { db throws in
                try db.apply(changes) { conflict in
                    violationCount += conflict.foreignKeyViolationCount
                    return conflict.kind == .foreignKey ? .abort : .omit
                }
            }
        }
        #expect(violationCount == 1)
        #expect(try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM player") } == 3)
    }

    @Test func schemasAreCompared() throws {
        let changes = try changes("UPDATE player SET score = 1 WHERE id = 1")
        let cases = [
            ("CREATE TABLE other(id INTEGER PRIMARY KEY)", "there is no table \"player\""),
            ("CREATE VIEW player AS SELECT 1 AS id", "there is no table \"player\""),
            ("CREATE TABLE player(id, team, score)", "\"player\" is not a table with a primary key"),
            (
                "CREATE TABLE player(id INTEGER PRIMARY KEY, team, points)",
                "table \"player\" has the columns id, team, points, instead of id, team, score"
            ),
            ("CREATE TABLE player(id, team, score, PRIMARY KEY(id, team))", "table \"player\" has another primary key"),
        ]
        for (sql, difference) in cases {
            let queue = try DatabaseQueue()
            try queue.write { try $0.execute(sql: sql) }
            expectError(.SQLITE_SCHEMA, "the changes don't fit the schema: \(difference)") {
                try queue.write { try $0.apply(changes) }
            }
        }
        // Bytes of another program, without names.
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, score)") }
        expectError(.SQLITE_SCHEMA, "the changes don't fit the schema: table \"player\" has 2 columns, instead of 3") {
            try queue.write { try $0.apply(Changeset(data: changes.data, columnNames: [:])) }
        }
    }

    @Test(arguments: kinds) func readsApplyNothing(_ kind: ConnectionKind) throws {
        let (writer, folder) = try make(kind)
        defer { _ = folder }
        let changes = try changes("UPDATE player SET score = 1 WHERE id = 1")
        expectError(.SQLITE_READONLY, "changes can't be applied in a read: use `write`") {
            try writer.read { try $0.apply(changes) }
        }
    }

    @Test func triggersAreSkipped() throws {
        let triggers = """
            CREATE TABLE log(id INTEGER PRIMARY KEY, text);
            CREATE TRIGGER logged AFTER UPDATE ON player BEGIN INSERT INTO log(text) VALUES (new.score); END;
            CREATE VIRTUAL TABLE names USING fts5(name, content='team', content_rowid='id');
            CREATE TRIGGER named AFTER INSERT ON team BEGIN INSERT INTO names(rowid, name) VALUES (new.id, new.name); END
            """
        let (source, _) = try make()
        try source.write { try $0.execute(sql: triggers) }
        let changes = try source.write { db throws in
            try db.recordChanges {
                try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1; INSERT INTO team VALUES (3, 'Greens')")
            }
        }
        #expect(try changes.changes().map(\.tableName) == ["player", "log", "team"])
        #expect(try changes.changes().map(\.isIndirect) == [false, true, false])
        func applied(_ mode: ChangeTriggers, _ changes: Changeset) throws -> [Int?] {
            let (writer, _) = try make()
            return try writer.write { db throws in
                try db.execute(sql: triggers)
                try db.apply(changes, triggers: mode)
                try db.execute(sql: "UPDATE player SET score = 7 WHERE id = 2")
                return [
                    try Int.fetchOne(db, sql: "SELECT count(*) FROM log"),
                    try Int.fetchOne(db, sql: "SELECT count(*) FROM names WHERE names MATCH 'greens'"),
                ]
            }
        }
        #expect(try applied(.skip, changes) == [2, 0])
        #expect(try applied(.run, changes) == [2, 1])
    }

    /// Both ways: triggers keep the full-text table up to date, and the rows that a foreign key has deleted come back.
    @Test func undoWithTriggers() throws {
        let (writer, _) = try make()
        try writer.write { db throws in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE names USING fts5(name, content='team', content_rowid='id');
                    INSERT INTO names(names) VALUES ('rebuild');
                    CREATE TRIGGER added AFTER INSERT ON team BEGIN INSERT INTO names(rowid, name) VALUES (new.id, new.name); END;
                    CREATE TRIGGER removed AFTER DELETE ON team
                        BEGIN INSERT INTO names(names, rowid, name) VALUES ('delete', old.id, old.name); END
                    """)
            func found() throws -> Int? {
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM names WHERE names MATCH 'reds'")
            }
            let before = try content(db)
            var undo = UndoStack()
            try undo.perform(db) { try db.execute(sql: "DELETE FROM team WHERE id = 1") }
            let after = try content(db)
            #expect(try found() == 0)
            try undo.undo(db, triggers: .run)
            #expect(try content(db) == before)
            #expect(try found() == 1)
            try undo.redo(db, triggers: .run)
            #expect(try content(db) == after)
            #expect(try found() == 0)
            try db.execute(sql: "INSERT INTO names(names) VALUES ('integrity-check')")
        }
    }

    /// A changeset could replace the index behind a full-text table.
    @Test(arguments: kinds) func observersSeeTheChanges(_ kind: ConnectionKind) throws {
        let (writer, folder) = try make(kind)
        defer { _ = folder }
        let changes = try changes("UPDATE player SET score = 1 WHERE id = 1; DELETE FROM team WHERE id = 2")
        let observer = RowLog()
        writer.add(transactionObserver: observer)
        try writer.write { try $0.apply(changes) }
        #expect(Set(observer.events) == ["update player 1", "delete team 2", "delete player 3"])
        #expect(observer.commitCount == 1)
        // A conflict undoes everything: no event.
        observer.events = []
        #expect(throws: DatabaseError.self) { try writer.write { try $0.apply(changes) } }
        #expect(observer.events == [])
    }

    @Test func observationsSeeTheChanges() async throws {
        let (writer, _) = try make()
        let changes = try changes("UPDATE player SET score = 1 WHERE id = 1")
        let observation = ValueObservation.tracking {
            try Int.fetchOne($0, sql: "SELECT score FROM player WHERE id = 1")
        }
        var values: [Int?] = []
        for try await value in observation.values(in: writer) {
            values.append(value)
            if values.count == 2 { break }
            try await writer.write { db in _ = try db.apply(changes) }
        }
        #expect(values == [100, 1])
    }

    @Test func rebasing() throws {
        // Both change the same row. Here, our value wins; there, our changes are applied to theirs.
        let ours = try changes("UPDATE player SET score = 11 WHERE id = 1; UPDATE player SET score = 12 WHERE id = 2")
        let theirs = try changes("UPDATE player SET score = 21 WHERE id = 1; UPDATE player SET score = 23 WHERE id = 3")
        let (here, _) = try make()
        let (there, _) = try make()
        try there.write { try $0.apply(theirs) }
        try here.write { db throws in
            try db.apply(ours)
            let rebase = try db.apply(theirs) { _ in .omit }
            #expect(!rebase.data.isEmpty)
            try there.write { try $0.apply(ours.rebased(on: rebase)) }
        }
        #expect(try here.read(content) == there.read(content))
        #expect(try here.read { try Int.fetchAll($0, sql: "SELECT score FROM player ORDER BY id") } == [11, 12, 23])
    }

    @Test func differences() throws {
        let (old, _) = try make()
        let (new, _) = try make()
        try new.write { db throws in
            try db.execute(
                sql: """
                    UPDATE player SET score = 5, team = 2 WHERE id = 1; DELETE FROM player WHERE id = 2;
                    INSERT INTO team VALUES (3, 'Greens'); INSERT INTO player VALUES (9, 3, 1)
                    """)
        }
        let changes = try old.read { old in try new.read { new in try Changeset.difference(from: old, to: new) } }
        #expect(try changes.changes().count == 4)
        try old.write { try $0.apply(changes) }
        #expect(try old.read(content) == new.read(content))
        #expect(try old.read { old in try new.read { new in try Changeset.difference(from: old, to: new) } }.isEmpty)
        try new.write { try $0.execute(sql: "ALTER TABLE player ADD COLUMN a") }
        expectError(.SQLITE_SCHEMA, "the databases have different columns of table \"player\"") {
            try old.read { old in try new.read { new in try Changeset.difference(from: old, to: new) } }
        }
    }

    /// SQLite pairs tables by their names, and trusts the bytes.
    @Test func damagedRebases() throws {
        let theirs = try changes("UPDATE player SET score = 21 WHERE id = 1")
        let (here, _) = try make()
        let ours = try here.write { db in try db.recordChanges { try db.execute(sql: "UPDATE player SET score = 1") } }
        let rebase = try here.write { db in try db.apply(theirs) { _ in .omit } }
        for count in 1..<rebase.data.count {
            let damaged = ChangesetRebase(data: rebase.data.prefix(count))
            // A header without changes is a description of no conflicts.
            guard (try? ours.rebased(on: damaged)) == nil else { continue }
            expectError(.SQLITE_CORRUPT) { try ours.rebased(on: damaged) }
        }
        let other = try DatabaseQueue()
        let wide = try other.write { db in
            try db.execute(
                sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, a, b, c, d, e); INSERT INTO player(id) VALUES (1)")
            let changes = try db.recordChanges { try db.execute(sql: "UPDATE player SET a = 1") }
            return try db.apply(changes.inverted().inverted()) { _ in .omit }
        }
        expectError(.SQLITE_SCHEMA, "the conflicts are those of other columns of table \"player\"") {
            try ours.rebased(on: wide)
        }
    }

    @Test func transactionsOfTheClosure() throws {
        let changes = try changes("UPDATE player SET score = 1; UPDATE team SET name = name || '!'")
        let (writer, _) = try make()
        try writer.write { try $0.execute(sql: "UPDATE player SET score = 7 WHERE id = 3") }
        let before = try writer.read(content)
        for sql in ["COMMIT", "ROLLBACK", "SAVEPOINT s", "RELEASE changeset_apply", "ROLLBACK TO changeset_apply"] {
            expectError(.SQLITE_MISUSE) {
                try writer.write { db in
                    try db.apply(changes) { _ in
                        try db.execute(sql: sql)
                        return .omit
                    }
                }
            }
            #expect(try writer.read(content) == before)
        }
        expectError(.SQLITE_READONLY) {
            try writer.write { db in
                try db.apply(changes) { _ in
                    try db.execute(sql: "DELETE FROM player")
                    return .omit
                }
            }
        }
        #expect(try writer.read(content) == before)
        // What SQLite counts as missing parents can't be counted while foreign keys are off.
        try writer.write { db throws in
            try db.execute(sql: "PRAGMA defer_foreign_keys = ON; INSERT INTO player VALUES (9, 99, 1)")
            expectError(.SQLITE_MISUSE) { try db.apply(changes) }
            try db.execute(sql: "DELETE FROM player WHERE id = 9")
            try db.apply(changes) { _ in .omit }
            #expect(try Bool.fetchOne(db, sql: "PRAGMA defer_foreign_keys") == true)
        }
    }
}

private final class RowLog: TransactionObserver {
    var events: [String] = []
    var commitCount = 0
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {
        events.append("\(event.kind) \(event.tableName) \(event.rowID)")
    }
    func databaseDidCommit(_ db: Database) { commitCount += 1 }
    func databaseDidRollback(_ db: Database) {}
}
