// The effects of a statement, as reported by SQLite's compiler.

import Testing

@testable import Rowan

@Suite
struct StatementProfileTests {
    private typealias Table = StatementProfile.Table

    private func withSchema(_ body: (Database) throws -> Void) throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score INTEGER, teamId REFERENCES team);
                    CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TABLE log(message);
                    CREATE VIEW best AS SELECT name FROM player WHERE score > 10;
                    CREATE TRIGGER t AFTER DELETE ON team BEGIN INSERT INTO log VALUES (old.name); END;
                    """)
            try body(db)
        }
    }

    private func table(_ name: String, in schema: String = "main") -> Table { .init(schema: schema, name: name) }

    @Test func reads() throws {
        try withSchema { db in
            let select = try db.makeStatement(
                sql: "-- c\nWITH x AS (SELECT name FROM player) SELECT upper(x.name), team.name FROM x, team"
            ).profile
            #expect(select.reads == [table("player"): ["name"], table("team"): ["name"]])
            #expect(select.functions == ["upper"])
            #expect(select.insertions.isEmpty && select.deletions.isEmpty && select.updates.isEmpty)
            #expect(select.isReadonly)
            let count = try db.makeStatement(sql: "SELECT COUNT(*) FROM player").profile
            #expect(count.reads == [table("player"): []])
            // The table behind a view.
            let view = try db.makeStatement(sql: "SELECT * FROM best").profile
            #expect(view.reads[table("player")] == ["name", "score"])
        }
    }

    /// SQLite reports no column of USING and NATURAL JOIN, and often not even the table.
    @Test(
        arguments: [
            "SELECT note FROM log JOIN team USING (k)", "SELECT note FROM log NATURAL JOIN team",
            "SELECT 1 FROM log natural/**/join team", "SELECT note FROM log LEFT JOIN (team) USING(k)",
            "WITH a AS (SELECT note FROM log JOIN main.\"Team\" USING (k)) SELECT count(*) FROM a",
            "SELECT * FROM viaName", "SELECT count(*) FROM viaView",
            "SELECT note FROM log WHERE EXISTS (SELECT 1 FROM viaView)",
        ])
    func joinsByName(sql: String) throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE log(note, k);
                    CREATE TABLE team(k, name);
                    CREATE TABLE other(k);
                    CREATE VIEW viaName AS SELECT note FROM log NATURAL JOIN team;
                    CREATE VIEW viaView AS SELECT 1 FROM viaName;
                    """)
            let statement = try db.makeStatement(sql: sql)
            for table in ["log", "team"] {
                #expect(statement.profile.reads[self.table(table)]?.contains("k") == true)
                let kind = DatabaseEventKind.update(tableName: table, columnNames: ["k"])
                #expect(statement.databaseRegion.isModified(byEventsOfKind: kind))
            }
            #expect(!statement.databaseRegion.isModified(byEventsOfKind: .insert(tableName: "other")))
        }
    }

    @Test func writes() throws {
        try withSchema { db in
            let insert = try db.makeStatement(sql: "INSERT INTO player(name) SELECT name FROM team").profile
            #expect(insert.insertions == [table("player")])
            // The id is read to check the foreign key.
            #expect(insert.reads[table("team")] == ["id", "name"])
            #expect(!insert.isReadonly)
            let update = try db.makeStatement(sql: "UPDATE player SET score = score + 1, name = ? WHERE id = 1").profile
            #expect(update.updates == [table("player"): ["name", "score"]])
            #expect(update.reads[table("player")] == ["id", "score"])
            // Includes the writes of its trigger.
            let delete = try db.makeStatement(sql: "DELETE FROM team WHERE id = 1").profile
            #expect(delete.deletions == [table("team")])
            #expect(delete.insertions == [table("log")])
        }
    }

    @Test func changesOfTheSchema() throws {
        try withSchema { db in
            func changes(_ sql: String) throws -> [StatementProfile.SchemaChange] {
                try db.makeStatement(sql: sql).profile.schemaChanges
            }
            try #expect(
                changes("/* c */ CREATE TABLE a(x)")
                    == [.init(action: .create, kind: .table, schema: "main", name: "a")])
            try #expect(
                changes("CREATE TEMP TABLE a(x)")
                    == [.init(action: .create, kind: .table, schema: "temp", name: "a")])
            try #expect(
                changes("CREATE INDEX i ON player(name)")
                    .contains(.init(action: .create, kind: .index, schema: "main", name: "i")))
            try #expect(
                changes("ALTER TABLE player ADD COLUMN x")
                    .contains(.init(action: .alter, kind: .table, schema: "main", name: "player")))
            try #expect(changes("DROP VIEW best") == [.init(action: .drop, kind: .view, schema: "main", name: "best")])
            try #expect(
                changes("CREATE VIRTUAL TABLE v USING fts5(a)")
                    .contains(.init(action: .create, kind: .virtualTable, schema: "main", name: "v")))
            // EXPLAIN changes nothing.
            try #expect(changes("EXPLAIN CREATE TABLE a(x)").isEmpty)
            try #expect(changes("SELECT 'CREATE TABLE a(x)'").isEmpty)
        }
    }

    @Test(
        arguments: [
            ("BEGIN", .begin), ("begin immediate", .begin), ("COMMIT", .commit), ("END TRANSACTION", .commit),
            ("/* c */ ROLLBACK", .rollback), ("SAVEPOINT a", .savepoint("a")), ("RELEASE \"A b\"", .release("A b")),
            ("ROLLBACK TO a", .rollbackTo("a")), ("SELECT 1", nil), ("EXPLAIN BEGIN", nil),
        ] as [(String, StatementProfile.TransactionOperation?)])
    func transactions(_ sql: String, _ operation: StatementProfile.TransactionOperation?) throws {
        try withDatabase { db in
            try #expect(db.makeStatement(sql: sql).profile.transactionOperation == operation)
        }
    }

    @Test func pragmasAndAttachments() throws {
        try withDatabase { db in
            try #expect(
                db.makeStatement(sql: "PRAGMA main.Foreign_Keys = ON").profile.pragmas
                    == [.init(name: "foreign_keys", argument: "ON", schema: "main")])
            try #expect(
                db.makeStatement(sql: "PRAGMA table_info(t)").profile.pragmas
                    == [.init(name: "table_info", argument: "t", schema: nil)])
            try #expect(db.makeStatement(sql: "ATTACH ':memory:' AS a").profile.changesAttachments)
            try #expect(!db.makeStatement(sql: "SELECT 1").profile.changesAttachments)
            try db.execute(sql: "ATTACH ':memory:' AS a")
            try #expect(db.makeStatement(sql: "DETACH a").profile.changesAttachments)
        }
    }

    /// The tables behind a view, and those written by triggers, follow the current schema.
    @Test func theProfileFollowsTheSchema() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE a(x); CREATE TABLE b(x); CREATE VIEW v AS SELECT * FROM a")
            let statement = try db.makeStatement(sql: "SELECT * FROM v")
            let other = try db.makeStatement(sql: "INSERT INTO a VALUES (1)")
            try db.execute(
                sql: """
                    DROP VIEW v; CREATE VIEW v AS SELECT * FROM b;
                    CREATE TRIGGER g AFTER INSERT ON a BEGIN INSERT INTO b VALUES (1); END
                    """)
            _ = try Row.fetchAll(statement)
            try other.execute()
            #expect(statement.profile.reads.keys.contains { $0.name == "b" })
            #expect(!statement.profile.reads.keys.contains { $0.name == "a" })
            #expect(other.profile.insertions.contains { $0.name == "b" })
        }
    }
}
