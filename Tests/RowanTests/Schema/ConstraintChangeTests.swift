import Rowan
import Synchronization
import Testing

/// A change of constraints, with the statements that SQLite 3.53 runs for it.
private struct ConstraintCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var alterations: [String]
    let define: @Sendable (TableDefinition) -> Void

    init(_ name: String, _ alterations: String..., define: @escaping @Sendable (TableDefinition) -> Void) {
        (testDescription, self.alterations, self.define) = (name, alterations, define)
    }
}

private let schema = """
    CREATE TABLE team (id INTEGER PRIMARY KEY);
    CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "name" TEXT, "score" INTEGER DEFAULT 7, \
    "team" INTEGER NOT NULL REFERENCES "team"("id") ON DELETE CASCADE, "code" TEXT NOT NULL UNIQUE, \
    CONSTRAINT "short" CHECK (length(code) < 5), CONSTRAINT positive CHECK (id > 0));
    CREATE INDEX "player_on_name" ON "player"("name");
    CREATE INDEX byCode ON player(lower(code));
    CREATE TABLE log (text);
    CREATE TRIGGER player_ad AFTER DELETE ON player BEGIN INSERT INTO log VALUES ('deleted ' || old.name); END;
    CREATE VIEW names AS SELECT name FROM player;
    INSERT INTO team VALUES (1), (2);
    INSERT INTO player VALUES (2, 'A', 1, 1, 'a'), (5, NULL, NULL, 2, 'b'), (9, 'C', 3, 1, 'c');
    DELETE FROM player WHERE id = 9; DELETE FROM log;
    """

