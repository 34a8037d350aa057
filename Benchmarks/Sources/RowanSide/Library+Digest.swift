import Harness

// The checksums of the records of a library, regardless of how they were decoded.

protocol AuthorValues: Digestible {
    var id: Int64 { get }
    var name: String { get }
    var country: String? { get }
}

protocol BookValues: Digestible {
    var id: Int64 { get }
    var authorId: Int64 { get }
    var title: String { get }
    var year: Int { get }
}

protocol ReviewValues: Digestible {
    var id: Int64 { get }
    var bookId: Int64 { get }
    var rating: Int { get }
    var text: String { get }
}

extension Author: AuthorValues {}
extension PlainAuthor: AuthorValues {}
extension Book: BookValues {}
extension PlainBook: BookValues {}
extension Review: ReviewValues {}
extension PlainReview: ReviewValues {}

extension AuthorValues {
    func digest(into checksum: inout Checksum) {
        checksum.add(id)
        checksum.add(name)
        checksum.add(country)
    }
}

extension BookValues {
    func digest(into checksum: inout Checksum) {
        checksum.add(id)
        checksum.add(authorId)
        checksum.add(title)
        checksum.add(Int64(year))
    }
}

extension ReviewValues {
    func digest(into checksum: inout Checksum) {
        checksum.add(id)
        checksum.add(bookId)
        checksum.add(Int64(rating))
        checksum.add(text)
    }
}

extension BookWithAuthor: Digestible {
    func digest(into checksum: inout Checksum) {
        book.digest(into: &checksum)
        author.digest(into: &checksum)
    }
}

extension CodableBookWithAuthor: Digestible {
    func digest(into checksum: inout Checksum) {
        book.digest(into: &checksum)
        author.digest(into: &checksum)
    }
}

extension BookWithReviews: Digestible {
    func digest(into checksum: inout Checksum) {
        book.digest(into: &checksum)
        checksum.add(reviews)
    }
}

extension CodableBookWithReviews: Digestible {
    func digest(into checksum: inout Checksum) {
        book.digest(into: &checksum)
        checksum.add(reviews)
    }
}

extension AuthorWithBooks: Digestible {
    func digest(into checksum: inout Checksum) {
        author.digest(into: &checksum)
        checksum.add(books)
    }
}

extension CodableAuthorWithBooks: Digestible {
    func digest(into checksum: inout Checksum) {
        author.digest(into: &checksum)
        checksum.add(books)
    }
}

extension AuthorCount: Digestible {
    func digest(into checksum: inout Checksum) {
        checksum.add(id)
        checksum.add(name)
        checksum.add(Int64(bookCount))
        // The floor has the same digest for counts with and without sums.
        checksum.add(Int64(0))
    }
}

extension AuthorTally: Digestible {
    func digest(into checksum: inout Checksum) {
        checksum.add(id)
        checksum.add(name)
        checksum.add(Int64(bookCount))
        checksum.add(Int64(yearSum ?? 0))
    }
}

extension Player: Digestible {
    func digest(into checksum: inout Checksum) {
        checksum.add(id)
        checksum.add(name)
        checksum.add(team)
        checksum.add(Int64(score))
    }
}
