import Foundation
import Harness
import Rowan

/// A record with explicit columns.
struct Place {
    var id: Int64?
    var title: String
    var isFavorite: Bool
    var latitude: Double
    var longitude: Double
    var note: String?
    var created: Date
}

extension Place: TableRecord {
    enum Columns {
        static let id = Column("id")
        static let title = Column("title")
        static let isFavorite = Column("isFavorite")
        static let latitude = Column("latitude")
        static let longitude = Column("longitude")
        static let note = Column("note")
        static let created = Column("created")
    }
}

extension Place: FetchableRecord {
    init(row: Row) {
        id = row[Columns.id]
        title = row[Columns.title]
        isFavorite = row[Columns.isFavorite]
        latitude = row[Columns.latitude]
        longitude = row[Columns.longitude]
        note = row[Columns.note]
        created = row[Columns.created]
    }
}

extension Place: MutablePersistableRecord {
    func encode(to container: inout PersistenceContainer) {
        container[Columns.id] = id
        container[Columns.title] = title
        container[Columns.isFavorite] = isFavorite
        container[Columns.latitude] = latitude
        container[Columns.longitude] = longitude
        container[Columns.note] = note
        container[Columns.created] = created
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

/// The same record, decoded and encoded by the Codable conformance that the compiler generates.
struct CodablePlace: Codable {
    var id: Int64?
    var title: String
    var isFavorite: Bool
    var latitude: Double
    var longitude: Double
    var note: String?
    var created: Date
}

extension CodablePlace: FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "place"

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

// MARK: - Samples and checksums

extension Place: Digestible {
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

extension CodablePlace: Digestible {
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
