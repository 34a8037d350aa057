// A place, and its representation in requests.

import Hummingbird
import RowanRecords

/// A place of the map.
@Record("place") struct Place: Codable, Equatable, Identifiable {
    var id: Int64?
    var name: String
    /// The code of its country, such as `DE`.
    var country: String
    var latitude: Double
    var longitude: Double
    var population: Int
    /// The number of writes, starting at 1, which is the entity tag.
    var version: Int

    var entityTag: String { "\"\(version)\"" }
}

extension Place: ResponseEncodable {}

/// A place as sent by a client.
struct PlaceInput: Decodable, Sendable {
    var name: String
    var country: String
    var latitude: Double
    var longitude: Double
    /// Decoded as a number that may not be an integer, so that the response can name the field.
    var population: Double

    /// - Throws: ``FieldErrors``, for all fields at once.
    func validate() throws {
        var errors: [String: String] = [:]
        if !(1...200).contains(name.count) || name.utf8.count > 800 { errors["name"] = "must have 1 to 200 characters" }
        if country.wholeMatch(of: /[A-Z]{2}/) == nil { errors["country"] = "must have two capital letters: DE" }
        if !(-90...90).contains(latitude) { errors["latitude"] = "must be between -90 and 90" }
        if !(-180...180).contains(longitude) { errors["longitude"] = "must be between -180 and 180" }
        if !((0...1e15).contains(population) && population == population.rounded()) {
            errors["population"] = "must be a whole number, and not negative"
        }
        guard errors.isEmpty else { throw FieldErrors(errors: errors) }
    }

    func place(id: Int64? = nil, version: Int = 1) -> Place {
        Place(
            id: id, name: name, country: country, latitude: latitude, longitude: longitude, population: Int(population),
            version: version)
    }
}

/// An entry in the log of changes, which triggers write.
@Record("change") struct Change: Equatable {
    @PrimaryKey var revision: Int64
    var placeID: Int64

    static let place = belongsTo(Place.self, using: ForeignKey(["placeID"]))
}

/// A change, with the current place.
@Selection struct ChangedPlace: Equatable {
    var change: Change
    /// Nil if the place has been deleted.
    var place: Place?
}
