// Places in the guide's three ways: Codable, by hand, and by index.

import Foundation
import Rowan
import RowanRecords
import Testing

struct Coordinate { var latitude: Double, longitude: Double }

private enum Documented {
    struct CodablePlace: Codable, FetchableRecord, MutablePersistableRecord {
        static let databaseTableName = "place"
        var id: Int64?
        var title: String
        var isFavorite: Bool
        private var latitude: Double
        private var longitude: Double

        enum Columns {
            static let id = Column(CodingKeys.id)
            static let title = Column(CodingKeys.title)
            static let isFavorite = Column(CodingKeys.isFavorite)
            static let latitude = Column(CodingKeys.latitude)
            static let longitude = Column(CodingKeys.longitude)
        }

        init(title: String, isFavorite: Bool, coordinate: Coordinate) {
            (self.title, self.isFavorite) = (title, isFavorite)
            (latitude, longitude) = (coordinate.latitude, coordinate.longitude)
        }

        var coordinate: Coordinate {
            get { Coordinate(latitude: latitude, longitude: longitude) }
            set { (latitude, longitude) = (newValue.latitude, newValue.longitude) }
        }

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    struct PlainPlace: FetchableRecord, MutablePersistableRecord {
        static let databaseTableName = "place"
        var id: Int64?
        var title: String
        var isFavorite: Bool
        var coordinate: Coordinate

        enum Columns {
            static let id = Column("id")
            static let title = Column("title")
            static let isFavorite = Column("isFavorite")
            static let latitude = Column("latitude")
            static let longitude = Column("longitude")
        }

        init(title: String, isFavorite: Bool, coordinate: Coordinate) {
            (self.title, self.isFavorite, self.coordinate) = (title, isFavorite, coordinate)
        }

        init(row: Row) {
            id = row[Columns.id]
            title = row[Columns.title]
            isFavorite = row[Columns.isFavorite]
            coordinate = Coordinate(latitude: row[Columns.latitude], longitude: row[Columns.longitude])
        }

        func encode(to container: inout PersistenceContainer) {
            container[Columns.id] = id
            container[Columns.title] = title
            container[Columns.isFavorite] = isFavorite
            container[Columns.latitude] = coordinate.latitude
            container[Columns.longitude] = coordinate.longitude
        }

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    struct FastPlace: Encodable, FetchableRecord, MutablePersistableRecord {
        static let databaseTableName = "place"
        static var databaseSelection: [any SQLSelectable] {
            [Columns.id, Columns.title, Columns.isFavorite, Columns.latitude, Columns.longitude]
        }
        var id: Int64?
        var title: String
        var isFavorite: Bool
        private var latitude: Double
        private var longitude: Double

        enum Columns {
            static let id = Column(CodingKeys.id)
            static let title = Column(CodingKeys.title)
            static let isFavorite = Column(CodingKeys.isFavorite)
            static let latitude = Column(CodingKeys.latitude)
            static let longitude = Column(CodingKeys.longitude)
        }

        init(title: String, isFavorite: Bool, coordinate: Coordinate) {
            (self.title, self.isFavorite) = (title, isFavorite)
            (latitude, longitude) = (coordinate.latitude, coordinate.longitude)
        }

        init(row: Row) {
            id = row[0]
            title = row[1]
            isFavorite = row[2]
            latitude = row[3]
            longitude = row[4]
        }

        var coordinate: Coordinate {
            get { Coordinate(latitude: latitude, longitude: longitude) }
            set { (latitude, longitude) = (newValue.latitude, newValue.longitude) }
        }

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }
}

private enum ByMacro {
    @Record struct Place {
        var id: Int64?
        var title: String
        var isFavorite: Bool
        private var latitude: Double
        private var longitude: Double

        init(title: String, isFavorite: Bool, coordinate: Coordinate) {
            (self.title, self.isFavorite) = (title, isFavorite)
            (latitude, longitude) = (coordinate.latitude, coordinate.longitude)
        }

        var coordinate: Coordinate {
            get { Coordinate(latitude: latitude, longitude: longitude) }
            set { (latitude, longitude) = (newValue.latitude, newValue.longitude) }
        }
    }
}

/// The members common to all four definitions.
private protocol PlaceDefinition: FetchableRecord, MutablePersistableRecord {
    init(title: String, isFavorite: Bool, coordinate: Coordinate)
    var id: Int64? { get }
    var title: String { get set }
    var isFavorite: Bool { get set }
    var coordinate: Coordinate { get set }
}

extension Documented.CodablePlace: PlaceDefinition {}
extension Documented.PlainPlace: PlaceDefinition {}
extension Documented.FastPlace: PlaceDefinition {}
extension ByMacro.Place: PlaceDefinition {}

@Suite("Documented places")
struct PlaceDefinitionTests {
    private static let schema = """
        CREATE TABLE place (
            id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, isFavorite BOOLEAN NOT NULL DEFAULT 0,
            longitude DOUBLE NOT NULL, latitude DOUBLE NOT NULL)
        """

