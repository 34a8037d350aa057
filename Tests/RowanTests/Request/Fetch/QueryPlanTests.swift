// The plans of SQLite 3.40 and 3.53, and the plan texts of other versions. Other versions of SQLite may choose other
// plans: these tests check what users rely on.

@testable import Rowan
import Testing

private struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    var score: Int
    enum Columns {
        static let name = Column("name")
        static let score = Column("score")
    }
}

private let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
    CREATE INDEX player_name ON player(name);
    CREATE TABLE word (word TEXT PRIMARY KEY, count INTEGER) WITHOUT ROWID;
    CREATE TABLE "we ird (x)" (id INTEGER PRIMARY KEY, q);
    CREATE INDEX "in dex (y)" ON "we ird (x)"(q);
    """

private func explained(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws -> QueryPlan {
    try inLoggedDatabase(schema) { db, _ throws in try db.explain(sql: sql, arguments: arguments) }
}

private func operation(_ sql: String) throws -> QueryPlan.Operation? { try explained(sql).nodes.first?.operation }

struct QueryPlanTests {
    @Test func scansAndSearches() throws {
        #expect(try operation("SELECT * FROM player") == .scan(table: "player", index: nil, isCovering: false))
        #expect(
            try operation("SELECT name FROM player AS p")
                == .scan(table: "p", index: .named("player_name"), isCovering: true))
        #expect(
            try operation("SELECT * FROM player ORDER BY name")
                == .scan(table: "player", index: .named("player_name"), isCovering: false))
        #expect(
            try operation("SELECT * FROM player WHERE id > 1 AND id < 5")
                == .search(table: "player", index: .rowID, isCovering: false, constraint: "rowid>? AND rowid<?"))
        #expect(
            try operation("SELECT * FROM word WHERE word = 'a'")
                == .search(table: "word", index: .primaryKey, isCovering: false, constraint: "word=?"))
        #expect(
            try operation("SELECT * FROM player WHERE name = 'a'")
                == .search(table: "player", index: .named("player_name"), isCovering: false, constraint: "name=?"))
        #expect(
            try operation("SELECT min(name) FROM player")
                == .search(table: "player", index: .named("player_name"), isCovering: true, constraint: nil))
        #expect(
            try operation(#"SELECT * FROM "we ird (x)" WHERE q = 1"#)
                == .search(table: "we ird (x)", index: .named("in dex (y)"), isCovering: true, constraint: "q=?"))
        #expect(
            try operation(#"SELECT * FROM "we ird (x)" ORDER BY q"#)
                == .scan(table: "we ird (x)", index: .named("in dex (y)"), isCovering: true))
        #expect(try operation("SELECT 1") == .other)
        #expect(
            try operation("SELECT * FROM json_each('[]')")
                == .scan(table: "json_each", index: .virtualTable("1:"), isCovering: false))
        #expect(try explained("INSERT INTO player (name) VALUES ('a')").nodes.isEmpty)
        #expect(try explained("DELETE FROM player WHERE score = 1").fullScans == ["player"])
    }

    @Test func joins() throws {
        let plan = try explained(
            "SELECT * FROM player LEFT JOIN word ON word = player.name JOIN player p2 ON p2.id = player.score")
        #expect(
            plan.nodes.map(\.operation) == [
                .scan(table: "player", index: nil, isCovering: false),
                .search(table: "word", index: .primaryKey, isCovering: false, constraint: "word=?"),
                .search(table: "p2", index: .rowID, isCovering: false, constraint: "rowid=?"),
            ])
        let automatic = try explained("SELECT * FROM player a JOIN player b ON b.score = a.score").nodes.last?.operation
        #expect(
            automatic == .search(table: "b", index: .automatic, isCovering: true, constraint: "score=?"))
    }

    @Test func temporaryIndexes() throws {
        let plan = try explained("SELECT DISTINCT score FROM player GROUP BY score ORDER BY count(*)")
        #expect(plan.usesTemporaryBTree)
        #expect(plan.nodes.map(\.operation).contains(.temporaryBTree(purpose: "GROUP BY")))
        #expect(plan.nodes.map(\.operation).contains(.temporaryBTree(purpose: "ORDER BY")))
        #expect(try !explained("SELECT * FROM player ORDER BY name").usesTemporaryBTree)
        #expect(try explained("SELECT name || 1 FROM player UNION SELECT word FROM word").usesTemporaryBTree)
    }

    @Test func compoundsAndSubqueries() throws {
        let compound = try explained("SELECT score FROM player UNION ALL SELECT count FROM word")
        #expect(compound.nodes.map(\.operation) == [.compound("COMPOUND QUERY")])
        #expect(
            compound.nodes[0].children.map(\.operation) == [.compound("LEFT-MOST SUBQUERY"), .compound("UNION ALL")])
        #expect(compound.fullScans == ["player", "word"])
    }

    @Test func subqueries() throws {
        let scalar = try explained("SELECT (SELECT count FROM word WHERE word = name) FROM player").nodes
        #expect(scalar.last?.operation == .subquery(.scalar, name: "1", isCorrelated: true))
        #expect(scalar.last?.children.count == 1)
        let list = try explained("SELECT * FROM player WHERE score IN (SELECT count FROM word)")
        #expect(list.nodes.last?.operation == .subquery(.list, name: "1", isCorrelated: false))
        #expect(list.fullScans == ["player", "word"])
        let recursive = try explained(
            "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 9) SELECT * FROM r, player")
        #expect(recursive.nodes.first?.operation.isSubquery(named: "r") == true)
        #expect(recursive.fullScans == ["player"], "r is no table")
    }

    @Test func severalIndexes() throws {
        let plan = try explained("SELECT * FROM player WHERE name = 'a' OR id = 2")
        #expect(plan.nodes.map(\.operation) == [.multipleIndexes])
        #expect(plan.indexes == ["player_name"])
        #expect(
            plan.description == """
                MULTI-INDEX OR
                  INDEX 1
                    SEARCH player USING INDEX player_name (name=?)
                  INDEX 2
                    SEARCH player USING INTEGER PRIMARY KEY (rowid=?)
                """)
    }

    @Test func requestsStatementsAndLiterals() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let request = Player.filter { _ in Player.Columns.name == "Arthur" }.order { _ in Player.Columns.score }
            let plan = try request.explain(db)
            #expect(
                plan.description == """
                    SEARCH player USING INDEX player_name (name=?)
                    USE TEMP B-TREE FOR ORDER BY
                    """)
            #expect(log.take().isEmpty, "the request did not run")
            #expect(plan.indexes == ["player_name"])
            #expect(plan.fullScans.isEmpty)
            #expect(try SQLRequest<Row>("SELECT * FROM player WHERE id = \(1)").explain(db).fullScans.isEmpty)
            let name = "a"
            #expect(try db.explain(literal: "SELECT * FROM player WHERE name = \(name)").indexes == ["player_name"])
            let statement = try db.makeStatement(sql: "-- all\nSELECT * FROM player WHERE score = ?")
            #expect(try statement.explain().fullScans == ["player"])
            #expect(
                databaseError { try statement.execute() }?.resultCode == .SQLITE_MISUSE, "it has no arguments still")
            #expect(databaseError { try db.explain(sql: "SELECT * FROM missing") }?.message == "no such table: missing")
            #expect(databaseError { try db.explain(sql: "SELECT 1; SELECT 2") }?.resultCode == .SQLITE_MISUSE)
        }
    }

    @Test func plansInAReadChangeNothing() throws {
        let (queue, _) = try loggedQueue(schema)
        try queue.write { try Player(id: 1, name: "a", score: 1).insert($0) }
        _ = try queue.read { db in try Player.all().explain(db) }
        _ = try queue.write { db in try db.explain(sql: "DELETE FROM player") }
        #expect(try queue.read { try Player.fetchCount($0) } == 1)
    }

    @Test func textsOfOtherVersions() {
        let plan = QueryPlan([
            (1, 0, "SCAN TABLE player AS p USING COVERING INDEX i"),
            (2, 0, "SEARCH TABLE player USING INTEGER PRIMARY KEY (rowid=?)"),
            (3, 0, "SEARCH t USING INDEX i (ANY(a) AND b=?) LEFT-JOIN"),
            (4, 0, "USE TEMP B-TREE FOR LAST TERM OF ORDER BY"),
            (5, 0, "BLOOM FILTER ON t (a=?)"),
            (6, 99, "SOMETHING NEW"),
            (7, 6, "SCAN"),
            (8, 8, ""),
        ])
        #expect(
            plan.nodes.map(\.operation) == [
                .scan(table: "player AS p", index: .named("i"), isCovering: true),
                .search(table: "player", index: .rowID, isCovering: false, constraint: "rowid=?"),
                .search(table: "t", index: .named("i"), isCovering: false, constraint: "ANY(a) AND b=?"),
                .temporaryBTree(purpose: "LAST TERM OF ORDER BY"), .other, .other, .other,
            ])
        #expect(plan.nodes[5].children.map(\.detail) == ["SCAN"])
        #expect(QueryPlan([]).description.isEmpty)
    }
}

extension QueryPlan.Operation {
    fileprivate func isSubquery(named name: String) -> Bool {
        if case .subquery(_, name, _) = self { true } else { false }
    }
}

struct RequestSQLTests {
    @Test func textAndArguments() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let (sql, arguments) = try Player.filter { _ in Player.Columns.score > 1_000 }.limit(3).sql(db)
            #expect(sql == #"SELECT * FROM "player" WHERE "score" > ? LIMIT 3"#)
            #expect(arguments == [1_000])
            #expect(try Player.all().sql(db).sql == #"SELECT * FROM "player""#)
            let raw = try SQLRequest<Row>("SELECT \("x"), \(nil as Int?)").sql(db)
            #expect(raw.sql == "SELECT ?, NULL" || raw.sql == "SELECT ?, ?")
            #expect(log.take().isEmpty, "nothing ran")
            #expect(throws: DatabaseError.self) { try SQLRequest<Row>(sql: "SELECT * FROM missing").sql(db) }
        }
    }
}
