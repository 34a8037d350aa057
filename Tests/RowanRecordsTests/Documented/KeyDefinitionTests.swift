// Keys that are texts or UUIDs, that have several columns, or whose column has another name than the property.

import Foundation
import Rowan
import RowanRecords
import Testing

private enum Documented {
    struct Country: Codable, Identifiable, FetchableRecord, PersistableRecord {
        var isoCode: String
        var name: String
        var population: Int?

        var id: String { isoCode }

        enum Columns {
            static let isoCode = Column(CodingKeys.isoCode)
            static let name = Column(CodingKeys.name)
            static let population = Column(CodingKeys.population)
        }
    }

    struct Citizenship: Codable, FetchableRecord, PersistableRecord {
        var citizenId: Int64
        var countryCode: String
        var note: String?

        enum Columns {
            static let citizenId = Column(CodingKeys.citizenId)
            static let countryCode = Column(CodingKeys.countryCode)
        }
    }

    struct Session: Codable, Identifiable, FetchableRecord, PersistableRecord {
        var id: UUID
        var title: String

        enum Columns {
            static let id = Column(CodingKeys.id)
            static let title = Column(CodingKeys.title)
        }
    }

    /// A UUID stored as text, by the type's strategy.
    struct TextSession: Codable, Identifiable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "session"
        static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
            .uppercaseString
        }
        var id: UUID
        var title: String
    }

    /// Columns named by coding keys.
    struct Team: Codable, FetchableRecord, MutablePersistableRecord {
        var id: Int64?
        var name: String
        var foundedIn: Int?

        enum CodingKeys: String, CodingKey {
            case id = "team_id"
            case name
            case foundedIn = "founded"
        }

        enum Columns {
            static let id = Column(CodingKeys.id)
            static let foundedIn = Column(CodingKeys.foundedIn)
        }

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    /// Columns in snake case, by the type's strategies.
    struct Member: Codable, FetchableRecord, MutablePersistableRecord {
        static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
        static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase
        var id: Int64?
        var firstName: String
        var lastName: String

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }
}

private enum ByMacro {
    @Record struct Country: Identifiable {
        @PrimaryKey var isoCode: String
        var name: String
        var population: Int?

        var id: String { isoCode }
    }

    @Record struct Citizenship {
        @PrimaryKey var citizenId: Int64
        @PrimaryKey var countryCode: String
        var note: String?
    }

    @Record struct Session {
        var id: UUID
        var title: String
    }

    @Record("session") struct TextSession {
        @Column(as: .uuidText) var id: UUID
        var title: String
    }

    @Record struct Team {
        @Column("team_id") var id: Int64?
        var name: String
        @Column("founded") var foundedIn: Int?
    }

    @Record struct Member {
        var id: Int64?
        @Column("first_name") var firstName: String
        @Column("last_name") var lastName: String
    }
}

@Suite("Documented keys and column names")
struct KeyDefinitionTests {
    private func use<Value>(
        _ key: [String], _ column: String, _ value: any DatabaseValueConvertible, _ make: (Int) -> Value,
        change: @escaping (inout Value, Int) -> Void
    ) -> Use<Value> {
        Use(
            samples: (1...3).map(make), spares: (4...6).map(make), key: key, column: column,
            value: value.databaseValue, change: change)
    }

    @Test("The code of a country")
    func countries() throws {
        let codes = ["", "FR", "DE", "IT", "ES", "US", "C'"]
        let documented = use(["isoCode"], "name", "Country 2") { number in
            Documented.Country(
                isoCode: codes[number], name: "Country \(number)", population: number == 1 ? nil : number)
        } change: {
            $0.population = $1
        }
        let byMacro = use(["isoCode"], "name", "Country 2") { number in
            ByMacro.Country(isoCode: codes[number], name: "Country \(number)", population: number == 1 ? nil : number)
        } change: {
            $0.population = $1
        }
        try expectSame(
            "CREATE TABLE country (isoCode TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, population INTEGER)",
            documented: documented.requesting(
                Documented.Country.filter { $0.population == nil }, Documented.Country.filter(id: "FR"),
                Documented.Country.filter { $0.isoCode > "E" }, Documented.Country.filter(ids: ["DE", "IT"])),
            byMacro: byMacro.requesting(
                ByMacro.Country.filter { $0.population == nil }, ByMacro.Country.filter(id: "FR"),
                ByMacro.Country.filter { $0.isoCode > "E" }, ByMacro.Country.filter(ids: ["DE", "IT"])),
            .columnsAreListed(ByMacro.Country.self))
    }

