import Foundation
import Harness
import Rowan

// Orders: integers, and texts, many of which are NULL. The freight is a decimal in a REAL column, and a double in C.

struct Order {
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

extension Order: FetchableRecord, TableRecord {
    static let databaseTableName = "orders"

    init(row: Row) {
        id = row["id"]
        customerId = row["customerId"]
        reference = row["reference"]
        name = row["name"]
        street = row["street"]
        city = row["city"]
        region = row["region"]
        postalCode = row["postalCode"]
        country = row["country"]
        phone = row["phone"]
        comment = row["comment"]
        employeeId = row["employeeId"]
        shipperId = row["shipperId"]
        freight = row["freight"]
    }
}

/// The same record, decoded by the Decodable conformance that the compiler generates.
struct CodableOrder: Decodable {
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

extension CodableOrder: FetchableRecord, TableRecord {
    static let databaseTableName = "orders"
}

// MARK: - Checksums

protocol OrderValues: Digestible {
    var id: Int64 { get }
    var customerId: Int64 { get }
    var texts: [String?] { get }
    var employeeId: Int64? { get }
    var shipperId: Int64? { get }
    var freight: Decimal { get }
}

extension Order: OrderValues {
    var texts: [String?] { [reference, name, street, city, region, postalCode, country, phone, comment] }
}

extension CodableOrder: OrderValues {
    var texts: [String?] { [reference, name, street, city, region, postalCode, country, phone, comment] }
}

extension OrderValues {
    func digest(into checksum: inout Checksum) {
        checksum.add(id)
        checksum.add(customerId)
        for text in texts { checksum.add(text) }
        checksum.add(employeeId ?? -1)
        checksum.add(shipperId ?? -1)
        // The libraries may read different decimals for the same double.
        checksum.add(Int64((NSDecimalNumber(decimal: freight).doubleValue * 1000).rounded()))
    }
}
