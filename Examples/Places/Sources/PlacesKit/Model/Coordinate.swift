import Foundation

/// A point on the Earth, in degrees.
public struct Coordinate: Hashable, Sendable, CustomStringConvertible {
    public var latitude: Double
    public var longitude: Double

    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// The length of a degree of latitude, in kilometers.
    public static let kilometresPerDegree = 111.195

    /// The great-circle distance to another point, in kilometers.
    public func distance(to other: Coordinate) -> Double {
        let radians = Double.pi / 180
        let halfLatitude = sin((other.latitude - latitude) * radians / 2)
        let halfLongitude = sin((other.longitude - longitude) * radians / 2)
        let chord =
            halfLatitude * halfLatitude
            + cos(latitude * radians) * cos(other.latitude * radians) * halfLongitude * halfLongitude
        return 2 * Self.kilometresPerDegree / radians * asin(min(1, chord.squareRoot()))
    }

    public var description: String {
        let north = String(format: "%.2f°%@", abs(latitude), latitude < 0 ? "S" : "N")
        let east = String(format: "%.2f°%@", abs(longitude), longitude < 0 ? "W" : "E")
        return "\(north) \(east)"
    }
}
