// A literal's own columns are qualified with the table on which it is used. An interpolated request is a separate query
// with its own columns.

import Rowan
import Testing

private struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
}

private let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE banned (name TEXT);
    INSERT INTO player VALUES (1, 'Arthur'), (2, 'Barbara');
    INSERT INTO banned VALUES ('Arthur')
    """

@Suite struct LiteralScopeTests {
    private let name = Column("name")
    private var banned: SQLRequest<String> { "SELECT \(name) FROM banned" }

    private func run(_ body: (Database, SQLLog) throws -> Void) throws { try inLoggedDatabase(schema, body) }

    @Test func aRequestInALiteralKeepsItsColumns() throws {
        try run { db, _ throws in
            let request = Player.all().aliased(TableAlias(name: "x")).filter(literal: "\(name) IN (\(banned))")
            #expect(
                try statementText(db, request).sql == """
                    SELECT "x".* FROM "player" "x" WHERE "x"."name" IN (SELECT "name" FROM banned)
                    """)
            #expect(try request.fetchAll(db).map(\.id) == [1])
            #expect(try request.fetchCount(db) == 1)
            #expect(try request.deleteAll(db) == 1)
            #expect(try Player.fetchAll(db).map(\.id) == [2])
        }
    }

    @Test func aRequestAsAnOperandKeepsItsColumns() throws {
        try run { db, _ throws in
            let aliased = Player.all().aliased(TableAlias(name: "x"))
            #expect(try aliased.filter(banned.contains(name)).fetchAll(db).map(\.id) == [1])
            #expect(try aliased.filter(!banned.contains(name)).fetchAll(db).map(\.id) == [2])
            let first = aliased.annotated(with: banned.sqlSubquery.forKey("first"))
            #expect(
                try statementText(db, first).sql == """
                    SELECT "x".*, (SELECT "name" FROM banned) AS "first" FROM "player" "x"
                    """)
        }
    }

    @Test func theAliasOfAnOuterTableIsVisible() throws {
        try run { db, _ throws in
            let alias = TableAlias<Player>(name: "x")
            let same: SQLRequest<String> = "SELECT \(name) FROM banned WHERE banned.name = \(alias[name])"
            let request = Player.all().aliased(alias).filter(same.exists())
            #expect(
                try statementText(db, request).sql == """
                    SELECT "x".* FROM "player" "x" \
                    WHERE EXISTS (SELECT "name" FROM banned WHERE banned.name = "x"."name")
                    """)
            #expect(try request.fetchAll(db).map(\.id) == [1])
        }
    }

    /// A symbolic term in an interpolated request doesn't refer to the outer table either.
    @Test func aRequestInALiteralHasNoTableOfTheOuterQuery() throws {
        try run { db, _ throws in
            let keys: SQLRequest<Int64> = "SELECT \(SQLSelection.primaryKey) FROM banned"
            #expect(throws: RequestError.self) {
                try Player.filter(keys.contains(Column("id"))).fetchAll(db)
            }
        }
    }
}

extension SQLSelection {
    /// The primary key of the query's table.
    fileprivate static var primaryKey: SQLSelection { SQLSelection(.symbol(.primaryKey)) }
}
