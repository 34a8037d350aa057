// Query results: columns, aggregates, records and prefetched records.

import Foundation
import Rowan
import RowanRecords
import Testing

@Record("author") private struct Author: Equatable, Hashable {
    var id: Int64
    var name: String

    static let books = hasMany(Book.self, key: "books")
}

@Record("book") private struct Book: Equatable, Hashable {
    var id: Int64
    var title: String
    @References(Author.self) var authorID: Int64?
}

@Selection private struct BookInfo: Equatable {
    var book: Book
    var author: Author?
}

@Selection private struct AuthorInfo: Equatable {
    var author: Author
    var books: [Book]
}

@Selection private struct AuthorSet: Equatable {
    var author: Author
    var books: Set<Book>
}

@Selection private struct Count: Equatable {
    var name: String
    var bookCount: Int
    @Column("first") var firstTitle: String?
}

@Selection private struct Deep: Equatable {
    var author: Author
    var books: [BookTitle]
}

@Selection private struct BookTitle: Equatable {
    var title: String
    @Column(as: .unixTime) var missing: Date?
}

@Selection private struct Misspelt {
    var buch: Book
    var autor: Author
}

@Selection private struct Generic<Value: FetchableRecord & Equatable>: Equatable {
    var book: Book
    var author: Value?
}

/// A pivot between two tables: all properties are optional.
@Record("village") private struct Village: Codable, Equatable {
    var id: Int64?
    static let mayor = hasOne(Mayor.self)
}

@Record("mayor") private struct Mayor: Codable, Equatable {
    var id: Int64?
    @References(Village.self) var villageId: Int64?
}

@Record("shop") private struct Shop: Codable, Equatable {
    var id: Int64?
    @References(Village.self) var villageId: Int64?
    static let mayor = hasOne(Mayor.self, through: village, using: Village.mayor)
}

@Selection private struct ShopInfo: Equatable {
    var shop: Shop
    var village: Village?
    var mayor: Mayor?
}

private struct CodableShopInfo: Decodable, FetchableRecord, Equatable {
    var shop: Shop
    var village: Village?
    var mayor: Mayor?
}

@Suite("Selections by macro")
struct SelectionTests {
    private func inLibrary(_ body: (Database) throws -> Void) throws {
        try inDatabase(
            """
            CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL, authorID INTEGER REFERENCES author);
            INSERT INTO author VALUES (1, 'Ann'), (2, 'Bob');
            INSERT INTO book VALUES (1, 'x', 1), (2, 'y', 1), (3, 'z', NULL);
            """, body)
    }

    private let ann = Author(id: 1, name: "Ann")
    private let bob = Author(id: 2, name: "Bob")
    private let books = [
        Book(id: 1, title: "x", authorID: 1), Book(id: 2, title: "y", authorID: 1),
        Book(id: 3, title: "z", authorID: nil),
    ]

    @Test("A record and an optional record")
    func optional() throws {
        try inLibrary { (db: Database) throws in
            let request = Book.including(optional: Book.author).order(\.id).asRequest(of: BookInfo.self)
            let expected = [
                BookInfo(book: books[0], author: ann), BookInfo(book: books[1], author: ann),
                BookInfo(book: books[2], author: nil),
            ]
            #expect(try request.fetchAll(db) == expected)
            #expect(try request.fetchOne(db) == expected[0])
            let cursor = try request.fetchCursor(db)
            for info in expected { #expect(try cursor.next() == info) }
            #expect(try cursor.next() == nil)
            #expect(
                try Book.including(optional: Book.author).order(\.id).asRequest(of: Generic<Author>.self).fetchAll(db)
                    .map(\.author) == expected.map(\.author))
        }
    }

