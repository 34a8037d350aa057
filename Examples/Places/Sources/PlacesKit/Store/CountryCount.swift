import Rowan

/// A country, and how many places serve it.
public struct CountryCount: Decodable, Equatable, Sendable, FetchableRecord {
    public var country: Country
    public var placeCount: Int

    /// The countries with most places first.
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
