// A page token is valid for requests with the same rows and the same order, including the values in the order. The
// conditions may change between two pages.

import Rowan
import Testing

private typealias Author = Library.Author
private typealias Book = Library.Book

@Suite struct PageTokenTests {
    private func expectRefusal<T>(
        _ db: Database, of token: PageToken?, by request: QueryInterfaceRequest<T>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) where T: FetchableRecord {
        var error: PageError?
        do { _ = try request.page(after: token, size: 1).fetch(db) } catch let refusal as PageError {
            error = refusal
        } catch {}
        #expect(error == .otherOrder, sourceLocation: sourceLocation)
    }

    @Test func valuesOfTheOrder() throws {
        try Library.run { db, _ throws in
            func distance(_ year: Int) -> QueryInterfaceRequest<Book> { Book.order { abs($0.year - year) } }
            let token = try distance(1840).page(size: 1).fetch(db).next
            #expect(token != nil)
            #expect(try distance(1840).page(after: token, size: 1).fetch(db).count == 1)
            expectRefusal(db, of: token, by: distance(1841))
            let literal = Book.order(SQL("abs(year - \(5))").sqlExpression)
            let literalToken = try literal.page(size: 1).fetch(db).next
            expectRefusal(db, of: literalToken, by: Book.order(SQL("abs(year - \(9))").sqlExpression))
            // The storage class and the boundaries of values matter.
            let texts = Book.order { [$0.title == "a", $0.title == "bc"] }
            let textToken = try texts.page(size: 1).fetch(db).next
            expectRefusal(db, of: textToken, by: Book.order { [$0.title == "ab", $0.title == "c"] })
            let integer = Book.order(SQL("year - \(1)").sqlExpression)
            let integerToken = try integer.page(size: 1).fetch(db).next
            expectRefusal(db, of: integerToken, by: Book.order(SQL("year - \("1")").sqlExpression))
        }
    }

    @Test func associatedRowsOfTheOrder() throws {
        try Library.run { db, _ throws in
            func books(since year: Int) -> QueryInterfaceRequest<Author> {
                Author.annotated(with: Author.books.filter { $0.year > year }.count.forKey("n")).order(Column("n").desc)
            }
            let token = try books(since: 1830).page(size: 1).fetch(db).next
            #expect(try books(since: 1830).page(after: token, size: 1).fetch(db).count == 1)
            expectRefusal(db, of: token, by: books(since: 1850))

            let author = TableAlias<Author>()
            func byAuthor(_ order: Column) -> QueryInterfaceRequest<Book> {
                Book.joining(required: Book.author.aliased(author)).order(author[order])
            }
            let nameToken = try byAuthor(Column("name")).page(size: 1).fetch(db).next
            #expect(try byAuthor(Column("name")).page(after: nameToken, size: 1).fetch(db).count == 1)
            expectRefusal(db, of: nameToken, by: byAuthor(Column("countryCode")))
        }
    }

    @Test func theTable() throws {
        try Library.run { db, _ throws in
            let token = try Author.order(\.id).page(size: 1).fetch(db).next
            expectRefusal(db, of: token, by: Book.order(\.id))
        }
    }

    @Test func conditionsMayChange() throws {
        try Library.run { db, _ throws in
            func books(since year: Int) -> QueryInterfaceRequest<Book> { Book.filter { $0.year >= year }.order(\.year) }
            let first = try books(since: 1000).page(size: 2).fetch(db)
            #expect(first.map(\.year) == [1000, 1830])
            #expect(try books(since: 1850).page(after: first.next, size: 2).fetch(db).map(\.year) == [1851])
            #expect(try Book.order(\.year).page(after: first.next, size: 1).fetch(db).map(\.year) == [1847])
        }
    }

    /// Other programs store tokens, so equal requests have equal tokens in all processes.
    @Test func theTokenOfARequestNeverChanges() throws {
        try Library.run { db, _ throws in
            let token = try Book.order { abs($0.year - 1840) }.page(size: 1).fetch(db).next
            let again = try Book.order { abs($0.year - 1840) }.page(size: 1).fetch(db).next
            #expect(token == again)
        }
    }
}