    @Test("Prefetched arrays and sets, of records and of selections")
    func prefetched() throws {
        try inLibrary { (db: Database) throws in
            let request = Author.including(all: Author.books.order(\.id)).order(\.id)
            #expect(
                try request.asRequest(of: AuthorInfo.self).fetchAll(db) == [
                    AuthorInfo(author: ann, books: Array(books[0...1])), AuthorInfo(author: bob, books: []),
                ])
            #expect(
                try request.asRequest(of: AuthorSet.self).fetchAll(db) == [
                    AuthorSet(author: ann, books: Set(books[0...1])), AuthorSet(author: bob, books: []),
                ])
            #expect(
                try request.asRequest(of: Deep.self).fetchAll(db) == [
                    Deep(
                        author: ann, books: [BookTitle(title: "x", missing: nil), BookTitle(title: "y", missing: nil)]),
                    Deep(author: bob, books: []),
                ])
        }
    }

    @Test("Columns and aggregates")
    func columns() throws {
        try inLibrary { (db: Database) throws in
            let request = Author.annotated(with: Author.books.count).order(\.id).asRequest(of: Count.self)
            #expect(
                try request.fetchAll(db) == [
                    Count(name: "Ann", bookCount: 2, firstTitle: nil),
                    Count(name: "Bob", bookCount: 0, firstTitle: nil),
                ])
            #expect(
                try Count.fetchAll(
                    db, sql: "SELECT 'f' AS first, 3 AS bookCount, 'n' AS name UNION ALL SELECT NULL, 4, 'm'")
                    == [
                        Count(name: "n", bookCount: 3, firstTitle: "f"),
                        Count(name: "m", bookCount: 4, firstTitle: nil),
                    ])
        }
    }

    @Test("A missing association is an error")
    func misspelt() throws {
        try inLibrary { (db: Database) throws in
            let error = #expect(throws: RowDecodingError.self) {
                try Book.including(required: Book.author).asRequest(of: Misspelt.self).fetchAll(db)
            }
            #expect(
                error?.reason
                    == "Misspelt: the row has no scope \"autor\" and no scope \"buch\", and only one of them can be the row "
                    + "itself (the row has: author): include the association with this key")
            let prefetch = #expect(throws: RowDecodingError.self) {
                try Author.all().asRequest(of: AuthorInfo.self).fetchAll(db)
            }
            #expect(
                prefetch?.reason
                    == "prefetched rows \"books\" are missing (the row has: ): include the association")
            let null = #expect(throws: RowDecodingError.self) {
                try Book.including(optional: Book.author).asRequest(of: Required.self).fetchAll(db)
            }
            #expect(
                null?.reason
                    == "scope \"author\" contains only NULL values: declare the member of Required as an optional")
        }
    }

    @Test("An association used only as a pivot isn't decoded as a record")
    func wayOfJoins() throws {
        try inDatabase(
            """
            CREATE TABLE village (id INTEGER PRIMARY KEY);
            CREATE TABLE mayor (id INTEGER PRIMARY KEY, villageId INTEGER REFERENCES village);
            CREATE TABLE shop (id INTEGER PRIMARY KEY, villageId INTEGER REFERENCES village);
            INSERT INTO village VALUES (1); INSERT INTO mayor VALUES (2, 1); INSERT INTO shop VALUES (3, 1);
            """
        ) { db in
            let (shop, mayor) = (Shop(id: 3, villageId: 1), Mayor(id: 2, villageId: 1))
            let request = Shop.including(required: Shop.mayor)
            let found = try request.asRequest(of: ShopInfo.self).fetchAll(db)
            // The mayor is in the village's scope.
            #expect(found.map(\.shop) == [shop] && found.map(\.village) == [nil])
            let decoded = try request.asRequest(of: CodableShopInfo.self).fetchAll(db)
            #expect(decoded.map(\.shop) == [shop] && decoded.map(\.village) == [nil])
            let row = try #require(try Row.fetchOne(db, request))
            #expect(try row.decodeIfPresent(Village.self, forKey: "village") == nil)
            #expect(try row.scopes["village"]?.decodeIfPresent(Mayor.self, forKey: "mayor") == mayor)
            #expect(throws: RowDecodingError.self) { try row.decode(Village.self, forKey: "village") }
        }
    }
}

@Selection private struct Required {
    var book: Book
    var author: Author
}
