// Findings of unusual databases, and fixes that lose nothing.

import Foundation
import Rowan
import Testing

@Suite struct DoctorTests {
    private let tool = try! Tool()

    private func indexes(_ path: String) throws -> String {
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name"
        return try tool.run("query", path, sql, "-f", "csv").output
    }

    @Test(arguments: ["view", "trigger"]) func indexesThatAreNamed(_ kind: String) throws {
        let select = "SELECT a FROM t INDEXED /* so */ BY [I] WHERE a = 1"
        let path = try tool.database(
            """
            CREATE TABLE t (a, b); CREATE INDEX i ON t (a); CREATE INDEX i2 ON t (a, b); CREATE INDEX j ON t (a);
            \(kind == "view" ? "CREATE VIEW v AS \(select)" : "CREATE TRIGGER r AFTER INSERT ON t BEGIN \(select); END");
            """)
        let fixed = try tool.run("doctor", path, "--fix")
        #expect(
            fixed
                == .init(
                    """
                    warning: the index i is redundant: i2 begins with the same columns
                      → drop it when no view and no trigger names it with INDEXED BY

                    """, errors: "done: DROP INDEX \"j\"\n", code: 1))
        #expect(try indexes(path) == "name\r\ni\r\ni2\r\n")
        #expect(try tool.run("query", path, "INSERT INTO t VALUES (1, 2)", "--write") == .init(""))
        if kind == "view" {
            #expect(try tool.run("query", path, "SELECT * FROM v", "-f", "csv") == .init("a\r\n1\r\n"))
        }
    }

    @Test(arguments: [
        "CREATE INDEX c_on_pid ON d (x)", "CREATE TABLE c_on_pid (x)", "CREATE VIEW \"C_on_pid\" AS SELECT 1",
    ])
    func namesThatAreTaken(_ sql: String) throws {
        let path = try tool.database(
            """
            CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE d (x);
            CREATE TABLE c (id INTEGER PRIMARY KEY, pid INTEGER REFERENCES p (id), FOREIGN KEY (pid) REFERENCES p (id)); \(sql);
            """)
        #expect(
            try tool.run("doctor", path, "--fix")
                == .init("nothing to do\n", errors: "done: CREATE INDEX \"c_on_pid2\" ON \"c\" (\"pid\")\n"))
        #expect(try indexes(path).contains("c_on_pid2\r\n"))
    }

    @Test func foreignKeysWithoutKeys() throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let path = try tool.database(
            """
            CREATE TABLE p (a); CREATE TABLE c (id INTEGER PRIMARY KEY, pid REFERENCES p); CREATE TABLE q (id INTEGER PRIMARY KEY);
            CREATE TABLE d (id INTEGER PRIMARY KEY REFERENCES q, x REFERENCES missing (id)); CREATE INDEX i ON d (x);
            INSERT INTO d VALUES (7, NULL);
            """, configuration: configuration)
        #expect(
            try tool.run("doctor", path)
                == .init(
                    """
                    warning: a foreign key of c refers to columns that are not a key: foreign key mismatch - "c" referencing "p"
                      → give the other table that key, or drop the foreign key: rows of c can't be written
                    warning: 1 row violates the foreign key d → q: FOREIGN KEY constraint violation - from d(id) to q(id), in [id:7 x:NULL]
                      → insert the missing rows, or delete those that refer to them
                    warning: c has no index on pid, which refers to p: deleting a row there reads the whole table
                      → CREATE INDEX "c_on_pid" ON "c" ("pid")   (rowan doctor --fix)

                    """, code: 1))
    }

    /// A file may contain any statistics.
    @Test func unusualStatistics() throws {
        let path = try tool.database(
            """
            CREATE TABLE t (a); CREATE INDEX i ON t (a); INSERT INTO t VALUES (1); ANALYZE;
            DELETE FROM sqlite_stat1;
            INSERT INTO sqlite_stat1 VALUES ('t', 'i', '9223372036854775807 1'), (NULL, NULL, '5'), (5, 6, 7), (x'ff', x'ff', x'ff'),
                ('t', 'i', NULL), ('t', 'i', '-9223372036854775808');
            """)
        #expect(
            try tool.run("doctor", path)
                == .init(
                    """
                    warning: the statistics for the query planner are outdated: t (9223372036854775807 rows then, 1 now)
                      → ANALYZE   (rowan doctor --fix)

                    """, code: 1))
        #expect(try tool.run("doctor", path, "--fix").code == 0)
        #expect(try tool.run("doctor", path) == .init("nothing to do\n"))
    }

    /// After an error or an interruption, nothing was fixed, and nothing is said to be done.
    @Test func fixesAreOneTransaction() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { $0.add(collation: DatabaseCollation("nowhere") { $0.compare($1) }) }
        let path = try tool.database(
            """
            CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (id INTEGER PRIMARY KEY, pid INTEGER REFERENCES p);
            CREATE TABLE d (id INTEGER PRIMARY KEY, pid TEXT COLLATE nowhere REFERENCES p);
            """, configuration: configuration)
        let output = try tool.run("doctor", path, "--fix")
        #expect(output.code == 3 && output.errors.contains("no such collation sequence"), "\(output)")
        #expect(!output.errors.contains("done"))
        #expect(try indexes(path) == "name\r\n")
    }
}
