import Testing

import Rowan

// Keys that SQLite considers equal although they are stored differently: an aggregate counts the rows that refer to the
// key, compared with the key's collation, with and without an index.

private struct Par: TableRecord {
    static let kids = hasMany(Kid.self, using: ForeignKey(["code"], to: ["code"]))
}

private struct Kid: TableRecord {}

@Suite struct AggregateKeyTests {
    @Test(
        arguments: ["", "INTEGER", "TEXT", "REAL", "BLOB", "TEXT COLLATE NOCASE", "TEXT COLLATE RTRIM"], [false, true])
    func countsOfKeysThatAreStoredDifferently(_ kidType: String, _ isIndexed: Bool) throws {
        for parType in ["", "INTEGER", "TEXT", "NUMERIC", "TEXT COLLATE NOCASE"] {
            try withDatabase { db in
                try db.execute(
                    sql: """
                        CREATE TABLE par (id INTEGER PRIMARY KEY, code \(parType));
                        CREATE TABLE kid (id INTEGER PRIMARY KEY, code \(kidType));
                        INSERT INTO par VALUES (1, 1), (2, '2'), (3, 'a'), (4, '1e2'), (5, 'b ');
                        INSERT INTO kid (code) VALUES (1), ('1'), ('01'), (1.0), (2), ('2'), ('a'), ('A'), ('100'), (100), ('b');
                        """)
                if isIndexed { try db.execute(sql: "CREATE INDEX i ON kid(code)") }
                let expected = try Int.fetchAll(
                    db, sql: "SELECT (SELECT COUNT(*) FROM kid WHERE par.code = kid.code) FROM par ORDER BY id")
                let request = Par.annotated(with: Par.kids.count.forKey("n")).order(Column("id"))
                let rows = try Row.fetchAll(db, request)
                #expect(rows.map { $0["id"] } == [1, 2, 3, 4, 5], "\(parType)")
                #expect(rows.map { $0["n"] } == expected, "\(parType)")
                #expect(try request.fetchCount(db) == 5)
                let many = try Par.having(Par.kids.count >= 2).order(Column("id")).selectPrimaryKey(as: Int.self)
                    .fetchAll(db)
                #expect(many == expected.indices.filter { expected[$0] >= 2 }.map { $0 + 1 })
            }
        }
    }
}