/// The definition of the schema, with changes.
private func player(
    _ t: TableDefinition, name: Bool = false, score: Bool = false, team: Bool = true, code: Bool = true,
    constraints: [String] = [#"CONSTRAINT "short" CHECK (length(code) < 5)"#, "CONSTRAINT positive CHECK (id > 0)"]
) {
    t.autoIncrementedPrimaryKey("id")
    let columns = [
        t.column("name", .text), t.column("score", .integer).defaults(to: 7),
        t.column("team", .integer).references("team", onDelete: .cascade), t.column("code", .text).unique(),
    ]
    for (column, isNotNull) in zip(columns, [name, score, team, code]) where isNotNull { column.notNull() }
    constraints.forEach { t.constraint(sql: $0) }
}

private let short = #"CONSTRAINT "short" CHECK (length(code) < 5)"#

private let cases = [
    ConstraintCase("DROP NOT NULL before UNIQUE", #"ALTER COLUMN "code" DROP NOT NULL"#) { player($0, code: false) },
    ConstraintCase("DROP NOT NULL before REFERENCES", #"ALTER COLUMN "team" DROP NOT NULL"#) {
        player($0, team: false)
    },
    ConstraintCase(
        "ADD CHECK", "ADD CHECK (id <> 7)", "ADD CONSTRAINT other CHECK (score > 0 OR score IS NULL)"
    ) { t in
        player(
            t,
            constraints: [
                short, "CONSTRAINT positive CHECK (id > 0)", "CHECK (id <> 7)",
                "CONSTRAINT other CHECK (score > 0 OR score IS NULL)",
            ])
    },
    ConstraintCase("A check of rows with NULL", "ADD CHECK (score < 10)") { t in
        player(t, constraints: [short, "CONSTRAINT positive CHECK (id > 0)", "CHECK (score < 10)"])
    },
    ConstraintCase("A check that names its table", "ADD CHECK (player.id < 10)") { t in
        player(t, constraints: [short, "CONSTRAINT positive CHECK (id > 0)", "CHECK (player.id < 10)"])
    },
    ConstraintCase("DROP CONSTRAINT, the first", #"DROP CONSTRAINT "short""#) { t in
        player(t, constraints: ["CONSTRAINT positive CHECK (id > 0)"])
    },
    ConstraintCase(
        "All at once", #"ALTER COLUMN "code" DROP NOT NULL"#, #"DROP CONSTRAINT "short""#, "DROP CONSTRAINT positive",
        "ADD CHECK (id <> 1)"
    ) { t in player(t, code: false, constraints: ["CHECK (id <> 1)"]) },
    // What isn't, or isn't exactly, such a change.
    ConstraintCase("NOT NULL before DEFAULT") { player($0, score: true) },
    ConstraintCase("No change") { player($0) },
    ConstraintCase("UNIQUE") { t in
        player(t, constraints: [short, "CONSTRAINT positive CHECK (id > 0)", "UNIQUE (name)"])
    },
    ConstraintCase("Another order of checks") { t in
        player(t, constraints: ["CONSTRAINT positive CHECK (id > 0)", short])
    },
    ConstraintCase("Another column") { t in
        player(t, code: false)
        t.column("more")
    },
    // What a row violates.
    ConstraintCase("A violated NOT NULL") { player($0, name: true) },
    ConstraintCase("A violated check") { t in
        player(t, constraints: [short, "CONSTRAINT positive CHECK (id > 0)", "CHECK (id <> 5)"])
    },
    ConstraintCase("A check that can't be compiled") { t in
        player(t, constraints: [short, "CONSTRAINT positive CHECK (id > 0)", "CHECK (missing)"])
    },
    ConstraintCase("A definition with an index", #"ALTER COLUMN "code" DROP NOT NULL"#) { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).indexed()
        t.column("score", .integer).defaults(to: 7)
        t.column("team", .integer).notNull().references("team", onDelete: .cascade)
        t.column("code", .text).unique()
        for sql in [short, "CONSTRAINT positive CHECK (id > 0)"] { t.constraint(sql: sql) }
    },
]

private final class ChangeCount: Sendable {
    let value = Mutex(0)
}

struct ConstraintChangeTests {
    private static let alters = isSQLite(3_053_000)

    /// The error, the content of the database, and the events of a rebuild, and its statements that alter the table.
    private func result(
        _ schema: String = schema, table: String = "player", copying values: [String: SQL],
        _ define: (TableDefinition) -> Void
    ) throws -> (state: [String], alterations: [String]) {
        let (queue, log) = try loggedQueue(schema)
        let observer = ObserverLog()
        return try queue.inDatabase { db throws in
            let error = databaseError { try db.rebuild(table: table, copying: values, body: define) }
            let prefix = "ALTER TABLE main.\"\(table)\" "
            let alterations = log.take().filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
            var state = [error.map { "\($0.extendedResultCode) \($0.message ?? "")" } ?? "no error"]
            func add(_ sql: String) throws { state += try Row.fetchAll(db, sql: sql).map(\.description) }
            try add("SELECT name, sql FROM sqlite_master ORDER BY name")
            try add("SELECT rowid, * FROM player")
            try add("SELECT * FROM sqlite_sequence")
            try add("SELECT * FROM names")
            for pragma in ["foreign_keys", "legacy_alter_table", "foreign_key_check", "foreign_key_list(player)"] {
                try add("PRAGMA \(pragma)")
            }
            state += try db.integrityCheck()
            // What the table does afterwards.
            db.add(transactionObserver: observer)
            for sql in [
                "INSERT INTO player (name, team, code) VALUES ('new', 1, 'toolong')",
                "INSERT INTO player (team) VALUES (1)", "INSERT INTO player (name, team, code) VALUES ('x', 1, 'x')",
                "UPDATE player SET id = -1 WHERE name = 'A'", "INSERT INTO player (code) VALUES ('y')",
                "DELETE FROM player WHERE id = 5", "DELETE FROM team",
            ] {
                state.append("\(databaseError { try db.execute(sql: sql) }?.message ?? "no error")")
            }
            try add("SELECT * FROM player")
            try add("SELECT * FROM log")
            return (state + observer.take(), alterations)
        }
    }

    @Test("Changes of constraints have the result of a rebuild", arguments: cases)
    private func sameResult(_ change: ConstraintCase) throws {
        let altered = try result(copying: [:], change.define)
        let rebuilt = try result(copying: ["id": "id"], change.define)
        #expect(altered.state == rebuilt.state)
        #expect(rebuilt.alterations == [])
        // An alteration that fails is followed by the rebuild, which reports the error.
        if altered.state.first == "no error", change.testDescription != "UNIQUE" {
            #expect(altered.alterations == (Self.alters ? change.alterations : []))
        }
    }

    @Test("NOT NULL is set for columns of each kind of table")
    func setNotNull() throws {
        for (options, suffix) in [([], ""), (.strict, " STRICT"), (.withoutRowID, " WITHOUT ROWID")]
            as [(TableOptions, String)]
        {
            let (queue, log) = try loggedQueue()
            try queue.inDatabase { db throws in
                try db.create(table: "t", options: options) { t in
                    t.primaryKey("k", .integer)
                    t.column("a", .text)
                }
                try db.execute(sql: "INSERT INTO t VALUES (1, 'a')")
                _ = log.take()
                try db.rebuild(table: "t") { t in
                    t.primaryKey("k", .integer)
                    t.column("a", .text).notNull(onConflict: .ignore)
                    t.check(Column("k") > 0)
                }
                let statements = log.take()
                if Self.alters {
                    #expect(
                        statements.filter { $0.hasPrefix("ALTER") } == [
                            #"ALTER TABLE main."t" ALTER COLUMN "a" SET NOT NULL ON CONFLICT IGNORE"#,
                            #"ALTER TABLE main."t" ADD CHECK ("k" > 0)"#,
                        ], "\(suffix)")
                    #expect(!statements.contains { $0.hasPrefix("INSERT") || $0.hasPrefix("CREATE") })
                }
                let key = suffix == " WITHOUT ROWID" ? " NOT NULL" : ""
                #expect(
                    try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = 't'")
                        == #"CREATE TABLE "t" ("k" INTEGER PRIMARY KEY\#(key), "#
                        + #""a" TEXT NOT NULL ON CONFLICT IGNORE, CHECK ("k" > 0))\#(suffix)"#)
                try db.execute(sql: "INSERT INTO t VALUES (2, NULL)")
                expectError(.SQLITE_CONSTRAINT_CHECK) { try db.execute(sql: "INSERT INTO t VALUES (-1, 'x')") }
                #expect(try Row.fetchAll(db, sql: "SELECT * FROM t") == [["k": 1, "a": "a"]])
            }
        }
    }

    /// The alteration removes no row, so a conflict clause that would remove rows needs a rebuild.
    @Test func conflictClauses() throws {
        let (queue, _) = try loggedQueue(#"CREATE TABLE "t" ("a" TEXT); INSERT INTO t VALUES ('x'), (NULL)"#)
        try queue.inDatabase { db throws in
            try db.rebuild(table: "t") { $0.column("a", .text).notNull(onConflict: .ignore) }
            #expect(try String.fetchAll(db, sql: "SELECT a FROM t") == ["x"])
        }
    }

    @Test("Observers notice the change of the schema, with and without a rebuild") func observers() throws {
        func events(_ values: [String: SQL]) throws -> [String] {
            let (queue, _) = try loggedQueue(schema)
            let log = ObserverLog()
            queue.add(transactionObserver: log)
            let changes = ChangeCount()
            let cancellable = DatabaseRegionObservation(tracking: Table("player")).start(in: queue) { _ in
            } onChange: { _ in
                changes.value.withLock { $0 += 1 }
            }
            try queue.inDatabase { try $0.rebuild(table: "player", copying: values) { player($0, code: false) } }
            withExtendedLifetime(cancellable) {}
            return log.take() + ["\(changes.value.withLock(\.self)) changes"]
        }
        let (altered, rebuilt) = (try events([:]), try events(["id": "id"]))
        // The rebuild inserts the rows into another table.
        #expect(altered == ["change", "willCommit", "didCommit", "1 changes"] || !Self.alters)
        #expect(rebuilt.filter { $0 == "change" }.count > 1)
        #expect(rebuilt.suffix(3) == ["willCommit", "didCommit", "1 changes"])
    }

    @Test("Definitions with comments, other quotes or other case are rebuilt") func otherTexts() throws {
        for definition in [
            "CREATE TABLE t (a TEXT NOT NULL, b TEXT)", #"CREATE TABLE "t" ("a" TEXT NOT NULL /* why */, "b" TEXT)"#,
            #"CREATE TABLE "t" ("A" TEXT NOT NULL, "b" TEXT)"#,
        ] {
            let (queue, _) = try loggedQueue(definition)
            try queue.inDatabase { db throws in
                try db.rebuild(table: "t") { t in
                    t.column("a", .text)
                    t.column("b", .text)
                }
                #expect(
                    try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master")
                        == #"CREATE TABLE "t" ("a" TEXT, "b" TEXT)"#)
            }
        }
    }
}
