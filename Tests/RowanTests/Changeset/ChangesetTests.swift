// Changes as values: what is recorded, what they contain, and what becomes of them.

import Foundation
import Rowan
import RowanChangesets
import Testing

@Suite struct ChangesetTests {
    struct Player: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
        var id: Int64?
        var name: String
        var score: Int

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    static let schema = """
        CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER);
        CREATE TABLE note(player INTEGER REFERENCES player(id) ON DELETE CASCADE, number INTEGER, text, PRIMARY KEY(player, number))
            WITHOUT ROWID;
        CREATE TABLE log(text);
        INSERT INTO player VALUES (1, 'Arthur', 100), (2, 'Barbara', 200);
        INSERT INTO note VALUES (1, 1, 'a'), (1, 2, x'00ff'), (2, 1, NULL)
        """

    func make(_ kind: ConnectionKind, in folder: TemporaryFolder) throws -> any DatabaseWriter {
        let writer = try kind.make(in: folder)
        try writer.write { try $0.execute(sql: Self.schema) }
        return writer
    }

    static let kinds = ConnectionKind.allCases.filter { $0 != .cluster }

    func list(_ changes: some DatabaseChanges) throws -> [String] {
        try changes.changes().map { change in
            func text(_ row: Row) -> String { row.map { "\($0.0):\($0.1)" }.joined(separator: " ") }
            let (old, new) = (change.old, change.new)
            return
                "\(change.kind.rawValue) \(change.tableName)\(change.isIndirect ? " indirect" : "") [\(text(old))] [\(text(new))]"
        }
    }

    // MARK: Recording

