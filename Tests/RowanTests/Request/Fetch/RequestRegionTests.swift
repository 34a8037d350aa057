// The regions of requests: the rows identified by their conditions, and the rows of their associations.

import Rowan
import Testing

@Suite
struct RequestRegionTests {
    private typealias Author = Library.Author
    private typealias Book = Library.Book

    private func check(
        _ expected: String, _ request: some FetchRequest, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try Library.run { db, _ in
            let region = try request.databaseRegion(db)
            #expect(region.description == expected, sourceLocation: sourceLocation)
            // An observation records the same region.
            let (_, recorded) = try db.recordingRegion { try Row.fetchAll(db, request) }
            #expect(recorded == region, sourceLocation: sourceLocation)
        }
    }

    private let all = "award(bookId,id,name,points)"
    private typealias Award = Library.Award

    @Test func keys() throws {
        try check(all, Award.all())
        try check("\(all)[1]", Award.filter(key: 1))
        try check("\(all)[1,3]", Award.filter(keys: [3, 1, 3]))
        try check("empty", Award.filter(keys: [Int]()))
        try check("empty", Award.none())
        try check("\(all)[2]", Award.filter(Column("id") == 2))
        try check("\(all)[2]", Award.filter(2 == Column("ID")))
        try check("\(all)[2]", Award.filter(Column("rowid") == 2))
        try check("\(all)[2,4]", Award.filter([2, 4].contains(Column("id"))))
        try check("award(id,name)[1]", Award.select(Column("name")).filter(key: 1))
        try check("award(id)[1]", Award.filter(key: 1).select(count(Column("id"))))
        try check("\(all)[1]", Award.filter(key: 1).order(Column("name")).limit(1))
    }

    @Test func conditions() throws {
        let (id, name) = (Column("id"), Column("name"))
        try check("\(all)[1]", Award.filter(id == 1 && name == "x"))
        try check("\(all)[1]", Award.filter(name == "x").filter(id == 1))
        try check(all, Award.filter(id == 1 || name == "x"))
        try check("\(all)[1,2]", Award.filter(id == 1 || id == 2))
        try check("\(all)[2]", Award.filter([1, 2].contains(id)).filter([2, 3].contains(id)))
        try check("empty", Award.filter(id == 1).filter(id == 2))
        try check("\(all)[1]", Award.filter((id == 1 && name == "a") || (id == 1 && name == "b")))
        for condition in [
            id != 1, !(id == 1), id > 1, ![1, 2].contains(id), id == "1", id == 1.0, id == name, name == 1, id + 0 == 1,
        ] {
            try check(all, Award.filter(condition))
        }
        try check(all, Award.filter(sql: "id = 1"))
        // SQL text may contain subqueries.
        try check(all, Award.filter(id == 1).filter(sql: "points = 1"))
        try check("empty", Award.filter(id == nil))
    }

    /// A subquery reads all rows of its table.
    @Test func subqueries() throws {
        let (id, points) = (Column("id"), Column("points"))
        let best = Award.select(max(points))
        try check(all, Award.filter(id == 1).filter(points == best))
        try check(all, Award.filter(id == 1).filter(best.contains(points)))
        try check(all, Award.filter(key: 1).annotated(with: best.forKey("best")))
        try check(all, Award.filter(key: 1).filter(Award.filter(points > 1).exists()))
        try check(all, Award.filter(key: 1).order(best))
        try check(all, Award.filter(key: 1).filter(literal: SQL("points = (SELECT MAX(points) FROM award)")))
        try check(
            all,
            Award.filter(key: 1).joining(
                optional: Award.belongsTo(
                    Award.self, key: "other",
                    using: ForeignKey(["points"], to: ["id"]))))
    }

    @Test func joins() throws {
        try check(
            "author(countryCode,id,name),award(bookId,id,name,points),book(authorId,id)",
            Award.filter(key: 1).including(optional: Award.book.select([Column("id")]).including(optional: Book.author))
        )
    }

