/// The initial database of a run. The floor creates it, outside the measured time.
public struct Fixture: Hashable, Sendable {
    public enum Table: Hashable, Sendable {
        /// Ten integers: `ints(c0, ..., c9)`.
        case ints
        /// `place(id, title, isFavorite, latitude, longitude, note, created)`.
        case places
        /// Authors, the given number of books for each, and the given number of reviews for each book.
        case library(books: Int, reviews: Int, isIndexed: Bool)
        /// `player(id, name, team, score)`, with an index on the ranking.
        case players
        /// `orders`: integers, and many optional texts.
        case orders
        /// `document`: JSON columns.
        case documents
        /// `measure`: a column of each storage class.
        case measures
        /// `item`: 18 columns.
        case items
        /// Shelves, whose key has two columns, and the given number of volumes on each.
        case shelves(volumes: Int)
        /// `page(title, body)`: a full-text table.
        case pages
        /// `item_vec`: a table of sqlite-vec.
        case vectors
        /// `entry0`, `entry1`...: a table for each row of the fixture, each with a reference to the previous one.
        case entries
        /// `ticket`: seven columns and four indexes.
        case tickets
        /// `runner`, with an index on the ranking, whose first column may be NULL.
        case runners
        /// `issue`, `label`, and the pivot table `issueLabel`. The rows of the fixture are issues.
        case issues
        /// `profile`: a text key, and JSON columns.
        case profiles
        /// `t1`, `t2`... `t100`, which are empty. The number of rows of the fixture is the number of tables that a run
        /// uses.
        case teams
    }

    public enum Journal: Hashable, Sendable {
        case delete
        case wal
    }

    public private(set) var table: Table
    /// The number of rows in the table when the run starts; for a library, the number of authors.
    public private(set) var rows: Int
    public private(set) var journal = Journal.delete
    /// Whether runs write: each then gets its own database.
    public private(set) var isFresh: Bool

    public static func ints(_ rows: Int) -> Fixture { Fixture(table: .ints, rows: rows, isFresh: false) }
    public static func places(_ rows: Int) -> Fixture { Fixture(table: .places, rows: rows, isFresh: false) }
    public static func players(_ rows: Int) -> Fixture { Fixture(table: .players, rows: rows, isFresh: false) }
    public static func orders(_ rows: Int) -> Fixture { Fixture(table: .orders, rows: rows, isFresh: false) }
    public static func documents(_ rows: Int) -> Fixture { Fixture(table: .documents, rows: rows, isFresh: false) }
    public static func measures(_ rows: Int) -> Fixture { Fixture(table: .measures, rows: rows, isFresh: false) }
    public static func items(_ rows: Int) -> Fixture { Fixture(table: .items, rows: rows, isFresh: false) }
    public static func shelves(_ shelves: Int, volumes: Int) -> Fixture {
        Fixture(table: .shelves(volumes: volumes), rows: shelves, isFresh: false)
    }
    public static func pages(_ rows: Int) -> Fixture { Fixture(table: .pages, rows: rows, isFresh: false) }
    public static func vectors(_ rows: Int) -> Fixture { Fixture(table: .vectors, rows: rows, isFresh: false) }
    public static func entries(_ rows: Int) -> Fixture { Fixture(table: .entries, rows: rows, isFresh: false) }
    public static func tickets(_ rows: Int) -> Fixture { Fixture(table: .tickets, rows: rows, isFresh: false) }
    public static func runners(_ rows: Int) -> Fixture { Fixture(table: .runners, rows: rows, isFresh: false) }
    public static func issues(_ rows: Int) -> Fixture { Fixture(table: .issues, rows: rows, isFresh: false) }
    public static func teams(_ tables: Int) -> Fixture { Fixture(table: .teams, rows: tables, isFresh: false) }
    public static func library(_ authors: Int, books: Int, reviews: Int = 0) -> Fixture {
        Fixture(
            table: .library(books: books, reviews: reviews, isIndexed: true), rows: authors, isFresh: false)
    }
    public static let emptyInts = Fixture(table: .ints, rows: 0, isFresh: true)
    public static let emptyPlaces = Fixture(table: .places, rows: 0, isFresh: true)
    public static let emptyPages = Fixture(table: .pages, rows: 0, isFresh: true)
    public static let emptyPlayers = Fixture(table: .players, rows: 0, isFresh: true)
    public static let emptyTickets = Fixture(table: .tickets, rows: 0, isFresh: true)
    public static let emptyProfiles = Fixture(table: .profiles, rows: 0, isFresh: true)

    public func writtenAhead() -> Fixture {
        var copy = self
        copy.journal = .wal
        return copy
    }

