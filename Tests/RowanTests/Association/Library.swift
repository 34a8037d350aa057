// The schema of the association tests: authors, books, awards, countries; people who write and translate; employees who
// lead others; a chat.

import Foundation
import Rowan
import Testing

enum Library {
    static let schema = """
        CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT);
        CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, countryCode TEXT REFERENCES country(code));
        CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author(id), title TEXT, year INTEGER,
            price INTEGER);
        CREATE INDEX book_author ON book(authorId);
        CREATE TABLE award (id INTEGER PRIMARY KEY, bookId INTEGER REFERENCES book(id), name TEXT, points INTEGER);
        CREATE INDEX award_book ON award(bookId);
        CREATE TABLE passport (citizenId INTEGER REFERENCES author(id), countryCode TEXT REFERENCES country(code),
            rank INTEGER, PRIMARY KEY (citizenId, countryCode));
        CREATE INDEX passport_country ON passport(countryCode);
        INSERT INTO country VALUES ('US', 'United States'), ('FR', 'France'), ('DE', 'Germany');
        INSERT INTO author VALUES (1, 'Melville', 'US'), (2, 'Hugo', 'FR'), (3, 'Sand', 'FR'), (4, 'Nobody', NULL);
        INSERT INTO book VALUES (1, 1, 'Moby-Dick', 1851, 10), (2, 1, 'Omoo', 1847, 20), (3, 2, 'Hernani', 1830, 30),
            (4, NULL, 'Anonymous', 1000, 40);
        INSERT INTO award VALUES (1, 1, 'Gold', 3), (2, 1, 'Silver', 2), (3, 3, 'Gold', 5);
        INSERT INTO passport VALUES (1, 'US', 1), (1, 'FR', 2), (2, 'FR', 1), (3, 'FR', 3), (3, 'DE', 1);
        """

    struct Country: Codable, Hashable, FetchableRecord, PersistableRecord {
        var code: String
        var name: String?
        enum Columns {
            static let code = Column("code")
            static let name = Column("name")
        }
        static let authors = hasMany(Author.self)
        static let passports = hasMany(Passport.self)
        static let citizens = hasMany(Author.self, through: passports, using: Passport.citizen, key: "citizens")
        static let books = hasMany(Book.self, through: authors, using: Author.books)
    }

    struct Author: Codable, Hashable, FetchableRecord, PersistableRecord {
        var id: Int64
        var name: String
        var countryCode: String?
        enum Columns {
            static let id = Column("id")
            static let name = Column("name")
            static let countryCode = Column("countryCode")
        }
        static let country = belongsTo(Country.self)
        static let books = hasMany(Book.self)
        static let awards = hasMany(Award.self, through: books, using: Book.awards)
        static let passports = hasMany(Passport.self)
        var books: QueryInterfaceRequest<Book> { request(for: Author.books) }
    }

    struct Book: Codable, Hashable, FetchableRecord, PersistableRecord {
        var id: Int64
        var authorId: Int64?
        var title: String
        var year: Int
        var price: Int
        enum Columns {
            static let id = Column("id")
            static let authorId = Column("authorId")
            static let title = Column("title")
            static let year = Column("year")
            static let price = Column("price")
        }
        static let author = belongsTo(Author.self)
        static let awards = hasMany(Award.self)
        static let country = hasOne(Country.self, through: author, using: Author.country)
    }

    struct Award: Codable, Hashable, FetchableRecord, PersistableRecord {
        var id: Int64
        var bookId: Int64
        var name: String
        var points: Int
        enum Columns {
            static let name = Column("name")
            static let points = Column("points")
        }
        static let book = belongsTo(Book.self)
    }

    struct Passport: Codable, Hashable, FetchableRecord, PersistableRecord {
        var citizenId: Int64
        var countryCode: String
        var rank: Int
        enum Columns {
            static let rank = Column("rank")
        }
        static let citizen = belongsTo(Author.self)
        static let country = belongsTo(Country.self)
    }

    /// Runs the closure with a library database.
    static func run(_ body: (Database, SQLLog) throws -> Void) throws { try inLoggedDatabase(schema, body) }

    /// The SQL, the arguments, and the rows of a request.
    static func check<T>(
        _ request: QueryInterfaceRequest<T>, _ sql: String, _ arguments: StatementArguments = [],
        rows: [String]? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try run { db, _ in
            let text = try statementText(db, request)
            #expect(text.sql == sql, sourceLocation: sourceLocation)
            #expect(text.arguments == arguments, sourceLocation: sourceLocation)
            let fetched = try Row.fetchAll(db, request).map(\.description)
            if let rows { #expect(fetched == rows, sourceLocation: sourceLocation) }
        }
    }
}
