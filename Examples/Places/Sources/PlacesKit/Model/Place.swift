import Rowan
import RowanRecords

/// The principal location of a time zone.
///
/// The struct stores latitude and longitude in a column each, and provides a coordinate.
@Record("place") public struct Place: Codable, Hashable, Identifiable, Sendable {
    public var id: Int64?
    /// The name in the tz database, such as `Europe/Paris`, which identifies the place.
    public var zone: String
    public var title: String
    public var isFavorite: Bool
    /// The country of the principal location. A zone may overlap others: see `PlaceCountry`.
    public var countryCode: String
    var latitude: Double
    var longitude: Double

    public var coordinate: Coordinate {
        get { Coordinate(latitude: latitude, longitude: longitude) }
        set {
            latitude = newValue.latitude
            longitude = newValue.longitude
        }
    }

    public init(
        id: Int64? = nil, zone: String, title: String, isFavorite: Bool = false, countryCode: String,
        coordinate: Coordinate
    ) {
        self.id = id
        self.zone = zone
        self.title = title
        self.isFavorite = isFavorite
        self.countryCode = countryCode
        self.latitude = coordinate.latitude
        self.longitude = coordinate.longitude
    }
}
