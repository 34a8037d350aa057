import Rowan

/// Imports the tables of the tz database into the places database.
public struct Importer: Sendable {
    public let folder: ZoneinfoFolder

    public init(folder: ZoneinfoFolder) {
        self.folder = folder
    }

    /// Imports all countries and places, and throws at the first malformed line.
    ///
    /// Call this in a transaction: lines are written as they are read, and only a rollback restores the database after
    /// an error. Importing twice changes nothing, and the user's favorites are never overwritten.
    public func run(_ db: Database) throws -> ImportSummary {
        let countriesBefore = try Country.fetchCount(db)
        let placesBefore = try Place.fetchCount(db)
        let codes = try importCountries(db)
        let zones = try importPlaces(db, knownCodes: codes)
        return try ImportSummary(
            countries: codes.count, newCountries: Country.fetchCount(db) - countriesBefore,
            places: zones.count, newPlaces: Place.fetchCount(db) - placesBefore)
    }

    private func importCountries(_ db: Database) throws -> Set<String> {
        var codes: Set<String> = []
        try TabFile(path: folder.countriesPath).forEachLine { columns in
            let country = try CountryLine(columns: columns).country
            guard codes.insert(country.code).inserted else { throw MalformedLine.Reason.repeatedCountry(country.code) }
            try country.upsert(db)
        }
        return codes
    }

    private func importPlaces(_ db: Database, knownCodes: Set<String>) throws -> Set<String> {
        var zones: Set<String> = []
        try TabFile(path: folder.zonesPath).forEachLine { columns in
            let line = try ZoneLine(columns: columns)
            guard zones.insert(line.zone).inserted else { throw MalformedLine.Reason.repeatedZone(line.zone) }
            if let unknown = line.countryCodes.first(where: { !knownCodes.contains($0) }) {
                throw MalformedLine.Reason.unknownCountry(unknown)
            }
            try importPlace(db, line)
        }
        return zones
    }

    private func importPlace(_ db: Database, _ line: ZoneLine) throws {
        var place = line.place
        // The zone identifies the place: a new spelling or coordinate replaces the old one, and the favorite is kept.
        let stored = try place.upsertAndFetch(
            db, onConflict: ["zone"],
            doUpdate: { _ in [Place.Columns.isFavorite.noOverwrite] })
        guard let id = stored.id else { return }
        try importCountryCodes(db, line.countryCodes, ofPlace: id)
    }

    /// Writes only if the countries have changed.
    private func importCountryCodes(_ db: Database, _ codes: [String], ofPlace id: Int64) throws {
        let known = try PlaceCountry.filter { $0.placeId == id }.fetchAll(db).map(\.countryCode)
        guard Set(known) != Set(codes) else { return }
        try PlaceCountry.filter { $0.placeId == id }.deleteAll(db)
        for code in codes {
            try PlaceCountry(placeId: id, countryCode: code).insert(db)
        }
    }
}

/// The results of an import.
public struct ImportSummary: Equatable, Sendable, CustomStringConvertible {
    /// The number of countries and places in the files, and how many of them are new.
    public var countries: Int
    public var newCountries: Int
    public var places: Int
    public var newPlaces: Int

    public var description: String {
        "\(countries) countries (\(newCountries) new) and \(places) places (\(newPlaces) new)"
    }
}
