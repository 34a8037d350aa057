import Foundation
import Harness
import Rowan
import RowanRecords

// The records of the other files, written by the macro. The peer has no such macro: there, these names stand for records
// that are written by hand.

@Record("ints") struct RecordInts {
    var c0, c1, c2, c3, c4, c5, c6, c7, c8, c9: Int
}

@Record("place") struct RecordPlace {
    var id: Int64?
    var title: String
    var isFavorite: Bool
    var latitude: Double
    var longitude: Double
    var note: String?
    var created: Date
}

@Record("orders") struct RecordOrder {
    var id: Int64
    var customerId: Int64
    var reference: String?
    var name: String?
    var street: String?
    var city: String?
    var region: String?
    var postalCode: String?
    var country: String?
    var phone: String?
    var comment: String?
    var employeeId: Int64?
    var shipperId: Int64?
    var freight: Decimal
}

@Record("item") struct RecordItem {
    var id: Int64
    var name: String
    var brand: String
    var category: String
    var color: String
    var size: String
    var material: String
    var supplier: String
    var notes: String
    var stock: Int
    var sold: Int
    var year: Int
    var isActive: Bool
    var price: Double
    var weight: Double
    var length: Double
    var width: Double
    var height: Double
}

@Record("author") struct RecordAuthor {
    var id: Int64
    var name: String
    var country: String?

    static let books = hasMany(RecordBook.self, key: "books")
}

@Record("book") struct RecordBook {
    var id: Int64
    var authorId: Int64
    var title: String
    var year: Int

    static let author = belongsTo(RecordAuthor.self)
    static let reviews = hasMany(RecordReview.self, key: "reviews")
}

@Record("review") struct RecordReview {
    var id: Int64
    var bookId: Int64
    var rating: Int
    var text: String
}

@Selection struct RecordBookWithAuthor {
    var book: RecordBook
    var author: RecordAuthor
}

@Selection struct RecordBookWithReviews {
    var book: RecordBook
    var reviews: [RecordReview]
}

@Selection struct RecordAuthorWithBooks {
    var author: RecordAuthor
    var books: [RecordBookWithReviews]
}

// MARK: - Samples and checksums

extension RecordAuthor: AuthorValues {}
extension RecordBook: BookValues {}
extension RecordReview: ReviewValues {}

extension RecordInts: TenIntegers {
    var integers: [Int] { [c0, c1, c2, c3, c4, c5, c6, c7, c8, c9] }
}

extension RecordOrder: OrderValues {
    var texts: [String?] { [reference, name, street, city, region, postalCode, country, phone, comment] }
}

extension RecordPlace: Digestible {
    init(_ sample: PlaceSample) {
        self.init(
            id: nil,
            title: sample.title,
            isFavorite: sample.isFavorite,
            latitude: sample.latitude,
            longitude: sample.longitude,
            note: sample.note,
            created: Date(timeIntervalSince1970: sample.secondsSince1970))
    }

    var digest: Int64 { (id ?? 0) + Int64(title.utf8.count) }

    func digest(into checksum: inout Checksum) {
        checksum.add(id ?? 0)
        checksum.add(title)
        checksum.add(isFavorite)
        checksum.add(latitude)
        checksum.add(longitude)
        checksum.add(note)
        checksum.add(secondsSince1970: created.timeIntervalSince1970)
    }
}

extension RecordBookWithAuthor: Digestible {
    func digest(into checksum: inout Checksum) {
        book.digest(into: &checksum)
        author.digest(into: &checksum)
    }
}

extension RecordBookWithReviews: Digestible {
    func digest(into checksum: inout Checksum) {
        book.digest(into: &checksum)
        checksum.add(reviews)
    }
}

extension RecordAuthorWithBooks: Digestible {
    func digest(into checksum: inout Checksum) {
        author.digest(into: &checksum)
        checksum.add(books)
    }
}
