import Rowan

extension Place {
    /// The places within some kilometers of a point, ordered by distance.
    ///
    /// SQL selects a band of latitudes, which is also correct at the poles and across the date line; the distance on
    /// the sphere is calculated in Swift.
    public static func near(
        _ point: Coordinate, within kilometres: Double, limit: Int, _ db: Database
    ) throws -> [(place: Place, distance: Double)] {
        let reach = kilometres / Coordinate.kilometresPerDegree
        let band = (point.latitude - reach)...(point.latitude + reach)
        let measured = try Place.filter { band.contains($0.latitude) }
            .fetchAll(db)
            .map { (place: $0, distance: $0.coordinate.distance(to: point)) }
        return Array(measured.filter { $0.distance <= kilometres }.sorted { $0.distance < $1.distance }.prefix(limit))
    }

    /// The place of a zone.
    public static func find(zone: String, _ db: Database) throws -> Place {
        guard let place = try Place.filter({ $0.zone == zone }).fetchOne(db) else {
            throw PlacesError.noSuchZone(zone)
        }
        return place
    }

    /// A page of the places, ordered by title. Pages are numbered from one.
    public static func page(
        _ number: Int, size: Int, favoritesOnly: Bool = false, countryCode: String? = nil, _ db: Database
    ) throws -> [Place] {
        var request = Place.order { [$0.title, $0.zone] }.limit(size, offset: (number - 1) * size)
        if favoritesOnly {
            request = request.filter { $0.isFavorite == true }
        }
        if let countryCode {
            request = request.filter { $0.countryCode == countryCode }
        }
        return try request.fetchAll(db)
    }

    /// Toggles whether the place is a favorite. Only the changed column is written.
    public mutating func toggleFavorite(_ db: Database) throws {
        try updateChanges(db) { $0.isFavorite.toggle() }
    }

    /// Toggles the favorite of a place, and records the time for the processes that follow it.
    public static func toggleFavorite(zone: String, _ db: Database) throws -> Place {
        var place = try Place.find(zone: zone, db)
        try place.toggleFavorite(db)
        try Edit.record(of: place, db)
        return place
    }

    /// Makes all places whose zone starts with a region, such as `Atlantic`, favorites, and returns their number.
    public static func favorite(region: String, _ db: Database) throws -> Int {
        try Place.filter { $0.zone.like(region + "/%") && $0.isFavorite == false }
            .updateAll(db) { $0.isFavorite.set(to: true) }
    }

    /// Deletes the places of a country, and returns their number.
    public static func delete(countryCode: String, _ db: Database) throws -> Int {
        try Place.filter { $0.countryCode == countryCode }.deleteAll(db)
    }

    /// Inserts the place unless its zone exists, and returns whether it was inserted.
    public func insertIfNew(_ db: Database) throws -> Bool {
        do {
            _ = try insertAndFetch(db, onConflict: .ignore)
            return true
        } catch RecordError.recordNotFound {
            // INSERT OR IGNORE returned no row, because a conflict was ignored.
            return false
        }
    }
}