    private func use<Place: PlaceDefinition>(_ requests: [QueryInterfaceRequest<Place>]) -> Use<Place> {
        let names = ["Paris", "Ulm", "O'Hare", "", "Zürich", "Bonn"]
        let places = names.enumerated().map { number, title in
            Place(
                title: title, isFavorite: number % 2 == 0,
                coordinate: Coordinate(latitude: 48.8534100 - Double(number), longitude: 2.3488))
        }
        return Use(
            samples: Array(places[..<3]), spares: Array(places[3...]), column: "title",
            value: "Paris".databaseValue,
            change: { place, number in
                if number % 2 == 0 { place.title += " \(number)" } else { place.coordinate.latitude += Double(number) }
                if number == 4 { place.isFavorite.toggle() }
            }, requests: requests, text: { ($0.id, $0.title, $0.isFavorite, $0.coordinate) })
    }

    private var byMacro: Use<ByMacro.Place> {
        use([
            ByMacro.Place.filter { $0.title == "Ulm" }, ByMacro.Place.filter { $0.isFavorite },
            ByMacro.Place.filter { $0.latitude > 0.5 && $0.longitude < 180.5 }.order { [$0.title.desc, $0.id] },
        ])
    }

    @Test("A Codable struct with private columns")
    func codable() throws {
        let documented: Use<Documented.CodablePlace> = use([
            Documented.CodablePlace.filter { $0.title == "Ulm" }, Documented.CodablePlace.filter { $0.isFavorite },
            Documented.CodablePlace.filter { $0.latitude > 0.5 && $0.longitude < 180.5 }.order {
                [$0.title.desc, $0.id]
            },
        ])
        try expectSame(
            Self.schema, documented: documented, byMacro: byMacro, .columnsAreListed(ByMacro.Place.self))
    }

    @Test("A plain struct with handwritten conformances")
    func plain() throws {
        let documented: Use<Documented.PlainPlace> = use([
            Documented.PlainPlace.filter { $0.title == "Ulm" }, Documented.PlainPlace.filter { $0.isFavorite },
            Documented.PlainPlace.filter { $0.latitude > 0.5 && $0.longitude < 180.5 }.order {
                [$0.title.desc, $0.id]
            },
        ])
        try expectSame(
            Self.schema, documented: documented, byMacro: byMacro, .columnsAreListed(ByMacro.Place.self))
    }

    @Test("A struct that reads by index, with the same selection as the macro")
    func fast() throws {
        var (documented, byMacro) = (readByIndex, byMacro)
        documented.readsTable = false
        byMacro.readsTable = false
        try expectSame(Self.schema, documented: documented, byMacro: byMacro)
    }

    private var readByIndex: Use<Documented.FastPlace> {
        use([
            Documented.FastPlace.filter { $0.title == "Ulm" }, Documented.FastPlace.filter { $0.isFavorite },
            Documented.FastPlace.filter { $0.latitude > 0.5 && $0.longitude < 180.5 }.order { [$0.title.desc, $0.id] },
        ])
    }

    @Test("A difference: for SQL that selects *, columns are found by name, not by index")
    func columnsOfSQL() throws {
        try inDatabase(Self.schema + "; INSERT INTO place VALUES (1, 'Ulm', 1, 9.99, 48.4)") { db in
            let sql = "SELECT * FROM place"
            let documented = try Documented.FastPlace.fetchOne(db, sql: sql)
            let byMacro = try ByMacro.Place.fetchOne(db, sql: sql)
            #expect(documented?.coordinate.latitude == 9.99)
            #expect(byMacro?.coordinate.latitude == 48.4)
        }
    }

    @Test("A difference: literals have the column's type")
    func literals() throws {
        func arguments<Place: PlaceDefinition>(_ request: QueryInterfaceRequest<Place>) throws -> StatementArguments {
            try DatabaseQueue().write { db in
                try db.execute(sql: Self.schema)
                return try request.makePreparedRequest(db, forSingleResult: false).statement.arguments
            }
        }
        let documented = try arguments(Documented.CodablePlace.filter { $0.latitude > 0 })
        let byMacro = try arguments(ByMacro.Place.filter { $0.latitude > 0 })
        #expect(documented == [0])
        #expect(byMacro == [0.0])
    }

    @Test("The table name derives from the type")
    func tableName() {
        #expect(ByMacro.Place.databaseTableName == "place")
    }
}
