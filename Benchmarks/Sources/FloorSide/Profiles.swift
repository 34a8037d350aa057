import CFloor
import Harness

extension FloorSide {
    func saveProfiles(_ assignment: Assignment) throws -> any Run {
        let profiles = ProfileList(assignment.samples.profiles(assignment.count))
        return try run(assignment.path, into: Nothing()) { connection, _ in
            floor_save_profiles(connection, profiles.rows, profiles.rows.count)
        }
    }
}

/// Profiles that own their texts, including JSON, which the floor does not encode.
final class ProfileList {
    private(set) var rows: [FloorProfile]

    init(_ samples: [ProfileSample]) {
        rows = samples.map { sample in
            FloorProfile(
                id: FloorText(sample.id), name: FloorText(sample.name), address: FloorText(sample.address),
                tags: FloorText(sample.tagTexts))
        }
    }

    deinit { floor_free_profiles(&rows, rows.count) }
}
