// Keys that end with a number are inflected without the number.

import Rowan
import Testing

private struct Author: Codable, FetchableRecord, TableRecord {
    static let books = hasMany(Book.self).forKey("books2")
    var id: Int64
}

private struct Book: Codable, Equatable, FetchableRecord, TableRecord {
    static let author = belongsTo(Author.self).forKey("author1")
    var id: Int64
    var authorId: Int64
}

private let schema = """
    CREATE TABLE author (id INTEGER PRIMARY KEY);
    CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author(id));
    INSERT INTO author VALUES (1), (2);
    INSERT INTO book VALUES (1, 1), (2, 1)
    """

@Suite struct NumberedKeyTests {
    @Test func aKeyIsPluralOrSingular() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let all = try Row.fetchOne(db, Author.including(all: Author.books))
            #expect(all?.prefetchedRows.keys == ["books2"])
            let one = try Row.fetchOne(db, Author.including(optional: Author.books))
            #expect(one?.scopes.names.sorted() == ["book2"])
            let counted = try Row.fetchAll(db, Author.annotated(with: Author.books.count).order(Column("id")))
            #expect(counted == [["id": 1, "book2Count": 2], ["id": 2, "book2Count": 0]])
        }
    }
}
