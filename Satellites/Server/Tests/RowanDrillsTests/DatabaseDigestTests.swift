// Digests of databases.

import Foundation
import Rowan
import RowanDrills
import Testing

@Suite struct DatabaseDigestTests {
    private func digest(_ sql: String) throws -> DatabaseDigest {
        try DatabaseQueue().write { db in
            try db.execute(sql: sql)
            return try DatabaseDigest(db)
        }
    }

    @Test func valuesOfOtherTypesDiffer() throws {
        let values = [
            "NULL", "0", "1", "1.0", "-1", "'1'", "x'31'", "''", "x''", "'é'", "'e\u{301}'", "CAST(x'ff' AS TEXT)",
        ]
        let digests = try values.map { try digest("CREATE TABLE t (a); INSERT INTO t VALUES (\($0))").tables["t"]! }
        #expect(digests.allSatisfy { $0.rows == 1 })
        #expect(Set(digests.map(\.hash)).count == values.count)
        // Also two texts that are both not valid UTF-8.
        let other = try digest("CREATE TABLE t (a); INSERT INTO t VALUES (CAST(x'fe' AS TEXT))").tables["t"]!
        #expect(!digests.contains(other))
    }

    @Test func valuesAreNotJoined() throws {
        let one = try digest("CREATE TABLE t (a, b); INSERT INTO t VALUES ('ab', 'c')")
        let two = try digest("CREATE TABLE t (a, b); INSERT INTO t VALUES ('a', 'bc')")
        #expect(one.differences(to: two) == ["t: the rows differ"])
    }

    @Test func orderDoesNotMatterButRepetitionDoes() throws {
        let rows = "CREATE TABLE t (a);"
        let first = try digest(rows + "INSERT INTO t VALUES (1), (2), (2)")
        #expect(try first == digest(rows + "INSERT INTO t VALUES (2), (1), (2)"))
        #expect(
            try first.differences(to: digest(rows + "INSERT INTO t VALUES (1), (1), (2)")) == ["t: the rows differ"])
        #expect(try first.differences(to: digest(rows + "INSERT INTO t VALUES (1), (2)")) == ["t: 3 rows became 2"])
    }

    @Test func tables() throws {
        let digest = try digest(
            """
            CREATE TABLE "a b" (x INTEGER PRIMARY KEY AUTOINCREMENT, y AS (x + 1)); INSERT INTO "a b" VALUES (1), (2);
            CREATE TABLE w (k TEXT PRIMARY KEY) WITHOUT ROWID; INSERT INTO w VALUES ('z');
            CREATE VIEW v AS SELECT 1;
            CREATE VIRTUAL TABLE f USING fts5(text); INSERT INTO f VALUES ('one'), ('two');
            CREATE INDEX i ON w (k)
            """)
        #expect(
            digest.tables.mapValues(\.rows) == [
                "sqlite_schema": 11, "a b": 2, "w": 1, "sqlite_sequence": 1, "f_content": 2, "f_docsize": 2,
                "f_data": 3,
                "f_idx": 1, "f_config": 1,
            ])
        let decoded = try JSONDecoder().decode(DatabaseDigest.self, from: JSONEncoder().encode(digest))
        #expect(decoded == digest)
    }

    @Test func definitionsAndTablesDiffer() throws {
        let one = try digest("CREATE TABLE a (x); CREATE TABLE b (x)")
        let two = try digest("CREATE TABLE a (x); CREATE TABLE c (x)")
        #expect(
            one.differences(to: two) == [
                "b: the table is missing", "c: there was no such table", "the definitions differ",
            ])
        #expect(one.differences(to: one).isEmpty)
    }
}
