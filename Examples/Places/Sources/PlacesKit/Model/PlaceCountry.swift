import Rowan

/// A country that a place's zone overlaps, including its own.
///
/// `Asia/Dubai` serves AE, OM, RE, SC and TF: a count by `place.countryCode` would find no places for four of them.
public struct PlaceCountry: Codable, Hashable, Sendable {
    public var placeId: Int64
    public var countryCode: String

    public init(placeId: Int64, countryCode: String) {
        self.placeId = placeId
        self.countryCode = countryCode
    }
}

extension PlaceCountry: FetchableRecord, PersistableRecord {
    public enum Columns {
        public static let placeId = Column(CodingKeys.placeId)
        public static let countryCode = Column(CodingKeys.countryCode)
    }

    public static let place = belongsTo(Place.self)
}