    public func copiedForEachRun() -> Fixture {
        var copy = self
        copy.isFresh = true
        return copy
    }

    public func withoutIndex() -> Fixture {
        guard case .library(let books, let reviews, _) = table else { return self }
        var copy = self
        copy.table = .library(books: books, reviews: reviews, isIndexed: false)
        return copy
    }

    public func sharedByRuns() -> Fixture {
        var copy = self
        copy.isFresh = false
        return copy
    }

    func divided(by divisor: Int) -> Fixture {
        var copy = self
        copy.rows /= divisor
        return copy
    }
}

extension Fixture.Table {
    public var creation: String {
        switch self {
        case .ints:
            "CREATE TABLE ints (\((0..<10).map { "c\($0) INTEGER NOT NULL" }.joined(separator: ", ")))"
        case .places:
            """
            CREATE TABLE place (
                id INTEGER PRIMARY KEY,
                title TEXT NOT NULL,
                isFavorite BOOLEAN NOT NULL,
                latitude DOUBLE NOT NULL,
                longitude DOUBLE NOT NULL,
                note TEXT,
                created DATETIME NOT NULL)
            """
        case .library(_, _, let isIndexed):
            """
            CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT);
            CREATE TABLE book (
                id INTEGER PRIMARY KEY,
                authorId INTEGER NOT NULL REFERENCES author(id),
                title TEXT NOT NULL,
                year INTEGER NOT NULL);
            CREATE TABLE review (
                id INTEGER PRIMARY KEY,
                bookId INTEGER NOT NULL REFERENCES book(id),
                rating INTEGER NOT NULL,
                text TEXT NOT NULL);
            """ + (isIndexed ? Self.libraryIndexes : "")
        case .players:
            """
            CREATE TABLE player (
                id INTEGER PRIMARY KEY,
                name TEXT NOT NULL,
                team TEXT NOT NULL,
                score INTEGER NOT NULL);
            CREATE INDEX player_on_ranking ON player(score DESC, id);
            """
        case .orders: Self.orderTable
        case .documents: Self.documentTable
        case .measures: Self.measureTable
        case .items: Self.itemTable
        case .shelves: Self.shelfTables
        case .pages: "CREATE VIRTUAL TABLE page USING fts5(title, body)"
        case .vectors:
            "CREATE VIRTUAL TABLE item_vec USING vec0(id INTEGER PRIMARY KEY, embedding float[\(Samples.dimension)])"
        // `filling` creates the tables.
        case .entries: ""
        case .tickets: Self.ticketTable
        case .runners: Self.runnerTable
        case .issues: Self.issueTables
        case .profiles: Self.profileTable
        case .teams: Self.teamTables
        }
    }

    private static let libraryIndexes = """
        CREATE INDEX book_on_authorId ON book(authorId);
        CREATE INDEX review_on_bookId ON review(bookId);
        """

    /// The SQL that fills tables whose values are generated by SQL.
    ///
    /// - Parameter rows: the rows of the fixture.
    public func filling(rows: Int) -> String? {
        switch self {
        case .ints, .places, .pages, .vectors, .tickets, .profiles, .teams: nil
        case .entries: Self.entryTables(rows)
        case .library(let books, let reviews, _):
            // The multipliers are prime, so that the children of each parent are not adjacent.
            """
            BEGIN;
            INSERT INTO author
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT \(rows))
            SELECT i, 'Author ' || i, CASE WHEN i % 3 THEN 'Country number ' || (i % 200) END FROM n;
            INSERT INTO book
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT \(rows * books))
            SELECT i, i * 7919 % \(rows) + 1, 'The book with number ' || i, 1900 + i % 120 FROM n;
            INSERT INTO review
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
            SELECT i, i * 7919 % \(rows * books) + 1, i % 6, 'What a reader says ' || i
            FROM n LIMIT \(rows * books * reviews);
            COMMIT;
            """
        case .players where rows == 0: nil
        case .players:
            """
            INSERT INTO player
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT \(rows))
            SELECT i, 'Player ' || i, CASE i % 3 WHEN 0 THEN 'Reds' WHEN 1 THEN 'Blues' ELSE 'Greens' END,
                i * 7919 % 5003
            FROM n;
            """
        case .orders: Self.orderFilling(rows)
        case .documents: Self.documentFilling(rows)
        case .measures: Self.measureFilling(rows)
        case .items: Self.itemFilling(rows)
        case .runners: Self.runnerFilling(rows)
        case .issues: Self.issueFilling(rows)
        case .shelves(let volumes): Self.shelfFilling(rows, volumes: volumes)
        }
    }
}
