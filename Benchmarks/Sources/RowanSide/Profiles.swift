import Harness
import Rowan

/// A record with a key chosen by the program, and two JSON columns.
struct Profile: Codable {
    struct Address: Codable {
        var city: String
        var number: Int
        var street: String
    }

    struct Tag: Codable {
        var name: String
        var weight: Int
    }

    var id: String
    var name: String
    var address: Address
    var tags: [Tag]
}

extension Profile: PersistableRecord {}

extension Profile {
    init(_ sample: ProfileSample) {
        self.init(
            id: sample.id, name: sample.name,
            address: Address(city: sample.city, number: sample.number, street: sample.street),
            tags: sample.tags.map { Tag(name: $0.name, weight: $0.weight) })
    }
}

extension Assignment {
    /// Saves new records: each update finds no row, and an insertion follows.
    func saveProfiles() throws -> any Run {
        let profiles = samples.profiles(count).map { Profile($0) }
        return try write { db in
            for profile in profiles { try profile.save(db) }
        }
    }
}