    /// A column named like the rowid is not the rowid.
    @Test func columnsNamedAsTheRowID() throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE a (id INTEGER PRIMARY KEY, rowid TEXT);
                    CREATE TABLE b (RowID, x);
                    CREATE TABLE c (id INTEGER PRIMARY KEY DESC, x);
                    CREATE TABLE d (id INT PRIMARY KEY, x);
                    CREATE TABLE e (id INTEGER PRIMARY KEY, x) WITHOUT ROWID;
                    CREATE VIEW v AS SELECT 1 AS rowid, x FROM b;
                    INSERT INTO a VALUES (5, 1);
                    INSERT INTO b VALUES (1, 2);
                    """)
            for (table, column, expected) in [
                ("a", "rowid", "a(id,rowid)"), ("a", "id", "a(id,rowid)[1]"), ("b", "rowid", "b(RowID,x)"),
                ("c", "id", "c(id,x)"), ("c", "rowid", "c(ROWID,id,x)[1]"), ("d", "id", "d(id,x)"),
                ("e", "id", "e(id,x)"),
            ] {
                let request = Table(table).filter(Column(column) == 1)
                let region = try request.databaseRegion(db)
                #expect(region.description == expected, "\(table).\(column)")
            }
            let view = try Table("v").filter(Column("rowid") == 1).databaseRegion(db)
            #expect(!view.description.contains("["))
        }
    }

    // MARK: Prefetched rows

    /// An association's rows count as read even if there are no base rows yet.
    @Test func prefetchedRows() throws {
        let request = Author.including(all: Author.books.including(all: Book.awards))
        for setup in [
            "", "DELETE FROM award; DELETE FROM book", "DELETE FROM award; DELETE FROM book; DELETE FROM author",
        ] {
            try Library.run { db, _ in
                try db.execute(sql: "PRAGMA foreign_keys = OFF")
                try db.execute(sql: "DELETE FROM passport; \(setup)")
                let region = try request.databaseRegion(db)
                let expected =
                    "author(countryCode,id,name),award(bookId,id,name,points),book(authorId,id,price,title,year)"
                #expect(region.description == expected)
                let (_, recorded) = try db.recordingRegion { try Row.fetchAll(db, request) }
                // SQLite also reads its own tables to compare with many keys.
                #expect(recorded.union(region) == recorded, "\(recorded) after \(setup)")
            }
        }
    }

    /// The keys of prefetched rows come from base rows, which may change, so they don't restrict the region.
    @Test func prefetchedRowsByRowID() throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE base (id INTEGER PRIMARY KEY);
                    CREATE TABLE detail (id INTEGER PRIMARY KEY REFERENCES base(id), x);
                    INSERT INTO base VALUES (1);
                    INSERT INTO detail VALUES (1, 1);
                    """)
            struct Detail: TableRecord {}
            struct Base: TableRecord {
                static let details = hasMany(Detail.self)
            }
            let request = Base.including(all: Base.details)
            let (_, recorded) = try db.recordingRegion { try Row.fetchAll(db, request) }
            #expect(recorded.description.hasPrefix("base(id),detail(id,x)"))
            #expect(!recorded.description.contains("["))
            let (_, restricted) = try db.recordingRegion { try Row.fetchAll(db, request.filter(key: 1)) }
            #expect(restricted.description.hasPrefix("base(id)[1],detail(id,x)"))
            #expect(!restricted.description.contains("detail(id,x)["))
        }
    }

    // MARK: Cached statements

    /// A statement reused with other arguments, or for another request, reads other rows.
    @Test func statementsWithOtherArguments() throws {
        try Library.run { db, _ in
            for id in [1, 2, 9] {
                let (_, byKey) = try db.recordingRegion { try Book.fetchOne(db, key: id) }
                #expect(byKey.description == "book(authorId,id,price,title,year)[\(id)]")
                let (_, filtered) = try db.recordingRegion { try Book.filter(key: id).fetchAll(db) }
                #expect(filtered == byKey)
            }
            let (_, several) = try db.recordingRegion {
                for id in [1, 2] { _ = try Book.fetchOne(db, key: id) }
                _ = try Book.fetchOne(db, key: Int?.none)
            }
            #expect(several.description == "book(authorId,id,price,title,year)[1,2]")
            // The same SQL with an argument that isn't a rowid.
            let (_, text) = try db.recordingRegion { try Book.filter(Column("id") == "1").fetchAll(db) }
            #expect(text.description == "book(authorId,id,price,title,year)")
            let prepared = try Book.filter(key: 1).makePreparedRequest(db, forSingleResult: false)
            let statement = try db.makeStatement(sql: prepared.statement.sql)
            try statement.setArguments([2])
            #expect(!statement.databaseRegion.description.contains("["))
        }
    }

    /// After a schema change, the condition refers to another column.
    @Test func changedSchemas() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, x)")
            let request = Table("t").filter(Column("id") == 1)
            let before = try request.databaseRegion(db)
            #expect(before.description == "t(id,x)[1]")
            let (_, first) = try db.recordingRegion { try Row.fetchAll(db, request) }
            #expect(first == before)
            try db.execute(sql: "DROP TABLE t; CREATE TABLE t (id INTEGER, x)")
            let (_, second) = try db.recordingRegion { try Row.fetchAll(db, request) }
            #expect(second.description == "t(id,x)")
        }
    }

    @Test func tables() throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE Player (id); CREATE TEMP TABLE team (id)")
            let region = try Table("PLAYER").databaseRegion(db)
            #expect(region.description == "Player(*)")
            let temporary = try Table("team").databaseRegion(db)
            #expect(temporary.description == "temp.team(*)")
            let unknown = try Table("unknown").databaseRegion(db)
            #expect(unknown.description == "unknown(*)")
            let full: any DatabaseRegionConvertible = .fullDatabase
            #expect(try full.databaseRegion(db).isFullDatabase)
            let erased = try AnyDatabaseRegionConvertible(Table("player")).databaseRegion(db)
            #expect(erased == region)
            expectError(.SQLITE_ERROR) { _ = try SQLRequest<Row>(sql: "SELECT * FROM unknown").databaseRegion(db) }
        }
    }
}
