import Foundation
import Harness
import Rowan

/// A place that tracks its changes.
private final class PlaceObject: Record {
    var id: Int64?
    var title: String
    var isFavorite: Bool
    var latitude: Double
    var longitude: Double
    var note: String?
    var created: Date

    init(_ sample: PlaceSample) {
        title = sample.title
        isFavorite = sample.isFavorite
        latitude = sample.latitude
        longitude = sample.longitude
        note = sample.note
        created = Date(timeIntervalSince1970: sample.secondsSince1970)
        super.init()
    }

    required init(row: Row) throws {
        id = row["id"]
        title = row["title"]
        isFavorite = row["isFavorite"]
        latitude = row["latitude"]
        longitude = row["longitude"]
        note = row["note"]
        created = row["created"]
        try super.init(row: row)
    }

    override class var databaseTableName: String { "place" }

    override func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["title"] = title
        container["isFavorite"] = isFavorite
        container["latitude"] = latitude
        container["longitude"] = longitude
        container["note"] = note
        container["created"] = created
    }

    override func didInsert(_ inserted: InsertionSuccess) {
        super.didInsert(inserted)
        id = inserted.rowID
    }
}

extension Assignment {
    /// Saves new objects, then updates the only changed column of each.
    func saveObjects() throws -> any Run {
        let places = samples.places.prefix(count).map { PlaceObject($0) }
        let queue = try makeQueue(path: path)
        return ClosureRun {
            try queue.write { db in
                var changes: Int64 = 0
                for place in places {
                    try place.save(db)
                    place.latitude += 1
                    if place.hasDatabaseChanges { changes += 1 }
                    try place.updateChanges(db)
                    if place.hasDatabaseChanges { changes += 1 }
                }
                return changes
            }
        } digest: { changes, checksum in
            checksum.add(changes)
        } close: {
            try queue.close()
        }
    }
}