    @Test("A key of two columns, with and without a rowid", arguments: ["", "WITHOUT ROWID"])
    func citizenships(_ options: String) throws {
        let key = ["citizenId", "countryCode"]
        let documented = use(key, "note", "note 2") { number in
            Documented.Citizenship(citizenId: Int64(number / 2), countryCode: "C\(number)", note: "note \(number)")
        } change: {
            $0.note = $1 == 3 ? nil : "note \($1)"
        }
        let byMacro = use(key, "note", "note 2") { number in
            ByMacro.Citizenship(citizenId: Int64(number / 2), countryCode: "C\(number)", note: "note \(number)")
        } change: {
            $0.note = $1 == 3 ? nil : "note \($1)"
        }
        try expectSame(
            """
            CREATE TABLE citizenship (
                citizenId INTEGER NOT NULL, countryCode TEXT NOT NULL, note TEXT, PRIMARY KEY (citizenId, countryCode)
            ) \(options)
            """,
            documented: documented.requesting(
                Documented.Citizenship.filter { $0.citizenId == 1 && $0.countryCode != "C3" },
                Documented.Citizenship.filter(key: ["citizenId": 1, "countryCode": "C3"])),
            byMacro: byMacro.requesting(
                ByMacro.Citizenship.filter { $0.citizenId == 1 && $0.countryCode != "C3" },
                ByMacro.Citizenship.filter(key: ["citizenId": 1, "countryCode": "C3"])),
            .columnsAreListed(ByMacro.Citizenship.self))
    }

    private static let ids = (0...6).map { UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, $0)) }

    @Test("UUIDs as blobs and as texts")
    func uuids() throws {
        let ids = Self.ids
        let schema = "CREATE TABLE session (id NOT NULL PRIMARY KEY, title TEXT NOT NULL)"
        try expectSame(
            schema,
            documented: use(["id"], "title", "2") {
                Documented.Session(id: ids[$0], title: "\($0)")
            } change: {
                $0.title += "\($1)"
            }.requesting(
                Documented.Session.filter(id: ids[1]), Documented.Session.filter(ids: ids),
                Documented.Session.filter { $0.id == ids[2] }, Documented.Session.filter { ids.contains($0.id) }),
            byMacro: use(["id"], "title", "2") {
                ByMacro.Session(id: ids[$0], title: "\($0)")
            } change: {
                $0.title += "\($1)"
            }.requesting(
                ByMacro.Session.filter(id: ids[1]), ByMacro.Session.filter(ids: ids),
                ByMacro.Session.filter { $0.id == ids[2] }, ByMacro.Session.filter { ids.contains($0.id) }),
            .columnsAreListed(ByMacro.Session.self))
        try expectSame(
            schema,
            documented: use(["id"], "title", "2") {
                Documented.TextSession(id: ids[$0], title: "\($0)")
            } change: {
                $0.title += "\($1)"
            }.requesting(
                Documented.TextSession.filter(id: ids[1]), Documented.TextSession.filter(ids: ids),
                Documented.TextSession.filter(Column("id") == ids[2])),
            byMacro: use(["id"], "title", "2") {
                ByMacro.TextSession(id: ids[$0], title: "\($0)")
            } change: {
                $0.title += "\($1)"
            }.requesting(
                ByMacro.TextSession.filter(id: ids[1]), ByMacro.TextSession.filter(ids: ids),
                ByMacro.TextSession.filter { $0.id == ids[2] }),
            .columnsAreListed(ByMacro.TextSession.self))
    }

    @Test("Columns named by coding keys")
    func codingKeys() throws {
        try expectSame(
            "CREATE TABLE team (team_id INTEGER PRIMARY KEY, name TEXT NOT NULL, founded INTEGER)",
            documented: use(["team_id"], "founded", 1902) {
                Documented.Team(id: nil, name: "\($0)", foundedIn: 1900 + $0)
            } change: {
                $0.foundedIn = $1 == 4 ? nil : $1
            }.requesting(
                Documented.Team.filter { $0.foundedIn == nil }, Documented.Team.order { [$0.foundedIn, $0.id.desc] }),
            byMacro: use(["team_id"], "founded", 1902) {
                ByMacro.Team(id: nil, name: "\($0)", foundedIn: 1900 + $0)
            } change: {
                $0.foundedIn = $1 == 4 ? nil : $1
            }.requesting(
                ByMacro.Team.filter { $0.foundedIn == nil }, ByMacro.Team.order { [$0.foundedIn, $0.id.desc] }),
            .columnsAreListed(ByMacro.Team.self))
    }

    @Test("Columns in snake case")
    func snakeCase() throws {
        try expectSame(
            "CREATE TABLE member (id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL)",
            documented: use(["id"], "first_name", "a2") {
                Documented.Member(id: nil, firstName: "a\($0)", lastName: "b\($0)")
            } change: {
                $0.lastName += "\($1)"
            },
            byMacro: use(["id"], "first_name", "a2") {
                ByMacro.Member(id: nil, firstName: "a\($0)", lastName: "b\($0)")
            } change: {
                $0.lastName += "\($1)"
            }, .columnsAreListed(ByMacro.Member.self))
    }

    @Test("A difference: with an optional id, the macro conforms the type to Identifiable, but the guide doesn't")
    func identifiable() {
        func isIdentifiable<T>(_ type: T.Type) -> Bool { type is any Identifiable.Type }
        #expect(!isIdentifiable(Documented.Team.self))
        #expect(isIdentifiable(ByMacro.Team.self))
    }
}
