import PlacesKit
import Rowan
import Testing

struct PlaceQueriesTests {
    private let folder: TemporaryFolder
    private let pool: DatabasePool

    init() throws {
        folder = try TemporaryFolder()
        pool = try PlacesDatabase.open(at: folder.database)
        let zoneinfo = try folder.zoneinfo(zones: Sample.zones)
        _ = try pool.write { db in try Importer(folder: zoneinfo).run(db) }
    }

    @Test func nearListsTheNearestFirst() throws {
        // Fiji is close across the date line; Paris is not.
        let tonga = Coordinate(latitude: -21, longitude: -175)
        let found = try pool.read { db in try Place.near(tonga, within: 1000, limit: 10, db) }
        #expect(found.map(\.place.title) == ["Tongatapu", "Fiji"])
        #expect(found.map(\.distance) == found.map { $0.place.coordinate.distance(to: tonga) })
    }

    @Test func nearKeepsToItsLimits() throws {
        let fiji = Coordinate(latitude: -18, longitude: 178)
        try pool.read { db throws in
            #expect(try Place.near(fiji, within: 1000, limit: 1, db).map(\.place.title) == ["Fiji"])
            #expect(try Place.near(fiji, within: 10, limit: 10, db).isEmpty)
            #expect(try Place.near(fiji, within: 20_016, limit: 10, db).count == 3)
        }
    }

    @Test func findTellsThatAZoneIsUnknown() throws {
        try pool.read { db throws in
            #expect(try Place.find(zone: "Europe/Paris", db).title == "Paris")
            #expect(throws: PlacesError.noSuchZone("Europe/Lutetia")) { try Place.find(zone: "Europe/Lutetia", db) }
        }
    }

    @Test func pagesAreInTheOrderOfTitles() throws {
        try pool.read { db throws in
            #expect(try Place.page(1, size: 2, db).map(\.title) == ["Fiji", "Paris"])
            #expect(try Place.page(2, size: 2, db).map(\.title) == ["Tongatapu"])
            #expect(try Place.page(3, size: 2, db).isEmpty)
        }
    }

    @Test func pagesMayBeOfFavouritesOrOfACountry() throws {
        try pool.write { db throws in
            #expect(try Place.page(1, size: 9, favoritesOnly: true, db).isEmpty)
            var place = try Place.find(zone: "Europe/Paris", db)
            try place.toggleFavorite(db)
            #expect(try Place.page(1, size: 9, favoritesOnly: true, db) == [place])
            #expect(try Place.page(1, size: 9, countryCode: "FJ", db).map(\.title) == ["Fiji"])
            #expect(try Place.page(1, size: 9, favoritesOnly: true, countryCode: "FJ", db).isEmpty)
        }
    }

    @Test func togglingTwiceRestoresThePlace() throws {
        try pool.write { db throws in
            let before = try Place.find(zone: "Europe/Paris", db)
            var place = before
            try place.toggleFavorite(db)
            #expect(place.isFavorite)
            #expect(try Place.find(zone: "Europe/Paris", db) == place)
            try place.toggleFavorite(db)
            #expect(try Place.find(zone: "Europe/Paris", db) == before)
        }
    }

    @Test func aRegionBecomesFavouriteOnce() throws {
        try pool.write { db throws in
            #expect(try Place.favorite(region: "Pacific", db) == 2)
            #expect(try Place.favorite(region: "Pacific", db) == 0)
            #expect(try Place.favorite(region: "Pac", db) == 0)
        }
    }

    @Test func deletedPlacesLeaveNoCount() throws {
        try pool.write { db throws in
            #expect(try Place.delete(countryCode: "FR", db) == 1)
            #expect(try CountryCount.fetchAll(db, limit: 9).map(\.country.code) == ["FJ", "TO"])
        }
    }

    @Test func countriesOfAZoneAreAllCounted() throws {
        let counts = try pool.read { db in try CountryCount.fetchAll(db, limit: 3) }
        #expect(counts.map(\.country.code) == ["FJ", "FR", "MC"])
        #expect(counts.map(\.placeCount) == [1, 1, 1])
    }

    @Test func anInsertThatConflictsIsIgnoredAndNoticed() throws {
        try pool.write { db throws in
            let point = Coordinate(latitude: 45.76, longitude: 4.84)
            let taken = Place(zone: "Europe/Paris", title: "Lutetia", countryCode: "FR", coordinate: point)
            #expect(try !taken.insertIfNew(db))
            #expect(try Place.find(zone: "Europe/Paris", db).title == "Paris")

            let new = Place(zone: "Europe/Lyon", title: "Lyon", countryCode: "FR", coordinate: point)
            #expect(try new.insertIfNew(db))
            #expect(try Place.find(zone: "Europe/Lyon", db).coordinate == point)
        }
    }
}
