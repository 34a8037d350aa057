import CFloor
import Harness

// The result lists of the library and player queries.

final class AuthorList: Digestible {
    var list = FloorAuthorList()

    deinit {
        floor_author_list_free(&list)
    }

    func digest(into checksum: inout Checksum) {
        checksum.add(Int64(list.count))
        for author in UnsafeBufferPointer(start: list.rows, count: list.count) {
            author.digest(into: &checksum)
            checksum.add(Int64(author.books.count))
            for book in UnsafeBufferPointer(start: author.books.rows, count: author.books.count) {
                book.digest(into: &checksum)
                checksum.add(Int64(book.reviews.count))
                for review in UnsafeBufferPointer(start: book.reviews.rows, count: book.reviews.count) {
                    checksum.add(review.id)
                    checksum.add(review.bookId)
                    checksum.add(review.rating)
                    review.text.digest(into: &checksum)
                }
            }
        }
    }
}

final class BookInfoList: Digestible {
    var list = FloorBookInfoList()

    deinit {
        floor_book_info_list_free(&list)
    }

    func digest(into checksum: inout Checksum) {
        checksum.add(Int64(list.count))
        for info in UnsafeBufferPointer(start: list.rows, count: list.count) {
            info.book.digest(into: &checksum)
            info.author.digest(into: &checksum)
        }
    }
}

final class TallyList: Digestible {
    var list = FloorTallyList()

    deinit {
        floor_tally_list_free(&list)
    }

    func digest(into checksum: inout Checksum) {
        checksum.add(Int64(list.count))
        for tally in UnsafeBufferPointer(start: list.rows, count: list.count) {
            checksum.add(tally.id)
            tally.name.digest(into: &checksum)
            checksum.add(tally.bookCount)
            checksum.add(tally.yearSum)
        }
    }
}

final class PlayerList: Digestible {
    var list = FloorPlayerList()

    deinit {
        floor_player_list_free(&list)
    }

    func digest(into checksum: inout Checksum) {
        checksum.add(Int64(list.count))
        for player in UnsafeBufferPointer(start: list.rows, count: list.count) {
            checksum.add(player.id)
            player.name.digest(into: &checksum)
            player.team.digest(into: &checksum)
            checksum.add(player.score)
        }
    }
}

extension FloorAuthor {
    func digest(into checksum: inout Checksum) {
        checksum.add(id)
        name.digest(into: &checksum)
        country.digest(into: &checksum)
    }
}

extension FloorBook {
    func digest(into checksum: inout Checksum) {
        checksum.add(id)
        checksum.add(authorId)
        title.digest(into: &checksum)
        checksum.add(year)
    }
}

// MARK: - SQL

/// The number of open issues of a project for each label.
let sqlOfIssueCounts = """
    SELECT id, name, IFNULL(issueCount, 0)
    FROM label LEFT JOIN (
        SELECT labelId, COUNT(*) AS issueCount
        FROM issue JOIN issueLabel ON issueId = issue.id
        WHERE projectId = 1 AND status <> 'closed'
        GROUP BY labelId
    ) ON labelId = label.id
    ORDER BY id
    """

extension AggregatePlan {
    /// The number of books of authors and the sum of their years, using this plan.
    var sql: String {
        let condition = isForOneRow ? " WHERE author.id = ?" : ""
        if isCorrelated {
            return """
                SELECT id, name,
                    (SELECT COUNT(*) FROM book WHERE authorId = author.id),
                    (SELECT SUM(year) FROM book WHERE authorId = author.id)
                FROM author\(condition)
                """
        }
        return """
            SELECT id, name, IFNULL(bookCount, 0), yearSum
            FROM author LEFT JOIN (
                SELECT authorId, COUNT(*) AS bookCount, SUM(year) AS yearSum FROM book GROUP BY authorId
            ) ON authorId = author.id\(condition)
            """
    }
}
