import Rowan
import Testing

private typealias Author = Library.Author
private typealias Book = Library.Book
private typealias Country = Library.Country

/// The SQL, the arguments, and the rows of any request.
private func check<R: FetchRequest>(
    _ request: R, _ sql: String, _ arguments: StatementArguments = [], rows: [String],
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    try Library.run { db, _ throws in
        let text = try statementText(db, request)
        #expect(text.sql == sql, sourceLocation: sourceLocation)
        #expect(text.arguments == arguments, sourceLocation: sourceLocation)
        let fetched = try Row.fetchAll(db, request).map(\.description)
        #expect(fetched == rows, sourceLocation: sourceLocation)
        #expect(try request.fetchCount(db) == rows.count, sourceLocation: sourceLocation)
    }
}

struct CompoundTests {
    private let names = Author.select(\.name, as: String.self)
    private let titles = Book.select(\.title, as: String.self)

    @Test func operators() throws {
        try check(
            names.union(titles).order(Column("name").desc).limit(3, offset: 1),
            #"SELECT "name" FROM "author" UNION SELECT "title" FROM "book" ORDER BY "name" DESC LIMIT 3 OFFSET 1"#,
            rows: [#"[name:"Omoo"]"#, #"[name:"Nobody"]"#, #"[name:"Moby-Dick"]"#])
        try check(
            Author.select(\.countryCode).unionAll(Country.select(\.code).asRequest(of: Author.self))
                .order(Column("countryCode")),
            #"SELECT "countryCode" FROM "author" UNION ALL SELECT "code" FROM "country" ORDER BY "countryCode""#,
            rows: [
                "[countryCode:NULL]", #"[countryCode:"DE"]"#, #"[countryCode:"FR"]"#, #"[countryCode:"FR"]"#,
                #"[countryCode:"FR"]"#, #"[countryCode:"US"]"#, #"[countryCode:"US"]"#,
            ])
        let codes = Country.select(\.code, as: String.self)
        let used = Author.select(\.countryCode, as: String.self)
        try check(
            codes.intersect(used), #"SELECT "code" FROM "country" INTERSECT SELECT "countryCode" FROM "author""#,
            rows: [#"[code:"FR"]"#, #"[code:"US"]"#])
        try check(
            codes.except(used), #"SELECT "code" FROM "country" EXCEPT SELECT "countryCode" FROM "author""#,
            rows: [#"[code:"DE"]"#])
    }

    @Test func membersWithOrdersAndCompounds() throws {
        let best = Book.order(\.price.desc).limit(1).select(\.title, as: String.self)
        try check(
            names.filter(Column("id") == 1).union(best),
            #"SELECT "name" FROM "author" WHERE "id" = ? UNION SELECT * FROM "#
                + #"(SELECT "title" FROM "book" ORDER BY "price" DESC LIMIT 1)"#, [1],
            rows: [#"[name:"Anonymous"]"#, #"[name:"Melville"]"#])
        // Left to right, unless a compound is a member.
        let (a, b, c) = (
            names.filter(Column("id") == 1), names.filter(Column("id") == 2), names.filter(Column("id") == 3)
        )
        try check(
            a.union(b).except(b).union(c),
            #"SELECT "name" FROM "author" WHERE "id" = ? UNION SELECT "name" FROM "author" WHERE "id" = ? "#
                + #"EXCEPT SELECT "name" FROM "author" WHERE "id" = ? UNION SELECT "name" FROM "author" WHERE "id" = ?"#,
            [1, 2, 2, 3], rows: [#"[name:"Melville"]"#, #"[name:"Sand"]"#])
        try check(
            a.union(b).except(b.union(c)),
            #"SELECT "name" FROM "author" WHERE "id" = ? UNION SELECT "name" FROM "author" WHERE "id" = ? EXCEPT "#
                + #"SELECT * FROM (SELECT "name" FROM "author" WHERE "id" = ? UNION SELECT "name" FROM "author" "#
                + #"WHERE "id" = ?)"#, [1, 2, 2, 3], rows: [#"[name:"Melville"]"#])
        let limited = a.union(b).order(Column("name")).limit(1)
        try check(
            limited.union(c),
            #"SELECT * FROM (SELECT "name" FROM "author" WHERE "id" = ? UNION SELECT "name" FROM "author" "#
                + #"WHERE "id" = ? ORDER BY "name" LIMIT 1) UNION SELECT "name" FROM "author" WHERE "id" = ?"#,
            [1, 2, 3], rows: [#"[name:"Hugo"]"#, #"[name:"Sand"]"#])
        let literal: SQLRequest<String> = "SELECT 'x'"
        try check(
            literal.union(a), #"SELECT 'x' UNION SELECT "name" FROM "author" WHERE "id" = ?"#, [1],
            rows: [#"['x':"Melville"]"#, #"['x':"x"]"#])
    }

    /// An order may be deeply nested in a member's joins.
    @Test func memberWithTheOrderOfAJoin() throws {
        try Library.run { db, _ throws in
            let ordered = Book.joining(optional: Book.author.joining(optional: Author.country.order(\.name)))
                .select(\.id, as: Int.self)
            #expect(try ordered.union(Book.select(\.id, as: Int.self)).fetchAll(db).sorted() == [1, 2, 3, 4])
        }
    }

    @Test func asSubqueryTableAndCommonTable() throws {
        let some = names.filter(Column("id") < 3).union(titles)
        try Library.check(
            Author.filter { some.contains($0.name) }.select(\.id),
            #"SELECT "id" FROM "author" WHERE "name" IN (SELECT "name" FROM "author" WHERE "id" < ? UNION "#
                + #"SELECT "title" FROM "book")"#, [3], rows: ["[id:1]", "[id:2]"])
        try Library.check(
            some.asDerivedTable(named: "n").filter(Column("name") > "M").select(count(.allColumns)),
            #"SELECT COUNT(*) FROM (SELECT "name" FROM "author" WHERE "id" < ? UNION SELECT "title" FROM "book") "#
                + #"AS "n" WHERE "name" > ?"#, [3, "M"], rows: ["[COUNT(*):3]"])
        let cte = CommonTableExpression(named: "n", request: some)
        try Library.check(
            cte.all().with(cte).filter(Column("name") < "B"),
            #"WITH "n" AS (SELECT "name" FROM "author" WHERE "id" < ? UNION SELECT "title" FROM "book") "#
                + #"SELECT * FROM "n" WHERE "name" < ?"#, [3, "B"], rows: [#"[name:"Anonymous"]"#])
    }

    @Test func fetchingAndErrors() throws {
        try Library.run { db, _ throws in
            #expect(try names.union(titles).fetchSet(db).count == 8)
            #expect(try names.union(titles).order(Column("name")).fetchOne(db) == "Anonymous")
            let authors = Author.filter(key: 1).union(Author.filter(key: 2))
            #expect(try authors.fetchAll(db).map(\.id).sorted() == [1, 2])
            expectError(
                .SQLITE_ERROR, "SELECTs to the left and right of UNION do not have the same number of result columns"
            ) {
                try Row.fetchAll(db, Author.all().union(Author.select(\.id)))
            }
            expectError(.SQLITE_MISUSE, #"a compound request can't include "books": remove including(all:)"#) {
                try Row.fetchAll(db, Author.including(all: Author.books).union(Author.all()))
            }
        }
    }

    @Test func ordersOfCompounds() throws {
        try Roster.run { db, log throws in
            let request = Roster.Player.filter { $0.score > 15 }.union(Roster.Player.filter { $0.score < 10 })
            #expect(try request.order(\.name).fetchAll(db).map(\.id) == [3, 2, 4])
            #expect(try request.order { [$0.score.desc, $0.name] }.fetchAll(db).map(\.id) == [3, 2, 4])
            let statements = log.take()
            #expect(statements.count == 2)
            #expect(statements.allSatisfy { $0.contains(#"UNION SELECT * FROM "player""#) })
        }
    }
}
