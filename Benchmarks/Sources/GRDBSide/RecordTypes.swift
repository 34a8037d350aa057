// The peer has no record macro, so its handwritten records do the same work.

typealias RecordInts = NamedInts
typealias RecordPlace = Place
typealias RecordOrder = Order
typealias RecordItem = Item
typealias RecordAuthor = Author
typealias RecordBook = Book
typealias RecordBookWithAuthor = BookWithAuthor
typealias RecordAuthorWithBooks = AuthorWithBooks
