import Rowan

/// A country, and the number of places that serve it.
public struct CountryCount: Decodable, Equatable, Sendable, FetchableRecord {
    public var country: Country
    public var placeCount: Int

    /// The countries, ordered by the number of places, descending.
    public static func fetchAll(_ db: Database, limit: Int) throws -> [CountryCount] {
        try Country
            .annotated(with: Country.places.count)
            .having(Country.places.isEmpty == false)
            .order { [Column("placeCount").detached.desc, $0.name] }
            .limit(limit)
            .asRequest(of: CountryCount.self)
            .fetchAll(db)
    }
}
