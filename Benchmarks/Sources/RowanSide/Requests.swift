import Harness
import Rowan

struct Player {
    var id: Int64
    var name: String
    var team: String
    var score: Int
}

extension Player: TableRecord {
    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
        static let team = Column("team")
        static let score = Column("score")
    }
}

extension Player: FetchableRecord {
    init(row: Row) {
        id = row["id"]
        name = row["name"]
        team = row["team"]
        score = row["score"]
    }
}

/// Requests of the query interface.
extension Assignment {
    /// Builds requests into statements with arguments, without running them.
    func buildRequests() throws -> any Run {
        let queue = try makeQueue(path: path)
        let count = count
        return ClosureRun {
            try queue.read { db in
                var sum = 0
                for n in 0..<count {
                    let score = n % 1000
                    let request =
                        Player
                        .filter { $0.score > score && $0.team == "Reds" }
                        .order(\.score.desc)
                        .limit(10)
                    sum += try request.makePreparedRequest(db, forSingleResult: false).statement.columnCount
                }
                return sum
            }
        } digest: { sum, checksum in
            checksum.add(Int64(sum))
        } close: {
            try queue.close()
        }
    }

    func fetchAuthorsWithBooks() throws -> any Run {
        try fetch { db in
            try Author
                .including(all: Author.books.including(all: Book.reviews))
                .asRequest(of: AuthorWithBooks.self)
                .fetchAll(db)
        }
    }

    func fetchCodableAuthorsWithBooks() throws -> any Run {
        try fetch { db in
            try Author
                .including(all: Author.books.including(all: Book.reviews))
                .asRequest(of: CodableAuthorWithBooks.self)
                .fetchAll(db)
        }
    }

    func fetchBooksWithAuthors() throws -> any Run {
        try fetch { db in
            try Book.including(required: Book.author).asRequest(of: BookWithAuthor.self).fetchAll(db)
        }
    }

    func fetchCodableBooksWithAuthors() throws -> any Run {
        try fetch { db in
            try Book.including(required: Book.author).asRequest(of: CodableBookWithAuthor.self).fetchAll(db)
        }
    }

    func countBooks() throws -> any Run {
        try fetch { db in
            try Author.annotated(with: Author.books.count).asRequest(of: AuthorCount.self).fetchAll(db)
        }
    }

    /// Two aggregates of one association, for all authors or for individual ones.
    func sumBooks() throws -> any Run {
        let authors = Author.annotated(
            with: Author.books.count, Author.books.sum(Book.Columns.year).forKey("yearSum"))
        guard workload.aggregatePlan?.isForOneRow == true else {
            return try fetch { try authors.asRequest(of: AuthorTally.self).fetchAll($0) }
        }
        let ids = authorIDs
        return try fetch { db in
            try ids.compactMap { id in
                try authors.filter(key: id).asRequest(of: AuthorTally.self).fetchOne(db)
            }
        }
    }
}
