// Types with a raw value are terms of queries and can be read from columns without any code.

import Rowan
import Testing

private enum Label: String, SQLSelectable { case red }
private enum Rank: Int, SQLOrderingTerm { case second = 2 }
private enum Sort: String, SQLExpressible { case byName }
private enum Term: String, SQLSpecificExpressible { case blue }
private enum Field: String, ColumnExpression {
    case name, score
    var name: String { rawValue }
}
private enum Color: String, DatabaseValueConvertible, StatementColumnConvertible { case red, blue }
private enum Grade: Int, Codable, DatabaseValueConvertible, StatementColumnConvertible { case good = 1, better }
private enum Number: Int, StatementColumnConvertible { case one = 1 }
private enum Everything: String, DatabaseValueConvertible, SQLSpecificExpressible, StatementColumnConvertible {
    case it
}

private let schema = """
    CREATE TABLE player (name TEXT, score INTEGER);
    INSERT INTO player VALUES ('b', 1), ('a', 2)
    """

@Suite struct RawValueTermTests {
    @Test func termsOfQueries() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let player = Table("player")
            #expect(try player.select(Label.red, as: String.self).fetchAll(db) == ["red", "red"])
            #expect(
                try player.order(Rank.second, Field.name).select(Field.name, as: String.self).fetchAll(db) == [
                    "a", "b",
                ])
            #expect(
                try player.select(Term.blue, Everything.it).fetchOne(db)?.map(\.1) == [
                    "blue".databaseValue, "it".databaseValue,
                ])
            #expect(
                log.takeExpanded() == [
                    #"SELECT 'red' FROM "player""#, #"SELECT "name" FROM "player" ORDER BY 2, "name""#,
                    #"SELECT 'blue', 'it' FROM "player" LIMIT 1"#,
                ])
            #expect(try player.filter(Field.score == 2).order(Term.blue).fetchCount(db) == 1)
            #expect(try player.order(Field.name).select(Field.score, as: Int.self).fetchAll(db) == [2, 1])
            let literal: SQLRequest<String> = "SELECT \(Label.red), \(Sort.byName)"
            #expect(try literal.fetchAll(db) == ["red"])
        }
    }

    @Test func columns() throws {
        try withDatabase { db throws in
            #expect(try Color.fetchAll(db, sql: "SELECT 'red' UNION ALL SELECT 'blue'") == [.red, .blue])
            #expect(try Color?.fetchAll(db, sql: "SELECT 'red' UNION ALL SELECT NULL") == [.red, nil])
            #expect(throws: RowDecodingError.self) { try Color.fetchAll(db, sql: "SELECT 'green'") }
            #expect(try Grade.fetchSet(db, sql: "SELECT 2") == [.better])
            let statement = try db.makeStatement(sql: "SELECT 1, 'it'")
            let rows = try Row.fetchCursor(statement)
            _ = try rows.next()
            #expect(Number(sqliteStatement: statement.sqliteStatement, index: 0) == .one)
            #expect(Everything(sqliteStatement: statement.sqliteStatement, index: 1) == .it)
            #expect(Grade.fromStatement(statement.sqliteStatement, atUncheckedIndex: 0) == .good)
        }
    }

    /// An optional selection is NULL for nil.
    @Test func optionalSelections() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let some: (any SQLSelectable)? = AllColumns()
            let none: (any SQLSelectable)? = nil
            let columns: AllColumns? = AllColumns()
            let request: SQLRequest<Row> = "SELECT \(some), \(none), \(columns) FROM player LIMIT 1"
            #expect(try request.fetchOne(db)?.count == 5)
            #expect(log.take() == ["SELECT *, NULL, * FROM player LIMIT 1"])
            let selection: SQLSelection? = Column("score").forKey("s")
            let missing: SQLSelection? = nil
            let other: SQLRequest<Row> = "SELECT \(selection), \(missing) FROM player LIMIT 1"
            #expect(try other.fetchOne(db)?.map(\.0) == ["s", "NULL"])
            let value: Int? = nil
            let column: Column? = Column("name")
            let values: SQLRequest<Row> = "SELECT \(value), \(column) FROM player LIMIT 1"
            #expect(try values.fetchOne(db)?.count == 2)
            let sum: SQLExpression? = Column("score") + 1
            let product: SQLRequest<Int> = "SELECT \(sum) * 2 FROM player LIMIT 1"
            #expect(try product.fetchOne(db) == 4)
        }
    }
}
