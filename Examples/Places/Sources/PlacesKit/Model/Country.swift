import Rowan

/// A country, territory or area with an ISO 3166 code.
public struct Country: Codable, Hashable, Identifiable, Sendable {
    public var code: String
    public var name: String

    public var id: String { code }

    public init(code: String, name: String) {
        self.code = code
        self.name = name
    }
}

extension Country: FetchableRecord, PersistableRecord {
    public enum Columns {
        public static let code = Column(CodingKeys.code)
        public static let name = Column(CodingKeys.name)
    }

    public static let placeCountries = hasMany(PlaceCountry.self)
    /// The places whose zone overlaps the country.
    public static let places = hasMany(Place.self, through: placeCountries, using: PlaceCountry.place)
}
