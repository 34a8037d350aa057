// The schemas of two databases.

import Rowan
import Testing

@Suite struct SchemaDifferenceTests {
    private func differences(_ own: String, _ expected: String) throws -> [String] {
        let (queue, other) = (try DatabaseQueue(), try DatabaseQueue())
        try queue.write { try $0.execute(sql: own) }
        try other.write { try $0.execute(sql: expected) }
        return try other.read { other in
            try queue.read { db in try db.schemaDifferences(from: other).map(\.description) }
        }
    }

    @Test func differencesFromAnotherDatabase() throws {
        let schema = "CREATE TABLE t (a INTEGER, b TEXT); CREATE INDEX i ON t (a); CREATE VIEW v AS SELECT a FROM t;"
        #expect(try differences(schema, schema) == [])
        #expect(
            try differences(
                schema,
                "create table \"t\"(a integer, b text); CREATE INDEX i ON t(a); CREATE VIEW v AS SELECT a FROM t")
                == [])
        #expect(
            try differences(
                "CREATE TABLE t (a TEXT, c); CREATE TABLE u (a); CREATE INDEX i ON t (a)",
                "\(schema) CREATE TABLE w (a)")
                == [
                    "table t: the column a has the type TEXT instead of the type INTEGER, the column b is missing, the "
                        + "column c is not expected",
                    "view v is missing", "table w is missing", "table u is not expected",
                ])
        #expect(
            try differences("CREATE TABLE t (a CHECK (a > 0))", "CREATE TABLE t (a CHECK (a > 1))")
                == [
                    "table t is defined as: CREATE TABLE t (a CHECK (a > 0)) - instead of: CREATE TABLE t (a CHECK (a > 1))"
                ])
    }
}
