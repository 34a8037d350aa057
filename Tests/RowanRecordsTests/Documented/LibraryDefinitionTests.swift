// Authors and books: an enum nested in a record, associations, and types that join several records.

import Foundation
import Rowan
import RowanRecords
import Testing

private enum Documented {
    struct Author: Codable, FetchableRecord, MutablePersistableRecord {
        static let books = hasMany(Book.self)
        var id: Int64?
        var name: String
        var countryCode: String?

        enum Columns {
            static let id = Column(CodingKeys.id)
            static let name = Column(CodingKeys.name)
            static let countryCode = Column(CodingKeys.countryCode)
        }

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    struct Book: Codable, FetchableRecord, MutablePersistableRecord {
        enum Kind: String, Codable, DatabaseValueConvertible { case essay, novel, poetry, theater }

        static let author = belongsTo(Author.self)
        var id: Int64?
        var authorId: Int64
        var title: String
        var kind: Kind

        enum Columns {
            static let id = Column(CodingKeys.id)
            static let title = Column(CodingKeys.title)
            static let kind = Column(CodingKeys.kind)
        }

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    /// An author and a book with explicit column lists.
    struct ListedAuthor: Codable, FetchableRecord, TableRecord {
        static let databaseTableName = "author"
        static var databaseSelection: [any SQLSelectable] { [Column("id"), Column("name"), Column("countryCode")] }
        static let books = hasMany(ListedBook.self, key: "books")
        var id: Int64?
        var name: String
        var countryCode: String?
    }

    struct ListedBook: Codable, FetchableRecord, TableRecord {
        static let databaseTableName = "book"
        static var databaseSelection: [any SQLSelectable] { ["id", "authorId", "title", "kind"].map { Column($0) } }
        var id: Int64?
        var authorId: Int64
        var title: String
        var kind: Book.Kind
    }

    struct AuthorInfo: Decodable, FetchableRecord {
        var author: Author
        var bookCount: Int
    }

    struct LiteraryCareer: Codable, FetchableRecord {
        var author: ListedAuthor
        var books: [ListedBook]
    }

    struct Authorship: Decodable, FetchableRecord {
        var book: Book
        var author: Author
    }

    struct PossibleAuthorship: Decodable, FetchableRecord {
        var book: Book
        var author: Author?
    }
}

private enum ByMacro {
    @Record struct Author {
        static let books = hasMany(Book.self)
        var id: Int64?
        var name: String
        var countryCode: String?
    }

    @Record struct Book {
        enum Kind: String, Codable, DatabaseValueConvertible { case essay, novel, poetry, theater }

        var id: Int64?
        @References(Author.self, onDelete: .cascade) var authorId: Int64
        var title: String
        var kind: Kind
    }

    @Selection struct AuthorInfo {
        var author: Author
        var bookCount: Int
    }

    @Selection struct LiteraryCareer {
        var author: Author
        var books: [Book]
    }

    @Selection struct Authorship {
        var book: Book
        var author: Author
    }

    @Selection struct PossibleAuthorship {
        var book: Book
        var author: Author?
    }
}

extension DerivableRequest<Documented.Author> {
    fileprivate func filter(countryCode: String) -> Self { filter { $0.countryCode == countryCode } }
    fileprivate func orderByName() -> Self { order { $0.name.collating(.localizedCaseInsensitiveCompare) } }
}

extension DerivableRequest<Documented.Book> {
    fileprivate func filter(kind: Documented.Book.Kind) -> Self { filter { $0.kind == kind } }
    fileprivate func filter(authorCountryCode countryCode: String) -> Self {
        joining(required: Documented.Book.author.filter(countryCode: countryCode))
    }
}

extension DerivableRequest<ByMacro.Author> {
    fileprivate func filter(countryCode: String) -> Self { filter { $0.countryCode == countryCode } }
    fileprivate func orderByName() -> Self { order { $0.name.collating(.localizedCaseInsensitiveCompare) } }
}

extension DerivableRequest<ByMacro.Book> {
    fileprivate func filter(kind: ByMacro.Book.Kind) -> Self { filter { $0.kind == kind } }
    fileprivate func filter(authorCountryCode countryCode: String) -> Self {
        joining(required: ByMacro.Book.author.filter(countryCode: countryCode))
    }
}

@Suite("Documented library")
struct LibraryDefinitionTests {
    private static let schema = """
        CREATE TABLE author (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, countryCode TEXT);
        CREATE TABLE book (
            id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL,
            authorId INTEGER NOT NULL REFERENCES author(id) ON DELETE CASCADE, kind TEXT NOT NULL);
        CREATE INDEX book_on_author ON book (authorId);
        INSERT INTO author VALUES (11, 'Melville', 'US'), (12, 'Eco', 'IT'), (13, 'anonymous', NULL);
        """

