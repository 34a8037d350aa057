import Foundation
import Rowan
import Testing

@testable import PlacesKit

struct ImporterTests {
    private let folder: TemporaryFolder
    private let pool: DatabasePool

    init() throws {
        folder = try TemporaryFolder()
        pool = try PlacesDatabase.open(at: folder.database)
    }

    @discardableResult
    private func runImport(_ zoneinfo: ZoneinfoFolder) throws -> ImportSummary {
        try pool.write { db in try Importer(folder: zoneinfo).run(db) }
    }

    @Test func importsPlacesAndCountries() throws {
        let summary = try runImport(folder.zoneinfo(zones: Sample.zones))
        #expect(summary == ImportSummary(countries: 4, newCountries: 4, places: 3, newPlaces: 3))

        let content = try DatabaseContent(pool)
        #expect(content.places.map(\.title) == ["Paris", "Fiji", "Tongatapu"])
        #expect(content.places.map(\.countryCode) == ["FR", "FJ", "TO"])
        #expect(content.countries.map(\.name) == ["Fiji", "France", "Monaco", "Tonga"])
        #expect(content.placeCountries.map(\.countryCode) == ["FR", "MC", "FJ", "TO"])
    }

    @Test func importingTwiceChangesNothing() throws {
        let zoneinfo = try folder.zoneinfo(zones: Sample.zones)
        try runImport(zoneinfo)
        let before = try DatabaseContent(pool)

        let summary = try runImport(zoneinfo)
        #expect(summary == ImportSummary(countries: 4, newCountries: 0, places: 3, newPlaces: 0))
        #expect(try DatabaseContent(pool) == before)
    }

    @Test func anImportKeepsFavourites() throws {
        let zoneinfo = try folder.zoneinfo(zones: Sample.zones)
        try runImport(zoneinfo)
        try pool.write { db in
            var place = try Place.find(zone: "Pacific/Fiji", db)
            try place.toggleFavorite(db)
        }
        try runImport(zoneinfo)
        #expect(try DatabaseContent(pool).places.map(\.isFavorite) == [false, true, false])
    }

    @Test func anImportTakesWhatHasChanged() throws {
        try runImport(folder.zoneinfo(zones: Sample.zones))
        let before = try DatabaseContent(pool)
        try runImport(
            folder.zoneinfo(
                zones: "MC\t+4800+00200\tEurope/Paris\n",
                countries: Sample.countries.replacingOccurrences(of: "Fiji", with: "Republic of Fiji")))

        let content = try DatabaseContent(pool)
        #expect(content.places.map(\.id) == before.places.map(\.id))
        #expect(content.places[0].coordinate == Coordinate(latitude: 48, longitude: 2))
        #expect(content.places[0].countryCode == "MC")
        #expect(content.placeCountries.map(\.countryCode) == ["MC", "FJ", "TO"])
        #expect(content.countries.first?.name == "Republic of Fiji")
    }

    @Test(arguments: [
        ("FR\t+4852+00220\n", MalformedLine.Reason.columns(found: 2, expected: 3...4)),
        ("fr\t+4852+00220\tEurope/Lyon\n", .countryCode("fr")),
        ("XX\t+4852+00220\tEurope/Lyon\n", .unknownCountry("XX")),
        ("FR,FR\t+4852+00220\tEurope/Lyon\n", .repeatedCountry("FR")),
        ("FR\t+4852\tEurope/Lyon\n", .coordinateForm("+4852")),
        ("FR\t+9900+00220\tEurope/Lyon\n", .coordinateRange("+9900+00220")),
        ("FR\t+4852+00220\tEurope//Lyon\n", .zoneName("Europe//Lyon")),
        ("FR\t+4852+00220\tEurope/Paris\n", .repeatedZone("Europe/Paris")),
    ])
    func aMalformedZoneLeavesTheDatabaseAsItWas(line: String, reason: MalformedLine.Reason) throws {
        try runImport(folder.zoneinfo(zones: "FR\t+4500+00200\tEurope/Paris\n", countries: "FR\tOld name\n"))
        let before = try DatabaseContent(pool)

        let broken = try folder.zoneinfo(zones: Sample.zones + line)
        #expect(throws: MalformedLine(file: broken.zonesPath, line: 5, reason: reason)) { try runImport(broken) }
        #expect(try DatabaseContent(pool) == before)
    }

    @Test(arguments: [
        ("MC\n", MalformedLine.Reason.columns(found: 1, expected: 2...2)),
        ("MCO\tMonaco\n", .countryCode("MCO")),
        ("DE\t\n", .countryName(code: "DE")),
        ("FR\tFrance\n", .repeatedCountry("FR")),
    ])
    func aMalformedCountryLeavesTheDatabaseAsItWas(line: String, reason: MalformedLine.Reason) throws {
        let before = try DatabaseContent(pool)
        let broken = try folder.zoneinfo(zones: Sample.zones, countries: Sample.countries + line)
        #expect(throws: MalformedLine(file: broken.countriesPath, line: 6, reason: reason)) { try runImport(broken) }
        #expect(try DatabaseContent(pool) == before)
    }

    @Test func importsTheTablesOfThePackage() throws {
        let summary = try runImport(.bundled)
        #expect(summary.newPlaces > 300)
        #expect(summary.newCountries > 240)
    }
}

/// The full content of the database.
struct DatabaseContent: Equatable {
    let countries: [Country]
    let places: [Place]
    let placeCountries: [PlaceCountry]

    init(_ reader: some DatabaseReader) throws {
        (countries, places, placeCountries) = try reader.read { db in
            try (
                Country.order { $0.code }.fetchAll(db),
                Place.order { $0.id }.fetchAll(db),
                PlaceCountry.order { [$0.placeId, $0.countryCode] }.fetchAll(db)
            )
        }
    }
}
