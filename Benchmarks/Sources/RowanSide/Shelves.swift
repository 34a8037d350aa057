import Harness
import Rowan

// Shelves, whose key has two columns, and the volumes that refer to it.

struct Shelf: FetchableRecord, TableRecord {
    var room: String
    var number: Int64
    var label: String

    static let volumes = hasMany(Volume.self)

    init(row: Row) {
        room = row["room"]
        number = row["number"]
        label = row["label"]
    }
}

struct Volume: FetchableRecord, TableRecord {
    var id: Int64
    var room: String
    var shelfNumber: Int64
    var title: String

    init(row: Row) {
        id = row["id"]
        room = row["room"]
        shelfNumber = row["shelfNumber"]
        title = row["title"]
    }
}

struct ShelfWithVolumes: FetchableRecord {
    var shelf: Shelf
    var volumes: [Volume]

    init(row: Row) throws {
        shelf = Shelf(row: row)
        volumes = try row.decode(forKey: "volumes")
    }
}

extension Assignment {
    func fetchShelvesWithVolumes() throws -> any Run {
        try fetch { db in
            try Shelf.including(all: Shelf.volumes).asRequest(of: ShelfWithVolumes.self).fetchAll(db)
        }
    }
}

extension ShelfWithVolumes: Digestible {
    func digest(into checksum: inout Checksum) {
        checksum.add(shelf.room)
        checksum.add(shelf.number)
        checksum.add(shelf.label)
        checksum.add(Int64(volumes.count))
        // The order is unspecified.
        for volume in volumes.sorted(by: { $0.id < $1.id }) {
            checksum.add(volume.id)
            checksum.add(volume.room)
            checksum.add(volume.shelfNumber)
            checksum.add(volume.title)
        }
    }
}