    private let difference = Difference.columnsAreListed(ByMacro.Author.self, ByMacro.Book.self)

    private func use<Book, Kind>(
        _ make: (Int64?, Int64, String, Kind) -> Book, _ kinds: (Kind, Kind),
        change: @escaping (inout Book, Int) -> Void
    ) -> Use<Book> {
        let books = (1...6).map { (number: Int64) -> Book in
            make(nil, 11 + number % 3, "Book \(number)", number % 2 == 0 ? kinds.0 : kinds.1)
        }
        return Use(
            samples: Array(books[..<3]), spares: Array(books[3...]), column: "kind", value: "novel".databaseValue,
            change: change)
    }

    @Test("A book, its enum, and named requests")
    func books() throws {
        let documented = use(Documented.Book.init(id:authorId:title:kind:), (.novel, .essay)) {
            $0.title += "\($1)"
            $0.kind = $1 % 2 == 0 ? .poetry : .novel
        }.requesting(
            Documented.Book.all().filter(kind: .novel),
            Documented.Book.filter(Column("kind") == Documented.Book.Kind.poetry),
            Documented.Book.all().filter(kind: .poetry).filter(authorCountryCode: "IT"),
            Documented.Book.filter { [Documented.Book.Kind.poetry, .theater].contains($0.kind) })
        let byMacro = use(ByMacro.Book.init(id:authorId:title:kind:), (.novel, .essay)) {
            $0.title += "\($1)"
            $0.kind = $1 % 2 == 0 ? .poetry : .novel
        }.requesting(
            ByMacro.Book.all().filter(kind: .novel), ByMacro.Book.filter(Column("kind") == ByMacro.Book.Kind.poetry),
            ByMacro.Book.all().filter(kind: .poetry).filter(authorCountryCode: "IT"),
            ByMacro.Book.filter { [.poetry, .theater].contains($0.kind) })
        try expectSame(Self.schema, documented: documented, byMacro: byMacro, difference)
    }

    @Test("A prefetching request finds its key after *, and in a list of columns")
    func prefetchedKey() throws {
        func firstSQL(_ fetch: (Database) throws -> Void) throws -> String? {
            try Trail.of(Self.schema) { db, _ in try fetch(db) }.statements.first
        }
        let documented = try firstSQL {
            _ = try Documented.Author.including(all: Documented.Author.books).asRequest(of: Row.self).fetchAll($0)
        }
        let byMacro = try firstSQL {
            _ = try ByMacro.Author.including(all: ByMacro.Author.books).asRequest(of: Row.self).fetchAll($0)
        }
        #expect(documented == #"SELECT * FROM "author""#)
        #expect(byMacro == #"SELECT "id", "name", "countryCode" FROM "author""#)
    }

