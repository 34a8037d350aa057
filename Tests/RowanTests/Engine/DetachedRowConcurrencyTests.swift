// Rows used outside their access.

import Rowan
import Testing

@Suite struct DetachedRowConcurrencyTests {
    private struct Author: TableRecord, Decodable, FetchableRecord {
        static let books = hasMany(Book.self)
        var id: Int
        var name: String
    }
    private struct Book: TableRecord, Decodable, FetchableRecord {
        static let author = belongsTo(Author.self)
        static let pages = hasMany(Page.self)
        var id: Int
        var title: String
    }
    private struct Page: TableRecord, Decodable, FetchableRecord {
        var id: Int
    }
    private struct AuthorInfo: Decodable, FetchableRecord, Equatable {
        struct BookInfo: Decodable, Equatable {
            var title: String
            var pages: [[String: Int]]
        }
        var name: String
        var books: [BookInfo]
    }

    private func makeQueue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TABLE book(id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, title TEXT);
                    CREATE TABLE page(id INTEGER PRIMARY KEY, bookId INTEGER REFERENCES book);
                    INSERT INTO author VALUES (1, 'Melville'), (2, 'Austen');
                    INSERT INTO book VALUES (1, 1, 'Moby-Dick'), (2, 1, 'Typee'), (3, 2, 'Emma');
                    INSERT INTO page VALUES (10, 1), (11, 1), (12, 3);
                    """)
        }
        return queue
    }

    @Test func values() async throws {
        let rows = try await makeQueue().read { db in
            try DetachedRow.fetchAll(db, sql: "SELECT id, name, NULL AS n, x'01' AS b, 1.5 AS d FROM author")
        }
        #expect(rows.count == 2)
        #expect(rows.map { $0["NAME"] as String } == ["Melville", "Austen"])
        #expect(rows.map { $0[0] as Int } == [1, 2])
        #expect(rows[0][Column("d")] as Double == 1.5)
        #expect(rows[0]["n"] as Int? == nil && rows[0]["missing"] as Int? == nil)
        #expect(rows[0].columnNames == ["id", "name", "n", "b", "d"] && rows[0].count == 5)
        #expect("\(rows[0])" == "\(rows[0].row)")
        #expect(rows[0].description.hasPrefix("[id:1 name:\"Melville\" n:NULL"))
        #expect(rows[0] == rows[0] && rows[0] != rows[1])
        #expect(Set(rows + rows).count == 2)
    }

    /// A cursor advances its row.
    @Test func rowsOfACursor() async throws {
        let rows = try await makeQueue().read { db in
            let cursor = try Row.fetchCursor(db, sql: "SELECT title FROM book ORDER BY id")
            var rows: [DetachedRow] = []
            while let row = try cursor.next() { rows.append(row.detached()) }
            return rows
        }
        #expect(rows.map { $0[0] as String } == ["Moby-Dick", "Typee", "Emma"])
    }

    @Test func scopes() async throws {
        let rows = try await makeQueue().read { db in
            let request = Book.including(required: Book.author).order(Column("id"))
            return try DetachedRow.fetchAll(db, request.asRequest(of: DetachedRow.self))
        }
        let authors = rows.map { $0.row.scopes["author"]?["name"] as String? }
        #expect(authors == ["Melville", "Melville", "Austen"])
        #expect(rows.map { $0["title"] as String } == ["Moby-Dick", "Typee", "Emma"])
    }

    /// Several threads decode the same rows, whose prefetched rows share their storage.
    @Test func prefetchedRowsOnThreads() async throws {
        let queue = try makeQueue()
        let rows = try await queue.read { db in
            let request = Author.including(all: Author.books.including(all: Book.pages)).order(Column("id"))
            return try Row.fetchAll(db, request.asRequest(of: Row.self)).map { $0.detached() }
        }
        try queue.close()
        let expected = [
            AuthorInfo(
                name: "Melville",
                books: [
                    .init(title: "Moby-Dick", pages: [["id": 10, "bookId": 1], ["id": 11, "bookId": 1]]),
                    .init(title: "Typee", pages: []),
                ]),
            AuthorInfo(name: "Austen", books: [.init(title: "Emma", pages: [["id": 12, "bookId": 3]])]),
        ]
        try await onThreads(4) { _ in
            for _ in 0..<200 {
                let infos = try rows.map { try AuthorInfo(row: $0.row) }
                #expect(infos == expected)
            }
        }
        // Keys in a copy's scopes are still found.
        #expect(rows[0].row.prefetchedRows["books"]?.count == 2)
        #expect(rows[0] != rows[1] && rows[0] == rows[0])
    }
}
