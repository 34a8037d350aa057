// The peer has no macro for records: the same work, with its records that are written by hand.

typealias RecordInts = NamedInts
typealias RecordPlace = Place
typealias RecordOrder = Order
typealias RecordItem = Item
typealias RecordAuthor = Author
typealias RecordBook = Book
typealias RecordBookWithAuthor = BookWithAuthor
typealias RecordAuthorWithBooks = AuthorWithBooks
