import Harness
import Rowan

/// A record with 18 columns.
struct Item {
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

extension Item: FetchableRecord, PersistableRecord {
    init(row: Row) {
        id = row["id"]
        name = row["name"]
        brand = row["brand"]
        category = row["category"]
        color = row["color"]
        size = row["size"]
        material = row["material"]
        supplier = row["supplier"]
        notes = row["notes"]
        stock = row["stock"]
        sold = row["sold"]
        year = row["year"]
        isActive = row["isActive"]
        price = row["price"]
        weight = row["weight"]
        length = row["length"]
        width = row["width"]
        height = row["height"]
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
        container["brand"] = brand
        container["category"] = category
        container["color"] = color
        container["size"] = size
        container["material"] = material
        container["supplier"] = supplier
        container["notes"] = notes
        container["stock"] = stock
        container["sold"] = sold
        container["year"] = year
        container["isActive"] = isActive
        container["price"] = price
        container["weight"] = weight
        container["length"] = length
        container["width"] = width
        container["height"] = height
    }
}

extension Assignment {
    /// Changes one column of each item.
    func updateChangesOfItems() throws -> any Run {
        let queue = try makeQueue(path: path)
        var items = try queue.read { try Item.fetchAll($0) }
        return ClosureRun {
            try queue.write { db in
                for index in items.indices {
                    try items[index].updateChanges(db) { $0.stock += 1 }
                }
            }
        } digest: { _, _ in
        } close: {
            try queue.close()
        }
    }
}
