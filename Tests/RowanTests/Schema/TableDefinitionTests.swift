import Foundation
import Rowan
import Testing

private func check(
    options: TableOptions = [], _ sql: [String], sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (TableDefinition) throws -> Void
) throws {
    try inLoggedDatabase("CREATE TABLE parent (id INTEGER PRIMARY KEY, a, b, UNIQUE (a, b))") { db, log throws in
        try db.create(table: "t", options: options, body: body)
        #expect(log.take() == sql, sourceLocation: sourceLocation)
    }
}

struct TableDefinitionTests {
    @Test func columnTypes() throws {
        let columns =
            #""a" TEXT, "b" INTEGER, "c" DOUBLE, "d" REAL, "e" NUMERIC, "f" BOOLEAN, "g" BLOB, "h" DATE, "i" DATETIME, "j" ANY, "k" TEXT, "l" BLOB, "m""#
        try check([#"CREATE TABLE "t" (\#(columns))"#]) { t in
            let types: [Database.ColumnType] = [
                .text, .integer, .double, .real, .numeric, .boolean, .blob, .date, .datetime, .any, .jsonText, .jsonb,
            ]
            for (name, type) in zip("abcdefghijkl", types) { t.column("\(name)", type) }
            t.column("m")
        }
        try check([#"CREATE TABLE "t" ("a" VARCHAR(10))"#]) { t in t.column("a", .init(rawValue: "VARCHAR(10)")) }
    }

    @Test func columnConstraints() throws {
        try check([#"CREATE TABLE "t" ("a" TEXT NOT NULL UNIQUE DEFAULT 'it''s' COLLATE NOCASE)"#]) { t in
            t.column("a", .text).notNull().unique().defaults(to: "it's").collate(.nocase)
        }
        try check([#"CREATE TABLE "t" ("a" NOT NULL ON CONFLICT IGNORE, "b" UNIQUE ON CONFLICT REPLACE)"#]) { t in
            t.column("a").notNull(onConflict: .ignore)
            t.column("b").unique(onConflict: .replace)
        }
        try check([#"CREATE TABLE "t" ("a" CHECK ("a" > 0) CHECK (a <> 7) CHECK ("a" IN ('x', 'y')))"#]) { t in
            t.column("a").check { $0 > 0 }.check(sql: "a <> 7").check { ["x", "y"].contains($0) }
        }
    }

    @Test func defaults() throws {
        try check([
            """
            CREATE TABLE "t" ("a" DEFAULT 1, "b" DEFAULT 1.5, "c" DEFAULT 1, "d" DEFAULT x'00FF', \
            "e" DEFAULT CURRENT_TIMESTAMP, "f" DEFAULT (1 + 2), "g" DEFAULT -3, "h" DEFAULT NULL, "i" DEFAULT 'x')
            """
        ]) { t in
            t.column("a").defaults(to: 1)
            t.column("b").defaults(to: 1.5)
            t.column("c").defaults(to: true)
            t.column("d").defaults(to: Data([0, 255]))
            t.column("e").defaults(sql: "CURRENT_TIMESTAMP")
            t.column("f").defaults(sql: "1 + 2")
            t.column("g").defaults(sql: "-3")
            t.column("h").defaults(to: DatabaseValue.null)
            t.column("i").defaults(sql: "'x'")
        }
    }

    @Test func trickyDefaults() throws {
        try inLoggedDatabase { db, _ throws in
            try db.create(table: "t") { t in
                t.column("id").primaryKey()
                t.column("a").defaults(sql: "'x' || 'y'")
                t.column("b").defaults(sql: "(1) + (2)")
                t.column("c").defaults(sql: "'it''s'")
                t.column("d").defaults(sql: "abs(-4)")
                t.column("e").defaults(sql: "(5)")
                t.column("f").defaults(sql: "1e3")
            }
            try db.execute(sql: "INSERT INTO t (id) VALUES (1)")
            #expect(
                try Row.fetchOne(db, sql: "SELECT a, b, c, d, e, f FROM t")
                    == ["a": "xy", "b": 3, "c": "it's", "d": 4, "e": 5, "f": 1000.0])
        }
    }

    @Test func primaryKeys() throws {
        try check([#"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY AUTOINCREMENT)"#]) { t in
            t.autoIncrementedPrimaryKey("id")
        }
        try check([#"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY ON CONFLICT REPLACE AUTOINCREMENT)"#]) { t in
            t.autoIncrementedPrimaryKey("id", onConflict: .replace)
        }
        try check([#"CREATE TABLE "t" ("id" INTEGER PRIMARY KEY)"#]) { t in t.primaryKey("id", .integer) }
        try check([#"CREATE TABLE "t" ("uuid" TEXT PRIMARY KEY NOT NULL)"#]) { t in t.primaryKey("uuid", .text) }
        try check([#"CREATE TABLE "t" ("id" PRIMARY KEY ON CONFLICT FAIL)"#]) { t in
            t.column("id").primaryKey(onConflict: .fail)
        }
        try check([#"CREATE TABLE "t" ("a", "b", PRIMARY KEY ("a", "b") ON CONFLICT REPLACE)"#]) { t in
            t.column("a")
            t.column("b")
            t.primaryKey(["a", "b"], onConflict: .replace)
        }
        try check([#"CREATE TABLE "t" ("a" TEXT NOT NULL, "b" TEXT NOT NULL, "c", PRIMARY KEY ("a", "b"))"#]) { t in
            t.primaryKey {
                t.column("a", .text)
                t.column("b", .text)
            }
            t.column("c")
        }
    }

    @Test func references() throws {
        try check([
            """
            CREATE TABLE "t" ("a" INTEGER REFERENCES "parent"("id") ON DELETE CASCADE ON UPDATE SET NULL \
            DEFERRABLE INITIALLY DEFERRED, "b" REFERENCES "parent"("id") ON DELETE SET DEFAULT ON UPDATE RESTRICT)
            """
        ]) { t in
            t.column("a", .integer).references("parent", onDelete: .cascade, onUpdate: .setNull, deferred: true)
            t.column("b").references("parent", column: "id", onDelete: .setDefault, onUpdate: .restrict)
        }
        try check([
            """
            CREATE TABLE "t" ("a", "b", FOREIGN KEY ("a", "b") REFERENCES "parent"("a", "b") ON DELETE CASCADE, \
            FOREIGN KEY ("a") REFERENCES "parent"("id") DEFERRABLE INITIALLY DEFERRED)
            """
        ]) { t in
            t.column("a")
            t.column("b")
            t.foreignKey(["a", "b"], references: "parent", columns: ["a", "b"], onDelete: .cascade)
            t.foreignKey(["a"], references: "parent", deferred: true)
        }
    }

    @Test func tableConstraints() throws {
        try check([
            """
            CREATE TABLE "t" ("a", "b", c TEXT, d INT DEFAULT 'x', UNIQUE ("a", "b"), UNIQUE ("b") ON CONFLICT IGNORE, \
            CHECK (("a" + "b") > 10), CHECK (a <> b), CHECK (c <> ''), CHECK (d <> 'y'))
            """
        ]) { t in
            t.column("a")
            t.column("b")
            t.column(sql: "c TEXT")
            t.column(literal: "d INT DEFAULT \("x")")
            t.uniqueKey(["a", "b"])
            t.uniqueKey(["b"], onConflict: .ignore)
            t.check(Column("a") + Column("b") > 10)
            t.check(sql: "a <> b")
            t.constraint(sql: "CHECK (c <> '')")
            t.constraint(literal: "CHECK (d <> \("y"))")
        }
        // Grouped by kind, whatever the order of the definition.
        try check([
            """
            CREATE TABLE "t" ("a" PRIMARY KEY, UNIQUE ("a"), UNIQUE ("a", "a"), FOREIGN KEY ("a") REFERENCES "parent"("a"), \
            CHECK (a > 0), CHECK (a > 1), CONSTRAINT c CHECK (a > 2))
            """
        ]) { t in
            t.constraint(sql: "CONSTRAINT c CHECK (a > 2)")
            t.check(sql: "a > 0")
            t.uniqueKey(["a"])
            t.foreignKey(["a"], references: "parent", columns: ["a"])
            t.check(sql: "a > 1")
            t.column("a").primaryKey()
            t.uniqueKey(["a", "a"])
        }
    }

    @Test func generatedColumns() throws {
        try check([
            """
            CREATE TABLE "t" ("a" INTEGER, "b" INTEGER GENERATED ALWAYS AS (a + 1) VIRTUAL, \
            "c" GENERATED ALWAYS AS ("a" * 2) STORED)
            """
        ]) { t in
            t.column("a", .integer)
            t.column("b", .integer).generatedAs(sql: "a + 1")
            t.column("c").generatedAs(Column("a") * 2, .stored)
        }
    }

    @Test func options() throws {
        try check(options: [.temporary], [#"CREATE TEMPORARY TABLE "t" ("a")"#]) { t in t.column("a") }
        try check(options: [.ifNotExists], [#"CREATE TABLE IF NOT EXISTS "t" ("a")"#]) { t in t.column("a") }
        try check(options: [.strict], [#"CREATE TABLE "t" ("a" TEXT) STRICT"#]) { t in t.column("a", .text) }
        try check(options: [.withoutRowID], [#"CREATE TABLE "t" ("a" INTEGER PRIMARY KEY NOT NULL) WITHOUT ROWID"#]) {
            t in
            t.primaryKey("a", .integer)
        }
        try check(
            options: [.strict, .withoutRowID, .ifNotExists],
            [#"CREATE TABLE IF NOT EXISTS "t" ("a" TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID"#]
        ) { t in t.primaryKey("a", .text) }
    }

    @Test func indexedColumns() throws {
        try check([
            #"CREATE TABLE "t" ("a", "b" UNIQUE, "c")"#, #"CREATE INDEX "t_on_a" ON "t"("a")"#,
            #"CREATE INDEX "t_on_c" ON "t"("c")"#,
        ]) { t in
            t.column("a").indexed()
            t.column("b").unique().indexed()
            t.column("c").indexed()
        }
        try check(
            options: .ifNotExists,
            [
                #"CREATE TABLE IF NOT EXISTS "t" ("a")"#, #"CREATE INDEX IF NOT EXISTS "t_on_a" ON "t"("a")"#,
            ]
        ) { t in t.column("a").indexed() }
    }

    @Test func errors() throws {
        try inLoggedDatabase("CREATE TABLE t (a)") { db, _ throws in
            let empty = databaseError { try db.create(table: "u") { _ in } }
            #expect(empty?.message == "table u has no columns: declare at least one")
            let error = databaseError { try db.create(table: "t") { t in t.column("a") } }
            #expect(error?.message?.contains("already exists") == true)
            try db.create(table: "t", options: .ifNotExists) { t in t.column("b") }
            #expect(try db.columns(in: "t").map(\.name) == ["a"])
            #expect(throws: CallbackFailure("body")) {
                try db.create(table: "u") { _ in throw CallbackFailure("body") }
            }
            let column: SQL = "a DEFAULT \(sql: "?", arguments: [1])"
            let arguments = databaseError { try db.create(table: "u") { t in t.column(literal: column) } }
            #expect(arguments?.resultCode == .SQLITE_MISUSE)
            #expect(try !db.tableExists("u"))
        }
    }
}