    @Test(arguments: kinds) func changesAreRecorded(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try make(kind, in: folder)
        let changes = try writer.write { db throws in
            try db.recordChanges {
                var player = Player(name: "Craig", score: 5)
                try player.insert(db)
                try db.execute(
                    sql: """
                        UPDATE player SET score = 120 WHERE id = 1; UPDATE player SET score = 130 WHERE id = 1;
                        DELETE FROM player WHERE id = 2;
                        INSERT INTO note VALUES (3, 1, 1.5); UPDATE note SET text = 'b' WHERE number = 2;
                        UPDATE note SET number = 7 WHERE player = 1 AND number = 1;
                        INSERT INTO log VALUES ('no primary key')
                        """)
            }
        }
        let listed = try list(changes)
        #expect(
            listed == [
                "insert player [] [id:3 name:\"Craig\" score:5]",
                "update player [id:1 score:100] [id:1 score:130]",
                "delete player [id:2 name:\"Barbara\" score:200] []",
                "delete note indirect [player:2 number:1 text:NULL] []",
                "insert note [] [player:3 number:1 text:1.5]",
                "update note [player:1 number:2 text:Data(2 bytes)] [player:1 number:2 text:\"b\"]",
                "delete note [player:1 number:1 text:\"a\"] []",
                "insert note [] [player:1 number:7 text:\"a\"]",
            ], "\(listed)")
    }

    @Test(arguments: kinds) func whatIsUndoneLeavesNoChange(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try make(kind, in: folder)
        let changes = try writer.write { db throws in
            try db.recordChanges {
                try db.inSavepoint {
                    try db.execute(
                        sql: "UPDATE player SET score = 0; DELETE FROM note; INSERT INTO player VALUES (9, 'x', 1)")
                    return .rollback
                }
                try db.execute(
                    sql: "UPDATE player SET score = 1 WHERE id = 1; UPDATE player SET score = 100 WHERE id = 1")
                try db.execute(sql: "INSERT INTO player VALUES (8, 'y', 1); DELETE FROM player WHERE id = 8")
                // A statement that fails after it has changed rows.
                expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: "UPDATE player SET id = id + 1") }
            }
        }
        #expect(changes.isEmpty)
        #expect(changes == Changeset())
    }

    /// SQLite would empty the table at once, without reporting rows.
    @Test func deletionsOfAllRowsAreRecorded() throws {
        let queue = try DatabaseQueue()
        try queue.write { db throws in
            try db.execute(sql: "CREATE TABLE t(a INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2)")
            let statement = try db.makeStatement(sql: "DELETE FROM t")
            try statement.execute()
            try db.execute(sql: "INSERT INTO t VALUES (1), (2)")
            let changes = try db.recordChanges { try statement.execute() }
            #expect(try list(changes) == ["delete t [a:1] []", "delete t [a:2] []"])
        }
    }

    @Test func tablesCanBeChosen() throws {
        let queue = try make(.memoryQueue, in: TemporaryFolder())
        try queue.write { db throws in
            let changes = try db.recordChanges(in: [Player.self]) {
                try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1; DELETE FROM note")
            }
            #expect(try list(changes) == ["update player [id:1 score:100] [id:1 score:1]"])
            struct Log: TableRecord {}
            expectError(
                .SQLITE_MISUSE, "the changes of \"log\" can't be recorded: it is not a table with a primary key"
            ) {
                try db.recordChanges(in: [Log.self]) {}
            }
            struct Nothing: TableRecord {}
            expectError(.SQLITE_ERROR, "no such table: main.nothing") { try db.recordChanges(in: [Nothing.self]) {} }
        }
    }

    @Test(arguments: kinds) func recordersWorkAcrossAccesses(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try make(kind, in: folder)
        let recorder = try writer.write { try $0.makeChangesetRecorder() }
        #expect(try writer.write { try recorder.isEmpty($0) })
        try writer.write { try $0.execute(sql: "UPDATE player SET score = 1 WHERE id = 1") }
        try writer.write { try $0.execute(sql: "UPDATE player SET score = 2 WHERE id = 1") }
        let first = try writer.write { try recorder.changeset($0) }
        #expect(try list(first) == ["update player [id:1 score:100] [id:1 score:2]"])
        try writer.write { try $0.execute(sql: "UPDATE player SET score = 3 WHERE id = 1") }
        try writer.write { try recorder.stop($0) }
        try writer.write { try $0.execute(sql: "DELETE FROM player WHERE id = 2") }
        let second = try writer.write { try recorder.changeset($0) }
        #expect(try list(second) == ["update player [id:1 score:100] [id:1 score:3]"])
        let other = try DatabaseQueue()
        expectError(
            .SQLITE_MISUSE,
            "the changes were recorded on another connection: use the connection that made the recorder"
        ) {
            try other.write { try recorder.changeset($0) }
        }
        try writer.close()
        expectError(.SQLITE_MISUSE) { try writer.write { try recorder.changeset($0) } }
    }

    @Test func observersAndRecordersDoNotDisturbEachOther() throws {
        let queue = try make(.memoryQueue, in: TemporaryFolder())
        let observer = ValueCounter()
        queue.add(transactionObserver: observer)
        let changes = try queue.write { db throws in
            let outer = try db.makeChangesetRecorder()
            let inner = try db.recordChanges { try db.execute(sql: "UPDATE player SET score = 1") }
            #expect(try list(outer.changeset(db)) == list(inner))
            return inner
        }
        #expect(try changes.changes().count == 2)
        #expect(observer.values == [100, 200])
    }

    @Test func whatIsNotRecorded() throws {
        let queue = try DatabaseQueue()
        try queue.write { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE t(a TEXT PRIMARY KEY, b); CREATE TABLE log(a); CREATE VIRTUAL TABLE f USING fts5(a);
                    CREATE TEMP TABLE s(a INTEGER PRIMARY KEY)
                    """)
            let recorder = try db.makeChangesetRecorder()
            try db.execute(
                sql: """
                    INSERT INTO t VALUES (NULL, 1), (NULL, 2), ('x', 3); INSERT INTO log VALUES (1);
                    INSERT INTO f VALUES ('text'); INSERT INTO temp.s VALUES (1)
                    """)
            #expect(try list(recorder.changeset(db)) == ["insert t [] [a:\"x\" b:3]"])
            #expect(try recorder.unrecordedRowCount(db) == 2)
            #expect(try recorder.unrecordedTableNames(db) == ["log", "f"])
        }
    }

    @Test func schemaChanges() throws {
        let queue = try make(.memoryQueue, in: TemporaryFolder())
        try queue.write { db throws in
            let recorder = try db.makeChangesetRecorder()
            try db.execute(
                sql: "CREATE TABLE new(a INTEGER PRIMARY KEY); INSERT INTO new VALUES (1); CREATE INDEX i ON note(text)"
            )
            try db.execute(
                sql: "ALTER TABLE player ADD COLUMN team DEFAULT 'red'; UPDATE player SET team = 'blue' WHERE id = 1")
            #expect(
                try list(recorder.changeset(db)) == [
                    "insert new [] [a:1]", "update player [id:1 team:\"red\"] [id:1 team:\"blue\"]",
                ])
            try db.execute(sql: "ALTER TABLE player DROP COLUMN team")
            expectError(.SQLITE_SCHEMA, "the columns of table \"player\" have changed while its changes were recorded")
            {
                try recorder.changeset(db)
            }
            // A change of the schema that is undone does not matter.
            let other = try db.makeChangesetRecorder()
            try db.execute(sql: "UPDATE player SET score = 5 WHERE id = 1")
            try db.inSavepoint {
                try db.execute(sql: "ALTER TABLE player ADD COLUMN more")
                return .rollback
            }
            #expect(try list(other.changeset(db)) == ["update player [id:1 score:100] [id:1 score:5]"])
            try db.execute(sql: "DROP TABLE note")
            expectError(.SQLITE_SCHEMA, "table \"note\" was dropped while its changes were recorded") {
                try other.changeset(db)
            }
        }
    }

    @Test func generatedColumnsAndOtherKeys() throws {
        let queue = try DatabaseQueue()
        try queue.write { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE g(a, b AS (a * 2) STORED, c INTEGER, d REAL, PRIMARY KEY(c, a));
                    CREATE TABLE n(a TEXT COLLATE NOCASE PRIMARY KEY, b)
                    """)
            let changes = try db.recordChanges {
                try db.execute(sql: "INSERT INTO g(a, c, d) VALUES (1, 2, 3); INSERT INTO n VALUES ('x', 1)")
            }
            #expect(try list(changes) == ["insert g [] [a:1 c:2 d:3.0]", "insert n [] [a:\"x\" b:1]"])
            let renamed = try db.recordChanges { try db.execute(sql: "UPDATE n SET a = 'X'; UPDATE g SET d = 4") }
            #expect(
                try list(renamed) == [
                    "delete n [a:\"x\" b:1] []", "insert n [] [a:\"X\" b:1]",
                    "update g [a:1 c:2 d:3.0] [a:1 c:2 d:4.0]",
                ])
            try db.apply(renamed.inverted())
            #expect(try Row.fetchAll(db, sql: "SELECT a FROM n") == [["a": "x"]])
            #expect(try Row.fetchAll(db, sql: "SELECT a, b, c, d FROM g") == [["a": 1, "b": 2, "c": 2, "d": 3.0]])
        }
    }
}

/// Receives the values of rows, and so uses SQLite's only pre-update hook.
private final class ValueCounter: PreUpdateObserver {
    var values: [Int] = []
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseWillChange(with event: DatabasePreUpdateEvent) {
        if let value = event.initialDatabaseValue(atIndex: 2) { values.append(Int.fromDatabaseValue(value) ?? -1) }
    }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}
