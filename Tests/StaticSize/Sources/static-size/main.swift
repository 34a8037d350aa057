// An ordinary program: a queue, a table, and a Codable record with the types of FoundationEssentials that columns store.

import Rowan

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct Product: Codable, Hashable, FetchableRecord, MutablePersistableRecord {
    struct Label: Codable, Hashable {
        var language: String
        var text: String
    }

    enum Columns {
        static let price = Column(CodingKeys.price)
        static let created = Column(CodingKeys.created)
    }

    var id: Int64?
    var code: UUID
    var price: Decimal
    var page: URL
    var created: Date
    var image: Data
    /// Stored as JSON.
    var labels: [Label]

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

let queue = try DatabaseQueue()

try queue.write { db in
    try db.create(table: "product") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("code", .blob).notNull().unique()
        t.column("price", .text).notNull()
        t.column("page", .text).notNull()
        t.column("created", .datetime).notNull()
        t.column("image", .blob).notNull()
        t.column("labels", .jsonText).notNull()
    }
}

guard let page = URL(string: "https://example.com/products/1") else { fatalError("the URL is valid") }
var product = Product(
    code: UUID(), price: Decimal(1999) / 100, page: page, created: Date(timeIntervalSince1970: 1_800_000_000.5),
    image: Data([0xFF, 0x00, 0x7F]), labels: [Product.Label(language: "fr", text: "Vélo")])
try queue.write { db in try product.insert(db) }

let (products, language) = try queue.read { db in
    let products = try Product.filter(Product.Columns.created < Date(timeIntervalSince1970: 2_000_000_000))
        .order(Product.Columns.price).fetchAll(db)
    return (products, try String.fetchOne(db, sql: "SELECT labels ->> '$[0].language' FROM product"))
}
guard products == [product], language == "fr" else { fatalError("\(products) is not \(product)") }
print("\(products.count) product, \(product.price) on \(product.created.formatted(.iso8601))")
