import Rowan

/// The principal location of a time zone.
///
/// The struct stores latitude and longitude, so that `Codable` derives one column for each, and shows a coordinate.
public struct Place: Codable, Hashable, Identifiable, Sendable {
    public var id: Int64?
    /// The name in the tz database, such as `Europe/Paris`, which identifies the place.
    public var zone: String
    public var title: String
    public var isFavorite: Bool
    /// The country of the principal location. A zone may overlap others: see `PlaceCountry`.
    public var countryCode: String
    private var latitude: Double
    private var longitude: Double

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

// SQL generation
extension Place: TableRecord {
    public enum Columns {
        public static let id = Column(CodingKeys.id)
        public static let zone = Column(CodingKeys.zone)
        public static let title = Column(CodingKeys.title)
        public static let isFavorite = Column(CodingKeys.isFavorite)
        public static let countryCode = Column(CodingKeys.countryCode)
        public static let latitude = Column(CodingKeys.latitude)
        public static let longitude = Column(CodingKeys.longitude)
    }
}

// Fetching methods
extension Place: FetchableRecord {}

// Persistence methods
extension Place: MutablePersistableRecord {
    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
