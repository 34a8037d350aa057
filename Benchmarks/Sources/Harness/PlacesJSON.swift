public import Foundation

/// Places as a JSON array of objects.
public enum PlacesJSON {
    /// An array made with SQLite's own functions: the floor of the workload.
    public static let sql = """
        SELECT json_group_array(json_object('id', id, 'title', title, 'isFavorite', json(iif(isFavorite, 'true', 'false')),
            'latitude', latitude, 'longitude', longitude, 'note', note, 'created', created))
        FROM place
        """

    /// Adds the values that all sides write identically: neither dates nor missing notes.
    public static func digest(_ json: Data, into checksum: inout Checksum) throws {
        guard let places = try JSONSerialization.jsonObject(with: json) as? [[String: Any]] else {
            throw CocoaError(.coderInvalidValue)
        }
        for place in places {
            checksum.add(place["id"] as? Int64 ?? 0)
            checksum.add(place["title"] as? String)
            checksum.add(place["isFavorite"] as? Bool ?? false)
            // SQLite writes fifteen digits.
            for key in ["latitude", "longitude"] { checksum.add(Int64(((place[key] as? Double ?? 0) * 1e6).rounded())) }
            checksum.add(place["note"] as? String)
        }
    }
}
