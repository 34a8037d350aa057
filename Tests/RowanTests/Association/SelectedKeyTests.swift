// The key of prefetched rows among the columns selected by a request: each row gets its own associated rows, whatever
// the selection and its order.

import Rowan
import Testing

private struct Author: TableRecord {
    static let books = hasMany(Book.self)
    static let editions = hasMany(Edition.self, using: ForeignKey(["country", "name"], to: ["country", "name"]))
}

private struct Book: TableRecord {}

private struct Edition: TableRecord {}

private let schema = """
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, country TEXT, UNIQUE (country, name));
    CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, title TEXT);
    CREATE INDEX book_author ON book(authorId);
    CREATE TABLE edition (id INTEGER PRIMARY KEY, country TEXT, name TEXT, year INTEGER);
    INSERT INTO author VALUES (1, 'c', 'x'), (2, 'b', 'x'), (3, 'a', 'y');
    INSERT INTO book VALUES (10, 3, 'a1'), (11, 1, 'c1'), (12, 3, 'a2'), (13, 2, 'b1');
    INSERT INTO edition VALUES (20, 'y', 'a', 1900), (21, 'x', 'c', 1901), (22, 'x', 'a', 1902);
    """

struct SelectedKeyTests {
    private func id(_ row: Row) -> Int64 { row["id"] }

    private static let selections: [[SQLSelection]] =
        ([
            [Column("id")], [Column("name"), Column("id")], [Column("id"), Column("name"), Column("id")],
            [Column("name")], [Column("id").forKey("other"), Column("name")], [Column("name").forKey("id")],
            [(Column("id") + 1).forKey("id"), Column("name")],
            [Column("name").forKey("id"), Column("id"), Column("name")],
            [Column("ID"), Column("name")], [AllColumns(), Column("id")], [Column("name"), AllColumns()],
            [SQL("name AS a, id AS b"), Column("id")],
            [Column("country"), Column("id").collating(.nocase), Column("id")],
            [Column("id").detached, Column("name")], [Column.rowID, Column("name")],
            [length(Column("name")), Column("id")],
        ] as [[any SQLSelectable]]).map { $0.map(\.sqlSelection) }

    /// The children of each author, in the order of the authors' ids.
    private func children(_ request: QueryInterfaceRequest<Author>, _ key: String, _ db: Database) throws -> [[Int64]] {
        try request.asRequest(of: Row.self).fetchAll(db).map { row in
            try #require(row.prefetchedRows[key]).map(id).sorted()
        }
    }

    @Test(arguments: selections.indices)
    func keys(_ index: Int) throws {
        let selection = Self.selections[index]
        try DatabaseQueue().write { db in
            try db.execute(sql: schema)
            // Not ordered by id, which may be the name of another selected expression.
            let authors = Author.order(Column.rowID).select(selection)
            let (books, editions) = ([[11], [13], [10, 12]] as [[Int64]], [[21], [], [20]] as [[Int64]])
            #expect(try children(authors.including(all: Author.books), "books", db) == books)
            #expect(try children(authors.including(all: Author.editions), "editions", db) == editions)
            // The selection may come after the association.
            let before = Author.order(Column.rowID).including(all: Author.books)
            #expect(try children(before.select(selection), "books", db) == books)
            #expect(
                try children(before.including(all: Author.editions).select(selection), "editions", db) == editions)
            #expect(try children(authors.distinct().including(all: Author.books), "books", db) == books)
            #expect(
                try children(authors.limit(2, offset: 1).including(all: Author.books), "books", db) == [
                    [13], [10, 12],
                ])
            #expect(
                try children(
                    authors.annotated(with: Author.books.count).including(all: Author.books), "books", db) == books)
            // Unqualified names would be ambiguous in a join.
            if ![11, 13].contains(index) {
                let joined = authors.including(optional: Author.hasOne(Book.self).forKey("first"))
                    .including(all: Author.books)
                #expect(try Set(children(joined, "books", db)) == Set(books))
            }
            #expect(
                try children(authors.aliased(TableAlias(name: "a")).including(all: Author.books), "books", db) == books)
        }
    }

    @Test func groupedRows() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: schema)
            let latest = Author.select(Column("country"), max(Column("id")).forKey("id"))
                .group(Column("country")).order(Column("country")).including(all: Author.books)
            // SQLite takes the other columns from the row with the maximum.
            #expect(try children(latest, "books", db) == [[13], [10, 12]])
        }
    }

    @Test func selectedPrefetchedRows() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: schema)
            for selection in [[Column("title")], [Column("title"), Column("authorId")], [Column("authorId")]] {
                let authors = Author.order(Column("id")).including(
                    all: Author.books.select(selection).order(Column("id")))
                let rows = try authors.asRequest(of: Row.self).fetchAll(db)
                #expect(rows.map { $0.prefetchedRows["books"]?.count } == [1, 1, 2])
                #expect(
                    rows.map { $0.prefetchedRows["books"]?.map { Array($0.columnNames) } }
                        == [1, 1, 2].map { Array(repeating: selection.map(\.name), count: $0) })
            }
        }
    }
}
