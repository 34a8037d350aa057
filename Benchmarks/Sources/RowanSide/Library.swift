import Harness
import Rowan

// Authors, their books, and the reviews of the books.

struct Author: Codable {
    var id: Int64
    var name: String
    var country: String?
}

extension Author: TableRecord {
    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
        static let country = Column("country")
    }

    static let books = hasMany(Book.self)
}

extension Author: FetchableRecord {
    init(row: Row) {
        id = row["id"]
        name = row["name"]
        country = row["country"]
    }
}

struct Book: Codable {
    var id: Int64
    var authorId: Int64
    var title: String
    var year: Int
}

extension Book: TableRecord {
    enum Columns {
        static let id = Column("id")
        static let authorId = Column("authorId")
        static let title = Column("title")
        static let year = Column("year")
    }

    static let author = belongsTo(Author.self)
    static let reviews = hasMany(Review.self)
}

extension Book: FetchableRecord {
    init(row: Row) {
        id = row["id"]
        authorId = row["authorId"]
        title = row["title"]
        year = row["year"]
    }
}

struct Review: Codable {
    var id: Int64
    var bookId: Int64
    var rating: Int
    var text: String
}

extension Review: TableRecord {}

extension Review: FetchableRecord {
    init(row: Row) {
        id = row["id"]
        bookId = row["bookId"]
        rating = row["rating"]
        text = row["text"]
    }
}

// MARK: - Decoded by hand

struct BookWithAuthor: FetchableRecord {
    var book: Book
    var author: Author

    init(row: Row) {
        book = Book(row: row)
        author = row["author"]
    }
}

struct BookWithReviews: FetchableRecord {
    var book: Book
    var reviews: [Review]

    init(row: Row) throws {
        book = Book(row: row)
        reviews = try row.decode(forKey: "reviews")
    }
}

struct AuthorWithBooks: FetchableRecord {
    var author: Author
    var books: [BookWithReviews]

    init(row: Row) throws {
        author = Author(row: row)
        books = try row.decode(forKey: "books")
    }
}

struct AuthorCount: FetchableRecord {
    var id: Int64
    var name: String
    var bookCount: Int

    init(row: Row) {
        id = row["id"]
        name = row["name"]
        bookCount = row["bookCount"]
    }
}

struct AuthorTally: FetchableRecord {
    var id: Int64
    var name: String
    var bookCount: Int
    var yearSum: Int?

    init(row: Row) {
        id = row["id"]
        name = row["name"]
        bookCount = row["bookCount"]
        yearSum = row["yearSum"]
    }
}

// MARK: - Decoded by the Codable conformance that the compiler generates

struct PlainAuthor: Codable, FetchableRecord {
    var id: Int64
    var name: String
    var country: String?
}

struct PlainBook: Codable, FetchableRecord {
    var id: Int64
    var authorId: Int64
    var title: String
    var year: Int
}

struct PlainReview: Codable, FetchableRecord {
    var id: Int64
    var bookId: Int64
    var rating: Int
    var text: String
}

struct CodableBookWithAuthor: Codable, FetchableRecord {
    var book: PlainBook
    var author: PlainAuthor
}

struct CodableBookWithReviews: Codable, FetchableRecord {
    var book: PlainBook
    var reviews: [PlainReview]
}

struct CodableAuthorWithBooks: Codable, FetchableRecord {
    var author: PlainAuthor
    var books: [CodableBookWithReviews]
}
