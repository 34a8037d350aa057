// The constraint that an error refers to.

import Rowan
import Testing

@Suite struct ConstraintTests {
    private typealias Constraint = DatabaseError.Constraint

    private static let schema = """
        CREATE TABLE team (id INTEGER PRIMARY KEY);
        CREATE TABLE player (
            id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, "full.name" TEXT, score INTEGER,
            teamId INTEGER REFERENCES team, CONSTRAINT positive CHECK (score > 0), CHECK (score < 100),
            UNIQUE ("full.name", score));
        CREATE UNIQUE INDEX lower_name ON player(lower("full.name")) WHERE score IS NULL;
        CREATE TABLE keyed (a TEXT, b TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
        CREATE TABLE typed (n INTEGER) STRICT;
        CREATE TRIGGER refuse BEFORE DELETE ON player BEGIN SELECT RAISE(ABORT, 'players stay'); END;
        INSERT INTO player VALUES (1, 'a', 'A', 1, NULL), (2, 'z', 'Z', NULL, NULL);
        INSERT INTO keyed VALUES ('x', 'y')
        """

    private func violation(_ sql: String) throws -> Constraint? {
        try withDatabase { db in
            try db.execute(sql: Self.schema)
            let error = #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
            #expect(error?.resultCode == .SQLITE_CONSTRAINT)
            return error?.constraint
        }
    }

    private func expect(
        _ sql: String, _ kind: Constraint.Kind, _ table: String? = nil, _ columns: [String] = [], name: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let constraint = try violation(sql)
        #expect(constraint?.kind == kind, sourceLocation: sourceLocation)
        #expect(constraint?.table == table, sourceLocation: sourceLocation)
        #expect(constraint?.columns == columns, sourceLocation: sourceLocation)
        #expect(constraint?.name == name, sourceLocation: sourceLocation)
    }

    @Test func kinds() throws {
        try expect("INSERT INTO player (email) VALUES ('a')", .unique, "player", ["email"])
        try expect("INSERT INTO player VALUES (1, 'b', 'B', 1, NULL)", .primaryKey, "player", ["id"])
        try expect(
            "INSERT INTO player (email, \"full.name\", score) VALUES ('b', 'A', 1)", .unique, "player",
            ["full.name", "score"])
        try expect("INSERT INTO keyed VALUES ('x', 'y')", .primaryKey, "keyed", ["a", "b"])
        try expect("INSERT INTO player (email) VALUES (NULL)", .notNull, "player", ["email"])
        try expect("INSERT INTO player (email, score) VALUES ('b', -1)", .check, name: "positive")
        try expect("INSERT INTO player (email, score) VALUES ('b', 100)", .check, name: "score < 100")
        try expect("INSERT INTO player (email, teamId) VALUES ('b', 9)", .foreignKey)
        try expect("INSERT INTO player (email, \"full.name\") VALUES ('b', 'z')", .unique, name: "lower_name")
        try expect("INSERT INTO typed VALUES ('x')", .dataType, "typed", ["n"])
        try expect("DELETE FROM player", .trigger)
    }

    @Test func records() throws {
        struct Keyed: Codable, PersistableRecord {
            var a, b: String
        }
        try withDatabase { db in
            try db.execute(sql: Self.schema)
            let records = ["1", "2", "y"].map { Keyed(a: "x", b: $0) }
            let error = #expect(throws: DatabaseError.self) { try Keyed.insertAll(db, records) }
            #expect(error?.constraint?.table == "keyed")
            #expect(error?.constraint?.columns == ["a", "b"])
        }
    }

    @Test func otherErrors() throws {
        #expect(DatabaseError(resultCode: .SQLITE_BUSY).constraint == nil)
        let bare = DatabaseError(resultCode: .SQLITE_CONSTRAINT).constraint
        #expect(bare?.kind == .other && bare?.table == nil && bare?.columns == [] && bare?.name == nil)
        let odd = DatabaseError(resultCode: .SQLITE_CONSTRAINT_UNIQUE, message: "UNIQUE constraint failed: ").constraint
        #expect(odd?.kind == .unique && odd?.table == nil && odd?.columns == [])
    }
}