    @Test("Joined, prefetched and counted records")
    func joins() throws {
        let documented = try Trail.of(Self.schema) { db, trail in
            for (author, title, kind) in [(11, "Moby-Dick", .novel), (11, "Typee", .novel), (12, "Diario", .essay)]
                as [(Int64, String, Documented.Book.Kind)]
            {
                var book = Documented.Book(id: nil, authorId: author, title: title, kind: kind)
                trail.note("insert") { try book.insert(db) }
                trail.note("author") { try book.request(for: Documented.Book.author).fetchOne(db) as Any }
            }
            trail.note("novels") {
                try Documented.Author.find(db, key: 11).request(for: Documented.Author.books).filter(kind: .novel)
                    .order(\.title).fetchAll(db)
            }
            trail.note("AuthorInfo") {
                try Documented.Author.annotated(with: Documented.Author.books.count)
                    .asRequest(of: Documented.AuthorInfo.self).fetchAll(db)
            }
            trail.note("LiteraryCareer") {
                try Documented.ListedAuthor.order(Column("name").collating(.localizedCaseInsensitiveCompare))
                    .including(all: Documented.ListedAuthor.books)
                    .asRequest(of: Documented.LiteraryCareer.self).fetchAll(db)
            }
            trail.note("Authorship") {
                try Documented.Book.including(required: Documented.Book.author.filter(countryCode: "US"))
                    .asRequest(of: Documented.Authorship.self).fetchAll(db)
            }
            trail.note("PossibleAuthorship") {
                try Documented.Book.including(optional: Documented.Book.author.filter(countryCode: "IT"))
                    .asRequest(of: Documented.PossibleAuthorship.self).fetchAll(db)
            }
            trail.note("having") {
                try Documented.Author.having(Documented.Author.books.isEmpty).fetchAll(db)
            }
            trail.note("ids") {
                try Documented.Author.filter { $0.countryCode == "IT" }.selectPrimaryKey(as: Int64.self).fetchSet(db)
                    .sorted()
            }
            trail.note("joined count") { try Documented.Book.joining(required: Documented.Book.author).fetchCount(db) }
            trail.note("delete") { try Documented.Author.find(db, key: 11).delete(db) }
        }
        let byMacro = try Trail.of(Self.schema) { db, trail in
            for (author, title, kind) in [(11, "Moby-Dick", .novel), (11, "Typee", .novel), (12, "Diario", .essay)]
                as [(Int64, String, ByMacro.Book.Kind)]
            {
                var book = ByMacro.Book(id: nil, authorId: author, title: title, kind: kind)
                trail.note("insert") { try book.insert(db) }
                trail.note("author") { try book.request(for: ByMacro.Book.author).fetchOne(db) as Any }
            }
            trail.note("novels") {
                try ByMacro.Author.find(db, key: 11).request(for: ByMacro.Author.books).filter(kind: .novel)
                    .order(\.title).fetchAll(db)
            }
            trail.note("AuthorInfo") {
                try ByMacro.Author.annotated(with: ByMacro.Author.books.count)
                    .asRequest(of: ByMacro.AuthorInfo.self).fetchAll(db)
            }
            trail.note("LiteraryCareer") {
                try ByMacro.Author.all().orderByName().including(all: ByMacro.Author.books)
                    .asRequest(of: ByMacro.LiteraryCareer.self).fetchAll(db)
            }
            trail.note("Authorship") {
                try ByMacro.Book.including(required: ByMacro.Book.author.filter(countryCode: "US"))
                    .asRequest(of: ByMacro.Authorship.self).fetchAll(db)
            }
            trail.note("PossibleAuthorship") {
                try ByMacro.Book.including(optional: ByMacro.Book.author.filter(countryCode: "IT"))
                    .asRequest(of: ByMacro.PossibleAuthorship.self).fetchAll(db)
            }
            trail.note("having") { try ByMacro.Author.having(ByMacro.Author.books.isEmpty).fetchAll(db) }
            trail.note("ids") {
                try ByMacro.Author.filter { $0.countryCode == "IT" }.selectPrimaryKey(as: Int64.self).fetchSet(db)
                    .sorted()
            }
            trail.note("joined count") { try ByMacro.Book.joining(required: ByMacro.Book.author).fetchCount(db) }
            trail.note("delete") { try ByMacro.Author.find(db, key: 11).delete(db) }
        }
        expectSame(documented, byMacro, difference)
    }
}
