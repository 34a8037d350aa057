// A stable order breaks ties by the primary key, or by the selected columns of rows without a key.

import Rowan
import Testing

private struct Member: Codable, FetchableRecord, TableRecord {
    var name: String
    var score: Int
    enum Columns {
        static let name = Column("name")
        static let score = Column("score")
    }
}

private let schema = """
    CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
    INSERT INTO person VALUES (1, 'c', 1), (2, 'b', 1), (3, 'a', 2), (4, 'a', 1);
    CREATE VIEW member AS SELECT name, score FROM person
    """

@Suite struct StableOrderTests {
    @Test func aViewIsOrderedByItsColumns() throws {
        try inLoggedDatabase(schema) { db, log throws in
            #expect(try Member.all().withStableOrder().fetchAll(db).map(\.name) == ["a", "a", "b", "c"])
            #expect(log.take() == [#"SELECT * FROM "member" ORDER BY "name", "score""#])
            #expect(try Member.order(\.score.desc).withStableOrder().fetchAll(db).map(\.name) == ["a", "a", "b", "c"])
            #expect(log.take() == [#"SELECT * FROM "member" ORDER BY "score" DESC, "name", "score""#])
            #expect(try Member.order(\.score).reversed().withStableOrder().fetchOne(db)?.name == "a")
            #expect(
                log.take() == [#"SELECT * FROM "member" ORDER BY "score" DESC, "name" DESC, "score" DESC LIMIT 1"#])
        }
    }

    @Test func aSelectionIsOrderedByItself() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let names = Member.select { [$0.name, ($0.score + 1).forKey("next")] }.withStableOrder()
            #expect(try Row.fetchAll(db, names).map { $0["next"] as Int } == [2, 3, 2, 2])
            #expect(
                log.take() == [
                    #"SELECT "name", "score" + ? AS "next" FROM "member" ORDER BY "name", "score" + ?"#
                ])
            let annotated = Member.annotated { [($0.score * 2).forKey("double")] }.withStableOrder()
            _ = try Row.fetchAll(db, annotated)
            #expect(
                log.take() == [
                    #"SELECT *, "score" * ? AS "double" FROM "member" ORDER BY "name", "score", "score" * ?"#
                ])
            // SQL text may select any number of columns, so it isn't part of the order.
            let literal = Member.select(SQL("name AS n"), Column("score")).withStableOrder()
            _ = try Row.fetchAll(db, literal)
            #expect(log.take() == [#"SELECT name AS n, "score" FROM "member" ORDER BY "score""#])
        }
    }

    @Test func commonTablesAndAliases() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let cte = CommonTableExpression<Member>(named: "best", request: Member.filter { $0.score == 1 })
            #expect(try cte.all().with(cte).withStableOrder().fetchAll(db).map(\.name) == ["a", "b", "c"])
            _ = log.take()
            let aliased = Member.all().aliased(TableAlias(name: "m")).withStableOrder()
            _ = try aliased.fetchAll(db)
            #expect(log.take() == [#"SELECT "m".* FROM "member" "m" ORDER BY "m"."name", "m"."score""#])
        }
    }

    @Test func aTableIsOrderedByItsKey() throws {
        try inLoggedDatabase(schema) { db, log throws in
            _ = try Table("person").order(Column("name")).withStableOrder().fetchAll(db)
            #expect(log.take() == [#"SELECT * FROM "person" ORDER BY "name", "id""#])
        }
    }

    private struct Author: TableRecord {
        static let books = hasMany(Book.self)
    }
    private struct Book: TableRecord {
        static let author = belongsTo(Author.self)
        static let pages = hasMany(Page.self)
        static let publisher = belongsTo(Publisher.self)
    }
    private struct Page: TableRecord {}
    private struct Publisher: TableRecord {}

    private static let library = """
        CREATE TABLE author (id INTEGER PRIMARY KEY);
        CREATE TABLE publisher (id INTEGER PRIMARY KEY);
        CREATE TABLE book (
            id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, publisherId INTEGER REFERENCES publisher);
        CREATE TABLE page (id INTEGER PRIMARY KEY, bookId INTEGER REFERENCES book)
        """

    /// Included associations are also ordered, at every depth, whether they are included before or afterwards.
    @Test func includedAssociations() throws {
        try inLoggedDatabase(Self.library + "; INSERT INTO author VALUES (1); INSERT INTO book VALUES (1, 1, NULL)") {
            db, log throws in
            let nested = Author.including(all: Author.books.including(all: Book.pages))
            for request in [nested.withStableOrder(), Author.all().withStableOrder().including(all: Author.books)] {
                _ = try Row.fetchAll(db, request)
                for statement in log.take() { #expect(statement.contains("ORDER BY"), "\(statement)") }
            }
            _ = try Row.fetchAll(
                db,
                Author.including(required: Author.books.including(optional: Book.publisher))
                    .withStableOrder())
            #expect(log.take().last?.hasSuffix(#"ORDER BY "author"."id", "book"."id", "publisher"."id""#) == true)
            _ = try nested.withStableOrder().asRequest(of: Row.self).page(size: 1).fetch(db)
            for statement in log.take() { #expect(statement.contains("ORDER BY"), "\(statement)") }
            // Joined tables without selected columns aren't ordered.
            _ = try Row.fetchAll(db, Author.joining(required: Author.books).withStableOrder())
            #expect(log.take().last?.hasSuffix(#"ORDER BY "author"."id""#) == true)
        }
    }
}
